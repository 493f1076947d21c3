//! The one place where controllers are declared.

mod added;

use std::fmt;
use std::sync::Arc;

pub use self::added::{add, added, Added, Configure};

use crate::controller::{Controller, Start};
use crate::controllers::hybrid::{self, Hybrid};
use crate::controllers::hybrid_paper::{self, HybridPaper};
use crate::controllers::raimd::{self, Raimd};
use crate::controllers::rrr::{self, Rrr};
use crate::controllers::smallq::{self, SmallQueues};
use crate::controllers::vegas::{self, Vegas};
use crate::spec::{begins_with, listed, Parameter, SpecError};

/// Creates the controller of a new path.
pub type Build = dyn Fn(Start) -> Box<dyn Controller> + Send + Sync;

/// A controller that can be selected by name.
pub struct Entry {
    /// The name in option strings.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// Names of the profiles; the first is the default.
    pub profiles: &'static [&'static str],
    /// Parameters that options may set, but for profiles that have their own.
    pub parameters: &'static [Parameter],
    /// Profiles that are another controller, with its parameters.
    pub apart: &'static [(&'static str, &'static [Parameter])],
    configure: fn(spec: &str, options: &str) -> Result<Arc<Build>, SpecError>,
}

/// Every controller of this crate.
pub const CATALOGUE: &[Entry] = &[HYBRID, SMALLQ, VEGAS, RRR, RAIMD];

const HYBRID: Entry = Entry {
    name: "hybrid",
    summary: "rate plus window, driven by relative one-way delay in three zones",
    paper: "Mehrotra et al., Hybrid window and rate based congestion control for delay sensitive applications",
    profiles: &hybrid_paper::PROFILES,
    parameters: &hybrid::PARAMETERS,
    apart: &[("paper", &hybrid_paper::PARAMETERS)],
    configure: |spec, options| {
        if begins_with("paper", options) {
            return configure_paper(spec, options);
        }
        let params = hybrid::Params::parse(options)?;
        let spec = spec.to_owned();
        Ok(Arc::new(move |start| Box::new(Hybrid::new(params.clone(), &spec, start))))
    },
};

fn configure_paper(spec: &str, options: &str) -> Result<Arc<Build>, SpecError> {
    let params = hybrid_paper::Params::parse(options)?;
    let spec = spec.to_owned();
    Ok(Arc::new(move |start| {
        Box::new(HybridPaper::new(params.clone(), &spec, start))
    }))
}

const SMALLQ: Entry = Entry {
    name: "smallq",
    summary: "NewReno whose window shrinks by one packet per ECN mark, for routers that mark in proportion to a small queue",
    paper: "Möller, Johansson, Congestion control for small queues: analysis and evaluation of a new protocol",
    profiles: &smallq::PROFILES,
    parameters: &smallq::PARAMETERS,
    apart: &[],
    configure: |spec, options| {
        let params = smallq::Params::parse(options)?;
        let spec = spec.to_owned();
        Ok(Arc::new(move |start| Box::new(SmallQueues::new(params.clone(), &spec, start))))
    },
};

const VEGAS: Entry = Entry {
    name: "vegas",
    summary:
        "keeps a few packets waiting, judged by the RTT alone; the baseline that uses nothing else",
    paper: "Brakmo, Peterson, TCP Vegas: end to end congestion avoidance on a global Internet",
    profiles: &vegas::PROFILES,
    parameters: &vegas::PARAMETERS,
    apart: &[],
    configure: |spec, options| {
        let params = vegas::Params::parse(options)?;
        let spec = spec.to_owned();
        Ok(Arc::new(move |start| {
            Box::new(Vegas::new(params.clone(), &spec, start))
        }))
    },
};

const RRR: Entry = Entry {
    name: "rrr",
    summary: "rate that follows the rate of arrival, with a wanted relative reduction",
    paper: "Hága, Csabai, Tóth, Vattay, Relative rate reduction based control with adjustable congestion level",
    profiles: &rrr::PROFILES,
    parameters: &rrr::PARAMETERS,
    apart: &[],
    configure: |spec, options| {
        let params = rrr::Params::parse(options)?;
        let spec = spec.to_owned();
        Ok(Arc::new(move |start| Box::new(Rrr::new(params.clone(), &spec, start))))
    },
};

const RAIMD: Entry = Entry {
    name: "raimd",
    summary: "rate with additive increase per round trip and multiplicative decrease at a loss, for a wanted throughput",
    paper: "Akan, On the throughput analysis of rate-based and window-based congestion control schemes",
    profiles: &raimd::PROFILES,
    parameters: &raimd::PARAMETERS,
    apart: &[],
    configure: |spec, options| {
        let params = raimd::Params::parse(options)?;
        let spec = spec.to_owned();
        Ok(Arc::new(move |start| Box::new(Raimd::new(params.clone(), &spec, start))))
    },
};

/// Controllers that quiche brings along, with their aliases: the last three are one controller.
/// They take no options.
pub const BUILT_IN: &[&str] = &["reno", "cubic", "bbr", "bbr2", "bbr2_gcongestion"];

impl Entry {
    /// Reads what follows `name:` (empty if nothing does).
    pub fn configure(&self, options: &str) -> Result<Arc<Build>, SpecError> {
        let spec = spec_of(self.name, options);
        (self.configure)(&spec, options)
    }
}

fn spec_of(name: &str, options: &str) -> String {
    if options.is_empty() {
        name.to_owned()
    } else {
        format!("{name}:{options}")
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// All controllers that can be chosen, with their options and defaults, as text for users.
pub fn describe() -> String {
    let mut text = String::new();
    for entry in CATALOGUE {
        text += &format!("{}: {}\n  {}\n", entry.name, entry.summary, entry.paper);
        text += &format!("  profiles: {}\n", entry.profiles.join(", "));
        text += &describe_all(entry.parameters);
        for (profile, parameters) in entry.apart {
            text += &format!("  with the profile {profile} instead:\n");
            text += &describe_all(parameters);
        }
    }
    for added in added() {
        text += &format!("{}: {}\n  added at run time\n", added.name, added.summary);
    }
    text += &format!("of quiche, without options: {}\n", BUILT_IN.join(", "));
    text += "  (bbr, bbr2 and bbr2_gcongestion are three names of BBRv2)\n";
    text += "A time has a unit: us, ms or s. A rate has one: bps, kbps, Mbps or Gbps.\n";
    text
}

fn describe_all(parameters: &[Parameter]) -> String {
    let line = |parameter: &Parameter| {
        let (name, default, help) = (parameter.name, parameter.default, parameter.help);
        format!("  {name}={default}  {help}; {}\n", parameter.kind)
    };
    parameters.iter().map(line).collect()
}

/// A controller that was selected.
#[derive(Clone)]
pub enum Algorithm {
    /// One of quiche's own.
    BuiltIn(&'static str),
    /// One of this crate's, or one that was added, with its options.
    Ours {
        /// Its name with the options, as given.
        spec: String,
        /// Creates one for a new path.
        build: Arc<Build>,
    },
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::BuiltIn(name) => f.write_str(name),
            Algorithm::Ours { spec, .. } => f.write_str(spec),
        }
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Algorithm({self})")
    }
}

/// Whether a controller has this name, whoever brings it.
pub fn is_known(name: &str) -> bool {
    BUILT_IN.contains(&name)
        || CATALOGUE.iter().any(|entry| entry.name == name)
        || added().iter().any(|added| added.name == name)
}

/// Reads `name` or `name:options`. The error says what was wrong and what is allowed.
///
/// ```
/// let spec = "hybrid:target_delay=10ms";
/// assert_eq!(quiche_cc::parse(spec).unwrap().to_string(), spec);
/// assert!(quiche_cc::parse("hybrid:target_delay=10").unwrap_err().to_string().contains("unit"));
/// ```
pub fn parse(spec: &str) -> Result<Algorithm, SpecError> {
    let (name, options) = match spec.split_once(':') {
        Some((name, options)) => (name, Some(options)),
        None => (spec, None),
    };
    if let Some(name) = BUILT_IN.iter().find(|built_in| **built_in == name) {
        return match options {
            None => Ok(Algorithm::BuiltIn(name)),
            Some(_) => Err(SpecError::new(format!(
                "{name} is quiche's own controller and takes no options"
            ))),
        };
    }
    if options.is_some_and(|options| options.trim().is_empty()) && is_known(name) {
        return Err(SpecError::new(format!(
            "{name}: there is no option after the colon; allowed are {name} alone, and {name}:OPTIONS"
        )));
    }
    let options = options.unwrap_or_default();
    let build = if let Some(entry) = CATALOGUE.iter().find(|entry| entry.name == name) {
        entry.configure(options)?
    } else if let Some(added) = added().iter().find(|added| added.name == name) {
        added.configure(options)?
    } else {
        return Err(unknown(name));
    };
    Ok(Algorithm::Ours {
        spec: spec.to_owned(),
        build,
    })
}

fn unknown(name: &str) -> SpecError {
    let ours = CATALOGUE.iter().map(|entry| entry.name);
    let added = added().into_iter().map(|added| added.name.as_str());
    let names: Vec<_> = ours.chain(added).chain(BUILT_IN.iter().copied()).collect();
    // What was given may be anything, of any length.
    let shown: String = name.chars().take(60).flat_map(char::escape_debug).collect();
    let available = match with_colon(name) {
        Some(spec) => {
            let names = names.join(", ");
            format!("{names}; options follow a colon: did you mean {spec}?")
        }
        None => listed(name, &names),
    };
    SpecError::new(format!(
        "there is no congestion controller \"{shown}\"; available are {available}"
    ))
}

/// What was meant where a comma, and not a colon, follows the name of a controller with options.
fn with_colon(given: &str) -> Option<String> {
    let (name, options) = given.split_once(',').filter(|_| given.len() < 200)?;
    let (name, options) = (name.trim(), options.trim());
    let takes_options = is_known(name) && !BUILT_IN.contains(&name);
    (takes_options && !options.is_empty()).then(|| format!("{name}:{options}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_by_name_with_options() {
        assert!(matches!(parse("cubic"), Ok(Algorithm::BuiltIn("cubic"))));
        for spec in ["hybrid", "hybrid:paper", "hybrid:paper,d1=10ms"] {
            assert_eq!(parse(spec).unwrap().to_string(), spec);
        }
    }

    #[test]
    fn errors_name_what_is_available() {
        let message = |spec: &str| parse(spec).unwrap_err().to_string();
        for name in ["hybird", "", "HYBRID", "hybrid "] {
            assert!(message(name).contains("available are hybrid, "), "{name}");
        }
        assert!(message("hybird").ends_with("; did you mean hybrid?"));
        assert!(message("hybrid:target_dealy=5ms").ends_with("; did you mean target_delay?"));
        assert!(!message("x").contains("did you mean"));
        assert!(message("cubic:fast").contains("takes no options"));
        for spec in ["hybrid:", "hybrid: "] {
            let wanted = "hybrid: there is no option after the colon; allowed are hybrid alone, and hybrid:OPTIONS";
            assert_eq!(message(spec), wanted);
        }
        let meant = "; options follow a colon: did you mean hybrid:growth=2,dips?";
        assert!(message("hybrid,growth=2,dips").ends_with(meant));
        for spec in ["cubic,fast", "hybrid,", "hybird,growth=2"] {
            assert!(!message(spec).contains("colon"), "{spec}");
        }
        assert!(message("hybird:").ends_with("; did you mean hybrid?"));
        assert!(message("hybrid:paper,d1=50ms,d2=24ms").contains("d0 < d1 < d2 < d3"));
        assert!(message("hybrid:paper,amin=1Mbps").contains("amin <= amax"));
        assert!(message("hybrid:paper,bmin=0.4").contains("bmin <= bmid"));
        assert!(message("hybrid:min_decrease=0.6").contains("from 0 to 0.5"));
        assert!(message(&"x".repeat(100_000)).len() < 300);
    }

    #[test]
    fn a_profile_that_is_another_controller_has_its_own_parameters() {
        let message = |spec: &str| parse(spec).unwrap_err().to_string();
        let of_paper =
            "allowed are amin, amax, bmin, bmid, bmax, d0, d1, d2, d3, gamma, base_delay_window, initial_rate";
        for spec in [
            "hybrid:paper,target_packets=3",
            "hybrid: paper ,drain_epochs=2",
        ] {
            let refused = message(spec);
            assert!(refused.contains("hybrid:paper: there is no"), "{refused}");
            assert!(refused.contains(of_paper), "{refused}");
        }
        for spec in ["hybrid:amin=1kbps", "hybrid:default,d2=24ms"] {
            let refused = message(spec);
            assert!(
                refused.contains("allowed are target_delay, target_packets"),
                "{refused}"
            );
        }
        for spec in ["hybrid:paper,default", "hybrid:target_delay=10ms,paper"] {
            assert!(message(spec).contains("must come first"), "{spec}");
        }
        assert!(message("hybrid:paper,d1=auto").contains("a time from"));
        let told = describe();
        let (default, paper) = told.split_once("with the profile paper").unwrap();
        assert!(default.contains("target_packets=") && !default.contains("amin="));
        assert!(paper.contains("amin=") && !paper.contains("target_packets="));
    }

    #[test]
    fn a_default_that_is_told_is_the_one_that_holds() {
        macro_rules! check {
            ($($module:ident),*) => {$(
                for parameter in $module::PARAMETERS {
                    let given = format!("{}={}", parameter.name, parameter.default);
                    let params = $module::Params::parse(&given).unwrap();
                    assert_eq!(params, $module::Params::default(), "{given}");
                }
            )*};
        }
        check!(hybrid, hybrid_paper, smallq, vegas, rrr, raimd);
    }

    #[test]
    fn every_parameter_can_be_set_to_what_its_help_allows() {
        use crate::spec::Kind;
        for entry in CATALOGUE {
            let apart = (entry.apart.iter())
                .flat_map(|(profile, all)| all.iter().map(move |one| (*profile, one)));
            let all = entry.parameters.iter().map(|one| ("", one)).chain(apart);
            for (profile, parameter) in all {
                let value = match parameter.kind {
                    Kind::Millis(low, _) | Kind::MillisOrAuto(low, _) => {
                        format!("{}ms", low.max(1.0) * 13.0)
                    }
                    Kind::RateOrAuto(..) => "auto".into(),
                    Kind::Rate(low, _) => format!("{low}bps"),
                    Kind::RateOrWord(.., words) => words[0].into(),
                    Kind::Number(_, high) | Kind::NumberOrOff(_, high) => high.to_string(),
                    Kind::Word(words) | Kind::Words(words) => words[0].into(),
                };
                let error = entry
                    .configure(
                        format!("{profile},{}={value}", parameter.name).trim_start_matches(','),
                    )
                    .err();
                // Only the order of neighbouring parameters may be violated.
                assert!(
                    error.is_none_or(|e| e.to_string().contains("must hold")),
                    "{}={value}",
                    parameter.name
                );
            }
        }
    }
}
