//! Option strings: `hybrid:paper,d1=10ms` to typed parameters, with errors that say what is
//! allowed.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use crate::units::Rate;

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A time in milliseconds between the bounds, written with its unit (`us`, `ms`, `s`).
    Millis(f64, f64),
    /// The same, or `auto`.
    MillisOrAuto(f64, f64),
    /// A rate in bit/s between the bounds, with its unit (`bps`, `kbps`, `Mbps`, `Gbps`), or
    /// `auto`.
    RateOrAuto(f64, f64),
    /// A rate in bit/s between the bounds, with its unit.
    Rate(f64, f64),
    /// A rate in bit/s between the bounds, with its unit, or one of these words.
    RateOrWord(f64, f64, &'static [&'static str]),
    /// A number between the bounds.
    Number(f64, f64),
    /// A number between the bounds, or `off`, which means the first bound.
    NumberOrOff(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Some of these words, at most 32, with `+` between, or `none`.
    Words(&'static [&'static str]),
}

/// One parameter of a controller.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The name in option strings and traces.
    pub name: &'static str,
    /// Allowed values.
    pub kind: Kind,
    /// What holds unless an option says otherwise, as an option would: that of the default profile.
    pub default: &'static str,
    /// What it does, in one line.
    pub help: &'static str,
}

/// A parameter's value as given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Given {
    /// A time.
    Time(Duration),
    /// A rate; `None` is `auto`.
    Rate(Option<Rate>),
    /// A number.
    Number(f64),
    /// A word, by its place in the list of allowed ones.
    Word(usize),
    /// Words, a bit each by their place in the list of allowed ones.
    Words(u32),
    /// `auto`, for a time.
    Auto,
}

impl Given {
    /// The time, if it is one.
    pub fn time(self) -> Option<Duration> {
        match self {
            Given::Time(time) => Some(time),
            _ => None,
        }
    }
}

/// Why an option string was refused, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError(String);

impl SpecError {
    /// With this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Text in one line, without what a terminal obeys.
pub fn visible(text: &str) -> String {
    let shown = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    text.chars().map(shown).collect()
}

/// Messages quote what others wrote.
impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0))
    }
}

impl Error for SpecError {}

/// Option strings longer than this are refused unread.
const MAX_LENGTH: usize = 1024;

/// The options of one controller, taken apart but not yet interpreted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The profile, if one was named.
    pub profile: Option<&'static str>,
    /// Parameters with their values, in the order given.
    pub values: Vec<(&'static str, Given)>,
}

/// Takes the options of `controller` apart: an optional profile first, then `option=value`, with
/// commas between.
pub fn parse_options(
    controller: &str,
    text: &str,
    profiles: &[&'static str],
    parameters: &[Parameter],
) -> Result<Options, SpecError> {
    if text.len() > MAX_LENGTH {
        let length = text.len();
        return Err(SpecError(format!(
            "{controller}: {length} bytes of options; at most {MAX_LENGTH} are allowed"
        )));
    }
    let mut options = Options::default();
    let items = text.split(',').map(str::trim);
    for (place, item) in items
        .enumerate()
        .filter(|(_, item)| !item.is_empty() || text.contains(','))
    {
        match item.split_once('=') {
            Some((name, value)) => {
                let parameter = find_parameter(controller, name.trim(), parameters)?;
                let value = given_once(controller, parameter, value.trim(), &options)?;
                options.values.push((parameter.name, value));
            }
            None => {
                let hint = joined_with_plus(text, place, parameters);
                let profile = find_profile(controller, item, place, profiles);
                let profile = profile.map_err(|SpecError(wrong)| SpecError(wrong + &hint))?;
                options.profile = Some(profile);
            }
        }
    }
    Ok(options)
}

fn given_once(
    controller: &str,
    parameter: &Parameter,
    value: &str,
    before: &Options,
) -> Result<Given, SpecError> {
    let name = parameter.name;
    if before.values.iter().any(|(given, _)| *given == name) {
        return Err(SpecError(format!("{controller}: {name} is given twice")));
    }
    parse_value(value, parameter.kind).ok_or_else(|| refuse(controller, parameter, value))
}

/// Names that are allowed, and which of them `given` is likely to stand for.
pub fn listed(given: &str, names: &[&str]) -> String {
    const FAR: usize = 60;
    let distance = |name: &&&str| strsim::osa_distance(given, name);
    let near = |name: &&&str| given.len() < FAR && distance(name) <= (name.len() / 3).max(1);
    let all = names.join(", ");
    match names.iter().filter(near).min_by_key(distance) {
        Some(meant) => format!("{all}; did you mean {meant}?"),
        None => all,
    }
}

/// Whether options begin with this profile.
pub fn begins_with(profile: &str, options: &str) -> bool {
    let first = options.split(',').next();
    first.is_some_and(|first| first.trim() == profile)
}

fn find_parameter<'a>(
    controller: &str,
    name: &str,
    parameters: &'a [Parameter],
) -> Result<&'a Parameter, SpecError> {
    parameters
        .iter()
        .find(|parameter| parameter.name == name)
        .ok_or_else(|| {
            let names: Vec<_> = parameters.iter().map(|parameter| parameter.name).collect();
            let allowed = listed(name, &names);
            SpecError(format!(
                "{controller}: there is no option \"{name}\"; allowed are {allowed}"
            ))
        })
}

fn find_profile(
    controller: &str,
    name: &str,
    place: usize,
    profiles: &[&'static str],
) -> Result<&'static str, SpecError> {
    let profile = profiles.iter().find(|profile| **profile == name);
    match (profile, place) {
        (Some(profile), 0) => Ok(profile),
        (Some(_), _) => Err(SpecError(format!(
            "{controller}: the profile \"{name}\" must come first"
        ))),
        (None, _) => Err(SpecError(format!(
            "{controller}: \"{name}\" is neither option=value nor a profile; the profiles are {}",
            profiles.join(", ")
        ))),
    }
}

/// What an error adds where the item at `place` is one more word of the option before it: commas
/// part options, not words.
fn joined_with_plus(text: &str, place: usize, parameters: &[Parameter]) -> String {
    let mut items = text.split(',').map(str::trim).skip(place.saturating_sub(1));
    let (Some(before), Some(item)) = (items.next(), items.next()) else {
        return String::new();
    };
    let named = before.split_once('=').map(|(name, _)| name.trim());
    let is_meant = |parameter: &&Parameter| match parameter.kind {
        Kind::Words(words) => named == Some(parameter.name) && words.contains(&item),
        _ => false,
    };
    parameters
        .iter()
        .find(is_meant)
        .map_or_else(String::new, |parameter| {
            let name = parameter.name;
            format!("; several of {name} are joined with +: {before}+{item}")
        })
}

fn refuse(controller: &str, parameter: &Parameter, value: &str) -> SpecError {
    SpecError(format!(
        "{controller}: {}={value} is not allowed; {} is {}{}",
        parameter.name,
        parameter.name,
        parameter.kind,
        parameter.kind.unit_rule()
    ))
}

impl Kind {
    /// What an error adds for values that need a unit.
    fn unit_rule(self) -> &'static str {
        match self {
            Kind::Millis(..) | Kind::MillisOrAuto(..) => {
                "; a time is written with its unit (us, ms or s)"
            }
            Kind::Rate(..) | Kind::RateOrAuto(..) | Kind::RateOrWord(..) => {
                "; a rate is written with its unit (bps, kbps, Mbps or Gbps)"
            }
            Kind::Number(..) | Kind::NumberOrOff(..) | Kind::Word(_) | Kind::Words(_) => "",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Millis(low, high) => {
                write!(f, "a time from {} to {}", time(*low), time(*high))
            }
            Kind::MillisOrAuto(low, high) => write!(f, "{}, or auto", Kind::Millis(*low, *high)),
            Kind::RateOrAuto(low, high) => {
                write_rates(f, *low, *high)?;
                f.write_str(", or auto")
            }
            Kind::Rate(low, high) => write_rates(f, *low, *high),
            Kind::RateOrWord(low, high, words) => {
                write_rates(f, *low, *high)?;
                write!(f, ", or one of {}", words.join(", "))
            }
            Kind::Number(low, high) => write!(f, "a number from {low} to {high}"),
            Kind::NumberOrOff(low, high) => write!(f, "a number from {low} to {high}, or off"),
            Kind::Word(words) => write!(f, "one of {}", words.join(", ")),
            Kind::Words(words) => {
                let words = words.join(", ");
                write!(f, "none, or one or more of {words}, with + between")
            }
        }
    }
}

/// In the largest unit in which it is a whole number.
fn time(millis: f64) -> String {
    const UNITS: [(&str, f64); 2] = [("s", 1e3), ("ms", 1.0)];
    let whole = |&&(_, scale): &&(&str, f64)| (millis / scale).fract() == 0.0;
    match UNITS.iter().find(whole) {
        _ if millis == 0.0 => "0ms".to_owned(),
        Some((unit, scale)) => format!("{}{unit}", millis / scale),
        None => format!("{}us", millis * 1e3),
    }
}

fn write_rates(f: &mut fmt::Formatter<'_>, low: f64, high: f64) -> fmt::Result {
    let (low, high) = (Rate::from_bps(low), Rate::from_bps(high));
    write!(f, "a rate from {low} to {high}")
}

fn parse_rate(text: &str, low: f64, high: f64) -> Option<Given> {
    const RATES: [(&str, f64); 4] = [("kbps", 1e3), ("Mbps", 1e6), ("Gbps", 1e9), ("bps", 1.0)];
    let bps = within(parse_with_unit(text, &RATES)?, low, high)?;
    Some(Given::Rate(Some(Rate::from_bps(bps))))
}

fn parse_word(text: &str, words: &[&str]) -> Option<Given> {
    words.iter().position(|word| *word == text).map(Given::Word)
}

/// Each word at most once.
fn parse_words(text: &str, words: &[&str]) -> Option<Given> {
    let mut given = 0;
    for item in text.split('+') {
        let place = words.iter().position(|word| *word == item.trim())?;
        let bit = 1 << place;
        if given & bit != 0 {
            return None;
        }
        given |= bit;
    }
    Some(Given::Words(given))
}

fn parse_value(text: &str, kind: Kind) -> Option<Given> {
    const TIMES: [(&str, f64); 3] = [("us", 1e-3), ("ms", 1.0), ("s", 1e3)];
    match kind {
        Kind::MillisOrAuto(..) if text == "auto" => Some(Given::Auto),
        Kind::Millis(low, high) | Kind::MillisOrAuto(low, high) => {
            let millis = within(parse_with_unit(text, &TIMES)?, low, high)?;
            Some(Given::Time(Duration::from_nanos(
                (millis * 1e6).round() as u64
            )))
        }
        Kind::RateOrAuto(..) if text == "auto" => Some(Given::Rate(None)),
        Kind::RateOrAuto(low, high) | Kind::Rate(low, high) => parse_rate(text, low, high),
        Kind::RateOrWord(low, high, words) => {
            parse_word(text, words).or_else(|| parse_rate(text, low, high))
        }
        Kind::NumberOrOff(low, _) if text == "off" => Some(Given::Number(low)),
        Kind::Number(low, high) | Kind::NumberOrOff(low, high) => {
            within(parse_number(text)?, low, high).map(Given::Number)
        }
        Kind::Word(words) => parse_word(text, words),
        Kind::Words(_) if text == "none" => Some(Given::Words(0)),
        Kind::Words(words) => parse_words(text, words),
    }
}

/// A plain decimal number: no sign, no exponent, no `inf` or `nan`.
fn parse_number(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain.then(|| text.parse().ok()).flatten()
}

fn parse_with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    if parse_number(text) == Some(0.0) {
        return Some(0.0);
    }
    let (number, scale) = units
        .iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    parse_number(number.trim_end()).map(|number| number * scale)
}

fn within(value: f64, low: f64, high: f64) -> Option<f64> {
    (low..=high).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests;
