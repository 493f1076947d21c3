//! The record of a run: what the network did with every packet (docs/run-record.md).

use std::io;
use std::path::{Path, PathBuf};

use quiche_cc_bottleneck::Time;
use quiche_cc_record::{Clock, Error, Names, Provenance, Recorder, Writer};
use serde_json::json;

use crate::scenario::{LinkDecl, Scenario, Transport};
use crate::store::Key;
use crate::sweep::Plan;
use crate::version::Versions;

/// Hexadecimal digits of each of the two digests that name a run.
const DIGITS: usize = 16;

/// Where the record of a run goes, and what it says of the run.
#[derive(Debug, Clone)]
pub struct Recording {
    path: PathBuf,
    run: String,
    provenance: Provenance,
}

impl Recording {
    /// Of the run of `plan` by a program of these versions.
    ///
    /// # Errors
    /// A recording of the scenario cannot be read.
    pub fn of(plan: &Plan, versions: &Versions, path: &Path) -> io::Result<Self> {
        let key = Key::of(plan, "", versions)?;
        let run = format!("{}-{}", &key.run[..DIGITS], &key.version[..DIGITS]);
        let scenario = &plan.scenario;
        let parameters: serde_json::Map<_, _> = plan
            .parameters
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        let program = concat!("cc-lab ", env!("CARGO_PKG_VERSION"));
        let provenance = Provenance::new(Clock::Virtual, program)
            .with("run", &run)
            .with("scenario", &scenario.title)
            .with("seed", plan.seed)
            .with("cc", &plan.cc)
            .with("parameters", serde_json::Value::from(parameters))
            .with("versions", versions.to_json())
            .with(
                "links",
                json!(scenario.links.iter().map(link).collect::<Vec<_>>()),
            )
            .with("flows", flows(scenario, &plan.cc));
        Ok(Self {
            path: path.to_owned(),
            run,
            provenance,
        })
    }

    /// What names the run, in its traces and in its record.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Begins the record.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(&self, scenario: &Scenario) -> Result<Recorder<Writer>, Error> {
        let links = scenario.links.iter().map(|link| link.name.as_str());
        let flows = scenario.flows.iter().map(|flow| flow.name.as_str());
        let names = Names::new(links, flows);
        Ok(Recorder::new(Writer::create(
            &self.path,
            &self.provenance,
            names,
        )?))
    }
}

fn link(link: &LinkDecl) -> serde_json::Value {
    let config = &link.config;
    json!({
        "name": link.name,
        "private": link.private,
        "rate": config.rate.to_string(),
        "queue": config.queue.to_string(),
        "buffer": config.buffer.to_string(),
        "delay": config.delay.to_string(),
        "loss": config.loss.to_string(),
        "outages": config.outages.as_ref().map(ToString::to_string),
        "jitter": config.jitter.as_ref().map(ToString::to_string),
        "aggregate": config.aggregate.as_ref().map(ToString::to_string),
        "reorder": config.reorder.as_ref().map(ToString::to_string),
    })
}

fn flows(scenario: &Scenario, cc: &str) -> serde_json::Value {
    let names = |route: &[usize]| -> Vec<_> {
        let links = route.iter().map(|link| scenario.links[*link].name.clone());
        links.collect()
    };
    let flows = scenario.flows.iter().map(|flow| {
        json!({
            "name": flow.name,
            "cc": match &flow.transport {
                Transport::Quic(quic) => Some(quic.cc.as_deref().unwrap_or(cc)),
                Transport::Udp => None,
            },
            "start_ns": Time::as_nanos(flow.start),
            "to_client": names(&flow.route.to_client),
            "to_server": names(&flow.route.to_server),
        })
    });
    flows.collect::<Vec<_>>().into()
}
