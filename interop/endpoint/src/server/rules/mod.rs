//! Which connection gets which congestion controller.

mod parse;
mod pattern;

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;

use crate::cc_choice::CcChoice;
use crate::share::Share;
use pattern::{HostPattern, PathPattern};

pub use parse::{read_file, RuleText};

/// What is known of a connection when its controller is chosen.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The client's address as the server sees it.
    pub client: IpAddr,
    /// The name that the client asked for (SNI, RFC 6066, section 3). Clients that connect to an
    /// address send none.
    pub host: Option<&'a str>,
    /// The path of the first request; none before it is there, and then no rule with a path
    /// matches.
    pub path: Option<&'a str>,
    /// A number drawn at random for the connection.
    pub draw: u64,
}

/// A controller, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub cc: CcChoice,
    /// The name of the rule; none if no rule matched.
    pub rule: Option<String>,
}

/// One rule: every kind of condition that it names has to hold, by any one of its patterns.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    name: String,
    conditions: Conditions,
    cc: CcChoice,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Conditions {
    hosts: Vec<HostPattern>,
    clients: Vec<IpNet>,
    paths: Vec<PathPattern>,
    share: Option<Share>,
}

impl Conditions {
    /// For the rule at this place.
    fn hold(&self, facts: &Facts<'_>, place: usize) -> bool {
        let host = facts.host.unwrap_or_default();
        // A client of IPv4 on a socket of IPv6 is still one of IPv4.
        let client = facts.client.to_canonical();
        (self.hosts.is_empty() || self.hosts.iter().any(|pattern| pattern.matches(host)))
            && (self.clients.is_empty() || self.clients.iter().any(|net| net.contains(&client)))
            && (self.paths.is_empty()
                || facts
                    .path
                    .is_some_and(|path| self.paths.iter().any(|pattern| pattern.matches(path))))
            && self
                .share
                .is_none_or(|share| share.contains(facts.draw, place))
    }
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts = self.hosts.iter().map(|host| format!("host={host}"));
        let clients = self.clients.iter().map(|net| format!("client={net}"));
        let paths = self.paths.iter().map(|path| format!("path={path}"));
        let share = self.share.iter().map(|share| format!("share={share}"));
        let all: Vec<String> = hosts.chain(clients).chain(paths).chain(share).collect();
        f.write_str(&all.join(" "))
    }
}

/// The rules in their order, of which the first that matches decides, and what decides otherwise.
#[derive(Clone, Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    default: CcChoice,
}

impl Rules {
    /// Reads rules. The error says which one is wrong, how, and what is allowed.
    pub fn new(texts: &[RuleText], default: CcChoice) -> Result<Self, String> {
        let mut rules: Vec<Rule> = Vec::new();
        for (place, text) in texts.iter().enumerate() {
            let rule = text
                .parse(place + 1)
                .map_err(|e| format!("rule {}: {e}", place + 1))?;
            // What is left over by a share may match the next time.
            let same = |earlier: &Rule| {
                earlier.conditions == rule.conditions && rule.conditions.share.is_none()
            };
            if let Some(earlier) = rules.iter().position(same) {
                return Err(format!(
                    "rule {} can never match: rule {} has the same conditions, and the first that \
                     matches decides",
                    place + 1,
                    earlier + 1
                ));
            }
            if let Some(earlier) = rules.iter().position(|earlier| earlier.name == rule.name) {
                return Err(format!(
                    "rules {} and {} have the same name \"{}\"",
                    earlier + 1,
                    place + 1,
                    rule.name
                ));
            }
            rules.push(rule);
        }
        let rules = Self { rules, default };
        rules.check_replacements()?;
        Ok(rules)
    }

    /// With a path in a rule any controller may have to make way for any other.
    fn check_replacements(&self) -> Result<(), String> {
        let fixed = self.controllers().find(|cc| !cc.is_replaceable());
        match fixed {
            Some(cc) if self.have_paths() => Err(format!(
                "a rule with a path replaces controllers of running connections, and {cc} cannot be \
                 replaced or take over (--cc and all rules are concerned); allowed are quiche-cc's \
                 own and bbr2"
            )),
            _ => Ok(()),
        }
    }

    /// Whether the first request can make a difference.
    pub fn have_paths(&self) -> bool {
        self.rules
            .iter()
            .any(|rule| !rule.conditions.paths.is_empty())
    }

    /// Whether the default decides always.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// The first rule that matches, or the default.
    pub fn choose(&self, facts: &Facts<'_>) -> Choice {
        let mut places = self.rules.iter().enumerate();
        match places.find(|(place, rule)| rule.conditions.hold(facts, *place)) {
            Some((_, rule)) => Choice {
                cc: rule.cc.clone(),
                rule: Some(rule.name.clone()),
            },
            None => self.fallback(),
        }
    }

    /// The controller of connections that no rule matches.
    pub fn fallback(&self) -> Choice {
        Choice {
            cc: self.default.clone(),
            rule: None,
        }
    }

    /// Every controller that may be chosen, the default first.
    pub fn controllers(&self) -> impl Iterator<Item = &CcChoice> {
        std::iter::once(&self.default).chain(self.rules.iter().map(|rule| &rule.cc))
    }
}

#[cfg(test)]
mod tests;
