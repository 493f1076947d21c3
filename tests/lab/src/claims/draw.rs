//! Paths that nobody chose: values of parameters that are drawn at random.

use std::collections::BTreeMap;

use quiche_cc_bottleneck::{stream, uniform};
use toml::Spanned;

use super::claim_set::Parameters;
use super::file::{Choice, Setting};
use super::resolve::{At, Checked};
use super::runs::filled;
use super::value::Value;

/// The parameter that counts them.
pub const PATH: &str = "path";

const ALLOWED: &str =
    "`LOW..HIGH`, two values above 0 with one kind of unit, such as \"2Mbps..100Mbps\", or a list";

/// Paths number 1 to `count` of this seed.
///
/// What is drawn for a parameter depends on the seed, the number and its name alone: runs that draw the same have the
/// same paths, and one more parameter leaves the others as they are. A value of a list may name other parameters.
///
/// # Errors
/// A choice that is none.
pub fn paths(
    choices: &BTreeMap<String, Spanned<Choice>>,
    count: u64,
    seed: u64,
) -> Checked<Vec<Parameters>> {
    (1..=count)
        .map(|number| path(choices, number, seed))
        .collect()
}

fn path(
    choices: &BTreeMap<String, Spanned<Choice>>,
    number: u64,
    seed: u64,
) -> Checked<Parameters> {
    let mut drawn = Parameters::new();
    for (name, choice) in choices {
        let at = uniform(&mut stream(seed ^ of_name(name), number));
        let value = one(choice.get_ref(), at)
            .ok_or_else(|| wrong(name))
            .at(choice)?;
        drawn.insert(name.clone(), value);
    }
    let mut path = Parameters::from([(PATH.to_owned(), number.to_string())]);
    for (name, choice) in choices {
        path.insert(name.clone(), filled(&drawn[name], &drawn).at(choice)?);
    }
    Ok(path)
}

fn wrong(name: &str) -> String {
    format!("`{name}` cannot be drawn from this; allowed is {ALLOWED}")
}

/// The value at this part, from 0 to below 1, of all that there are.
fn one(choice: &Choice, at: f64) -> Option<String> {
    match choice {
        Choice::Range(text) => between(text, at),
        Choice::List(values) => {
            let place = (at * values.len() as f64) as usize;
            values.get(place).map(|Setting(value)| value.clone())
        }
    }
}

/// Evenly on a logarithmic scale, to three digits.
fn between(text: &str, at: f64) -> Option<String> {
    let (low, high) = text.split_once("..")?;
    let (low, high) = (Value::parse(low)?, Value::parse(high)?);
    let in_order = 0.0 < low.amount && low.amount < high.amount;
    if low.unit != high.unit || !in_order {
        return None;
    }
    let ratio = libm::log(high.amount / low.amount);
    Some(low.unit.write(low.amount * libm::exp(at * ratio), false))
}

/// FNV-1a (Fowler, Noll, Vo), the same on every machine.
fn of_name(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(text: &str) -> BTreeMap<String, Spanned<Choice>> {
        toml::from_str(text).unwrap()
    }

    const RATE: &str = "rate = \"1Mbps..100Mbps\"\n";

    #[test]
    fn what_is_drawn_depends_on_seed_number_and_name_alone() {
        let few = paths(&choices(RATE), 3, 1).unwrap();
        let more = choices(&format!(
            "{RATE}rtt = \"10ms..1s\"\nwait = [\"0ms\", \"{{rtt}}\"]"
        ));
        let many = paths(&more, 50, 1).unwrap();
        for (one, other) in few.iter().zip(&many) {
            assert_eq!(one[PATH], other[PATH]);
            assert_eq!(one["rate"], other["rate"]);
        }
        assert_ne!(paths(&choices(RATE), 3, 2).unwrap(), few);
    }

    #[test]
    fn a_range_is_drawn_evenly_on_a_logarithmic_scale_and_a_list_evenly() {
        let drawn = paths(
            &choices(&format!("{RATE}kind = [\"a\", \"b {{rate}}\"]")),
            2000,
            7,
        )
        .unwrap();
        let rates = drawn
            .iter()
            .map(|path| Value::parse(&path["rate"]).unwrap().amount);
        assert!(rates.clone().all(|rate| (1e6..=1e8).contains(&rate)));
        let below_ten = rates.filter(|rate| *rate < 1e7).count();
        assert!((900..1100).contains(&below_ten), "{below_ten} of 2000");
        let named = |path: &&Parameters| path["kind"] == format!("b {}", path["rate"]);
        let second = drawn.iter().filter(named).count();
        assert!((900..1100).contains(&second), "{second} of 2000");
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for text in [
            "x = \"1Mbps\"",
            "x = \"1Mbps..10ms\"",
            "x = \"0ms..10ms\"",
            "x = \"20ms..10ms\"",
            "x = []",
            "x = [\"{y}\"]",
        ] {
            assert!(paths(&choices(text), 1, 1).is_err(), "{text}");
        }
    }
}
