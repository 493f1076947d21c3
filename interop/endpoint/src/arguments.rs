//! Values of options: whole numbers and addresses, with errors that say what was wrong and what is
//! allowed. clap's own parsers pass on what Rust's say, which names neither.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;
use clap::Arg;

/// Reads whole numbers in this range.
pub fn whole<T>(allowed: RangeInclusive<u64>) -> impl TypedValueParser<Value = T>
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok();
        let number = number.filter(|number| allowed.contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| refusal(text, &allowed))
    }
}

fn refusal(text: &str, allowed: &RangeInclusive<u64>) -> String {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let wrong = match is_whole {
        true => "is out of range",
        false => "is no whole number",
    };
    let (least, most) = (allowed.start(), allowed.end());
    format!("`{text}` {wrong}; allowed: {least} to {most}")
}

/// Reads an address with a port.
///
/// # Errors
/// It is something else, such as the name of a host.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        format!(
            "`{text}` is no address; allowed: an IP address with a port, such as 127.0.0.1:443 or \
             [::1]:443 (no host names)"
        )
    })
}

/// Takes `-5` after an option as its value, which is refused as such, and not as an unknown option.
pub fn negative_is_value(arg: Arg) -> Arg {
    let takes_value = arg.get_action().takes_values() && !arg.is_positional();
    arg.allow_negative_numbers(takes_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Command;

    fn parsed(value: &str) -> Result<u16, String> {
        let count = Arg::new("count").long("count");
        let count = count.value_parser(whole::<u16>(1..=1000));
        let command = Command::new("program").arg(negative_is_value(count));
        let parsed = command.try_get_matches_from(["program", "--count", value]);
        let parsed = parsed.map_err(|e| e.to_string())?;
        Ok(*parsed.get_one("count").expect("it was given"))
    }

    #[test]
    fn what_is_no_number_and_what_is_out_of_range_is_refused_with_the_range() {
        assert_eq!(parsed("1"), Ok(1));
        assert_eq!(parsed("1000"), Ok(1000));
        for text in ["abc", "1.5", "", "-", "1s", "0x10"] {
            let wanted = format!("`{text}` is no whole number; allowed: 1 to 1000\n");
            let refused = parsed(text).unwrap_err();
            assert!(refused.contains(&wanted), "{refused}");
        }
        for text in ["0", "1001", "-5", "99999999999999999999999"] {
            let wanted = format!("`{text}` is out of range; allowed: 1 to 1000\n");
            let refused = parsed(text).unwrap_err();
            assert!(refused.contains(&wanted), "{refused}");
        }
    }

    #[test]
    fn names_of_hosts_and_impossible_ports_are_no_addresses() {
        assert!(address("127.0.0.1:0").is_ok() && address("[::1]:443").is_ok());
        for text in ["localhost:4433", "127.0.0.1:99999", "127.0.0.1", "::1:443"] {
            let refused = address(text);
            // An address of IPv6 without brackets is one without a port.
            let wanted = format!("`{text}` is no address; allowed: an IP address with a port");
            assert!(refused.unwrap_err().starts_with(&wanted), "{text}");
        }
    }
}
