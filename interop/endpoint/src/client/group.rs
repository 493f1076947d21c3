//! Which downloads share a connection, and where they go.

use std::collections::HashSet;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use url::{Host, Url};

use super::cli::ClientArgs;

/// Where a download is to be written; `None` throws it away.
pub type Target = Option<PathBuf>;

/// The downloads of one host and port.
#[derive(Clone, Debug)]
pub struct Group {
    /// Host and port as in the URLs.
    pub authority: String,
    /// Name for TLS; IP addresses have none.
    pub server_name: Option<String>,
    pub downloads: Vec<(Url, Target)>,
    host: String,
    port: u16,
}

/// Sorts the URLs into groups and names the files. The error is for the user.
pub fn plan(args: &ClientArgs) -> Result<Vec<Group>, String> {
    let mut groups: Vec<Group> = Vec::new();
    let mut names = HashSet::new();
    for url in &args.urls {
        let target = if args.null {
            None
        } else {
            Some(file_of(args, url, &mut names)?)
        };
        let group = group_of(&mut groups, url);
        if group.server_name.is_none() && args.verifies() {
            let host = &group.host;
            return Err(format!(
                "a certificate cannot be checked for the address {host}; allowed: a host name \
                 (with --connect-to ADDRESS:PORT if it does not resolve), or --insecure"
            ));
        }
        group.downloads.push((url.clone(), target));
    }
    Ok(groups)
}

fn group_of<'a>(groups: &'a mut Vec<Group>, url: &Url) -> &'a mut Group {
    let authority = url
        .authority()
        .rsplit('@')
        .next()
        .unwrap_or_default()
        .to_owned();
    if let Some(known) = groups.iter().position(|group| group.authority == authority) {
        return &mut groups[known];
    }
    let (host, server_name) = match url.host() {
        Some(Host::Domain(name)) => (name.to_owned(), Some(name.to_owned())),
        Some(Host::Ipv4(ip)) => (ip.to_string(), None),
        Some(Host::Ipv6(ip)) => (ip.to_string(), None),
        None => (String::new(), None),
    };
    let port = url.port_or_known_default().unwrap_or(443);
    groups.push(Group {
        authority,
        server_name,
        downloads: Vec::new(),
        host,
        port,
    });
    groups.last_mut().expect("one was just added")
}

fn file_of(args: &ClientArgs, url: &Url, names: &mut HashSet<String>) -> Result<PathBuf, String> {
    let last = url
        .path_segments()
        .and_then(|mut parts| parts.next_back())
        .unwrap_or_default();
    let name = match last {
        "" => "index.html",
        name => name,
    };
    if !names.insert(name.to_owned()) {
        return Err(format!(
            "two URLs would be written to the file \"{name}\"; use --null"
        ));
    }
    Ok(args.out.clone().unwrap_or_default().join(name))
}

impl Group {
    /// The first download by itself, and the others if there are any.
    pub fn split_first(&self) -> Vec<Self> {
        let (first, rest) = self.downloads.split_at(self.downloads.len().min(1));
        let part = |downloads: &[(Url, Target)]| Self {
            downloads: downloads.to_vec(),
            ..self.clone()
        };
        let parts = [first, rest].into_iter();
        parts.filter(|part| !part.is_empty()).map(part).collect()
    }

    /// The server's address.
    pub fn address(&self, connect_to: Option<SocketAddr>) -> Result<SocketAddr, String> {
        if let Some(address) = connect_to {
            return Ok(address);
        }
        let host = &self.host;
        let addresses = (host.as_str(), self.port).to_socket_addrs();
        let mut addresses = addresses.map_err(|e| format!("{host} cannot be resolved: {e}"))?;
        addresses
            .next()
            .ok_or_else(|| format!("{host} has no address"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(arguments: &[&str]) -> Result<Vec<Group>, String> {
        use clap::Parser;
        let all = ["cc-client"].iter().chain(arguments);
        plan(&ClientArgs::try_parse_from(all).map_err(|e| e.to_string())?)
    }

    #[test]
    fn urls_of_one_server_share_a_connection() {
        let groups = planned(&[
            "https://a/1",
            "https://b:1/2",
            "https://a/3?x",
            "https://a:2/4",
        ])
        .unwrap();
        let sizes: Vec<(&str, usize)> = groups
            .iter()
            .map(|group| (group.authority.as_str(), group.downloads.len()))
            .collect();
        assert_eq!(sizes, [("a", 2), ("b:1", 1), ("a:2", 1)]);
    }

    #[test]
    fn files_are_named_after_the_path_and_never_twice() {
        let groups = planned(&["--out", "d", "https://a/x/y.z?q", "https://a/"]).unwrap();
        let files: Vec<_> = groups[0]
            .downloads
            .iter()
            .map(|(_, file)| file.clone())
            .collect();
        assert_eq!(files, [Some("d/y.z".into()), Some("d/index.html".into())]);
        let refused = planned(&["https://a/x", "https://b/x"]).unwrap_err();
        assert!(refused.contains("\"x\""), "{refused}");
        assert!(planned(&["--null", "https://a/x", "https://b/x"]).is_ok());
    }

    #[test]
    fn a_path_cannot_name_a_file_elsewhere() {
        for url in ["https://a/..", "https://a/x/../..", "https://a/%2e%2e"] {
            let groups = planned(&["--out", "d", url]).unwrap();
            assert_eq!(
                groups[0].downloads[0].1,
                Some("d/index.html".into()),
                "{url}"
            );
        }
        let groups = planned(&["--out", "d", "https://a/..%2fx"]).unwrap();
        assert_eq!(groups[0].downloads[0].1, Some("d/..%2fx".into()));
    }

    #[test]
    fn an_ip_address_needs_insecure() {
        let refused = planned(&["https://127.0.0.1/x"]).unwrap_err();
        assert!(refused.contains("--insecure"), "{refused}");
        let groups = planned(&["--insecure", "https://[::1]:4433/x"]).unwrap();
        assert_eq!(groups[0].address(None), Ok("[::1]:4433".parse().unwrap()));
        assert_eq!(groups[0].authority, "[::1]:4433");
    }

    #[test]
    fn other_schemes_are_refused_with_the_allowed_form() {
        for url in ["http://a/x", "ftp://a/x", "a/x", "https://"] {
            let refused = planned(&[url]).unwrap_err();
            assert!(refused.contains("https://HOST"), "{refused}");
        }
    }
}
