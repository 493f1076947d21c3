//! What a run's result depends on besides its scenario: digests of the sources that decide it, taken when the lab was built.
//!
//! A run of quiche's own controllers depends on the model alone, so that its result outlives a change of ours. A run in which one of
//! ours takes part depends on all of them: what they share is not told apart.

use std::io;
use std::path::PathBuf;

use boring::sha::Sha256;
use quiche_cc::catalogue::BUILT_IN;

use crate::scenario::Transport;
use crate::sweep::Plan;

/// Of links, simulation, measurement, quiche, libraries and compiler.
const MODEL: &str = env!("QUICHE_CC_LAB_MODEL");
/// Of this project's controllers and what adapts them to quiche.
const CONTROLLERS: &str = env!("QUICHE_CC_LAB_CONTROLLERS");

/// The versions of what this program simulates and of the controllers that it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    model: String,
    controllers: String,
}

impl Versions {
    /// Of this program, which loaded these `plugins`.
    ///
    /// # Errors
    /// A plugin cannot be read.
    pub fn of_this_program(plugins: &[PathBuf]) -> io::Result<Self> {
        let mut controllers = Sha256::new();
        controllers.update(CONTROLLERS.as_bytes());
        for plugin in plugins {
            controllers.update(&std::fs::read(plugin)?);
        }
        Ok(Self::new(MODEL, &hex(&controllers.finish())))
    }

    /// These.
    pub fn new(model: &str, controllers: &str) -> Self {
        Self {
            model: model.to_owned(),
            controllers: controllers.to_owned(),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let (model, controllers) = (&self.model, &self.controllers);
        serde_json::json!({ "model": model, "controllers": controllers }).to_string()
    }

    /// A digest of those that decide this run.
    pub fn of(&self, plan: &Plan) -> String {
        let mut digest = Sha256::new();
        digest.update(self.model.as_bytes());
        if !controllers(plan).all(is_of_quiche) {
            digest.update(self.controllers.as_bytes());
        }
        hex(&digest.finish())
    }
}

/// Those that take part.
fn controllers(plan: &Plan) -> impl Iterator<Item = &str> {
    let flows = plan.scenario.flows.iter();
    let fixed = flows.filter_map(|flow| match &flow.transport {
        Transport::Quic(quic) => quic.cc.as_deref(),
        Transport::Udp => None,
    });
    fixed.chain([plan.cc.as_str()])
}

fn is_of_quiche(cc: &str) -> bool {
    BUILT_IN.contains(&cc)
}

/// The digest in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::scenario::{self, Overrides};

    fn plan(cc: &str, neighbour: &str) -> Plan {
        let flow = "path = [\"b\"]\nrtt = \"20ms\"\ntraffic = { kind = \"unlimited\" }\n";
        let text = format!(
            "title = \"x\"\nduration = \"6s\"\n[[link]]\nname = \"b\"\nrate = \"4Mbps\"\n\
             [[flow]]\nname = \"main\"\n{flow}[[flow]]\nname = \"other\"\ncc = \"{neighbour}\"\n{flow}"
        );
        Plan {
            name: cc.to_owned(),
            scenario: scenario::parse(&text, "test", Path::new(""), &Overrides::default()).unwrap(),
            text: text.clone(),
            cc: cc.to_owned(),
            seed: 1,
            parameters: Vec::new(),
        }
    }

    #[test]
    fn a_change_of_a_controller_is_one_for_the_runs_in_which_ours_take_part() {
        let (before, after) = (Versions::new("model", "one"), Versions::new("model", "two"));
        let same = |plan: &Plan| before.of(plan) == after.of(plan);
        assert!(same(&plan("cubic", "bbr2")));
        assert!(!same(&plan("hybrid", "cubic")));
        assert!(!same(&plan("cubic", "hybrid")));
        assert!(!same(&plan("smallq:paper", "reno")));
    }

    #[test]
    fn a_change_of_the_model_is_one_for_all_runs() {
        let (before, after) = (Versions::new("one", "same"), Versions::new("two", "same"));
        for plan in [plan("cubic", "bbr2"), plan("hybrid", "cubic")] {
            assert_ne!(before.of(&plan), after.of(&plan));
        }
    }

    #[test]
    fn this_program_knows_its_sources() {
        assert_eq!([MODEL.len(), CONTROLLERS.len()], [64, 64]);
        assert_ne!(MODEL, CONTROLLERS);
        let of_this = Versions::of_this_program(&[]).unwrap();
        let missing = Versions::of_this_program(&[PathBuf::from("/no/such/plugin")]);
        assert!(missing.is_err());
        assert_ne!(
            of_this.of(&plan("hybrid", "reno")),
            of_this.of(&plan("cubic", "reno"))
        );
    }
}
