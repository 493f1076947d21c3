//! Rules as operators write them: in a TOML file or on the command line.

use std::path::Path;
use std::str::FromStr;

use ipnet::IpNet;
use serde::Deserialize;

use super::{Conditions, Rule};
use crate::files;

const KEYS: &str = "name, host, client, path, share and cc";
const TOML: &str = "[[rule]], and below it lines such as cc = \"hybrid\", each key once";

/// A rule that is not yet read: texts only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleText {
    name: Option<String>,
    #[serde(default)]
    host: OneOrMore,
    #[serde(default)]
    client: OneOrMore,
    #[serde(default)]
    path: OneOrMore,
    share: Option<String>,
    cc: Option<String>,
}

/// A list, of which one may be written without brackets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "the value is no text; allowed: one in quotes, or a list of such texts"
)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl OneOrMore {
    fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::More(texts) => texts,
        }
    }

    fn push(&mut self, text: &str) {
        let mut texts = self.texts().to_vec();
        texts.push(text.to_owned());
        *self = Self::More(texts);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<RuleText>,
}

/// Reads a file of `[[rule]]` tables. The error says what is wrong with it.
pub fn read_file(path: &Path) -> Result<Vec<RuleText>, String> {
    let content = files::read(path).map_err(|e| e.to_string())?;
    let file: File = toml::from_slice(&content).map_err(|e| in_one_line(&e, &content))?;
    Ok(file.rule)
}

/// The log has a line for each message, so the picture of the place that comes with the error is left out.
fn in_one_line(error: &toml::de::Error, content: &[u8]) -> String {
    if std::str::from_utf8(content).is_err() {
        return "no text; allowed: TOML, in UTF-8".to_owned();
    }
    let Some(span) = error.span() else {
        return in_words(error.message(), "");
    };
    let before = &content[..span.start.min(content.len())];
    let place = before.iter().filter(|&&byte| byte == b'\n').count();
    let text = String::from_utf8_lossy(content);
    let line = text.lines().nth(place).unwrap_or_default();
    let shown: String = line.trim().chars().take(60).collect();
    let mut message = in_words(error.message(), line);
    if message == error.message() && toml::from_slice::<toml::Table>(content).is_err() {
        message = format!("no TOML ({message}); allowed: {TOML}");
    }
    format!("line {}, `{shown}`: {message}", place + 1)
}

/// What the parser says of this line, in words of who writes the file.
fn in_words(message: &str, line: &str) -> String {
    let Some((found, expected)) = message.split_once(", expected ") else {
        return message.to_owned();
    };
    let key = line.split('=').next().unwrap_or_default().trim();
    if let Some(unknown) = found.strip_prefix("unknown field ") {
        let allowed = match expected {
            "`rule`" => "[[rule]]",
            _ => KEYS,
        };
        return format!("there is no key {unknown}; allowed: {allowed}");
    }
    let words = match expected {
        "a string" if key == "share" => {
            "the share is no text; allowed: one with a percent sign, such as share = \"1%\""
        }
        "a string" => "the value is no text; allowed: one in quotes",
        "a sequence" => "not a list of rules; allowed: [[rule]], with two brackets, for each rule",
        _ => message,
    };
    words.to_owned()
}

impl FromStr for RuleText {
    type Err = String;

    /// Reads `host=video.example.org client=192.0.2.0/24 cc=hybrid`. A condition may be
    /// repeated.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut rule = Self::default();
        let once = |slot: &mut Option<String>, key: &str, value: &str| match slot
            .replace(value.to_owned())
        {
            None => Ok(()),
            Some(_) => Err(format!("{key} is given twice")),
        };
        for word in text.split_whitespace() {
            let (key, value) = word
                .split_once('=')
                .ok_or_else(|| format!("\"{word}\" is not KEY=VALUE; keys are {KEYS}"))?;
            match key {
                "name" => once(&mut rule.name, key, value)?,
                "share" => once(&mut rule.share, key, value)?,
                "cc" => once(&mut rule.cc, key, value)?,
                "host" => rule.host.push(value),
                "client" => rule.client.push(value),
                "path" => rule.path.push(value),
                _ => return Err(format!("there is no key \"{key}\"; allowed are {KEYS}")),
            }
        }
        Ok(rule)
    }
}

impl RuleText {
    /// Reads the texts of the rule that is number `place`.
    pub(super) fn parse(&self, place: usize) -> Result<Rule, String> {
        let conditions = Conditions {
            hosts: all(&self.host)?,
            paths: all(&self.path)?,
            share: self.share.as_deref().map(str::parse).transpose()?,
            clients: self
                .client
                .texts()
                .iter()
                .map(|text| network(text))
                .collect::<Result<_, _>>()?,
        };
        if conditions == Conditions::default() {
            return Err(
                "it has no condition (host, client, path, share); the default is set by --cc"
                    .to_owned(),
            );
        }
        let cc = self
            .cc
            .as_deref()
            .ok_or("it has no cc, the controller to use")?;
        let cc = cc.parse().map_err(|e| format!("cc: {e}"))?;
        let name = self
            .name
            .clone()
            .unwrap_or_else(|| format!("{place}: {conditions}"));
        Ok(Rule {
            name,
            conditions,
            cc,
        })
    }
}

fn all<T: FromStr<Err = String>>(list: &OneOrMore) -> Result<Vec<T>, String> {
    list.texts().iter().map(|text| text.parse()).collect()
}

fn network(text: &str) -> Result<IpNet, String> {
    const ALLOWED: &str = "a network such as 192.0.2.0/24 or 2001:db8::/32, or an address";
    let net = match text.parse() {
        Ok(address) => IpNet::from(std::net::IpAddr::to_canonical(&address)),
        Err(_) => text
            .parse::<IpNet>()
            .map_err(|_| format!("client \"{text}\" is no network; allowed is {ALLOWED}"))?,
    };
    if net.trunc() != net {
        return Err(format!(
            "client \"{text}\" has bits beyond its prefix; {} is the network",
            net.trunc()
        ));
    }
    Ok(net)
}
