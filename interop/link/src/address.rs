//! Loopback addresses only: the relay must not become an open relay on somebody's network.

use std::net::SocketAddr;

/// An address that the relay does not use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not an address with a port.
    #[error(
        "`{0}` is not an IP address with a port; allowed: a loopback address such as \
         127.0.0.1:4433 or [::1]:4433"
    )]
    Syntax(String),
    /// An address of the outside world.
    #[error(
        "{0} is not a loopback address; the relay serves this machine only; \
         allowed: 127.0.0.0/8 and ::1, such as 127.0.0.1:4433 or [::1]:4433"
    )]
    NotLoopback(SocketAddr),
}

/// Reads a loopback address with its port.
///
/// # Errors
/// The text is no address with a port, or not one of loopback.
pub fn loopback(text: &str) -> Result<SocketAddr, AddressError> {
    let address = text
        .parse()
        .map_err(|_| AddressError::Syntax(text.to_owned()))?;
    check(address)
}

/// Gives the address back if it is one of loopback.
pub(crate) fn check(address: SocketAddr) -> Result<SocketAddr, AddressError> {
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(AddressError::NotLoopback(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_of_both_families_is_accepted() {
        for text in ["127.0.0.1:0", "127.1.2.3:4433", "[::1]:4433"] {
            assert_eq!(
                loopback(text).map(|address| address.to_string()),
                Ok(text.to_owned())
            );
        }
    }

    #[test]
    fn everything_else_is_refused_with_what_is_allowed() {
        for text in [
            "0.0.0.0:1",
            "[::]:1",
            "192.0.2.1:1",
            "[2001:db8::1]:1",
            "[::ffff:127.0.0.1]:1",
        ] {
            let error = loopback(text).expect_err(text);
            assert!(matches!(error, AddressError::NotLoopback(_)), "{error}");
        }
        for text in ["", "localhost:1", "127.0.0.1", "127.0.0.1:65536"] {
            let error = loopback(text).expect_err(text).to_string();
            assert!(error.contains("allowed: a loopback address"), "{error}");
        }
    }
}
