//! Who is tested: every profile of every entry of the catalogue.

use std::fmt;
use std::sync::Arc;

use quiche_cc::catalogue::{Build, Entry, CATALOGUE};
use quiche_cc::controller::{Controller, Start};

use crate::Checked;

/// One entry of the catalogue in one of its profiles.
#[derive(Clone)]
pub struct Subject {
    /// The entry's name.
    pub name: &'static str,
    /// The option string that selects it.
    pub spec: String,
    build: Arc<Build>,
}

impl Subject {
    /// An entry with these options.
    ///
    /// # Panics
    ///
    /// If the entry refuses them.
    pub fn new(entry: &Entry, options: &str) -> Self {
        let spec = format!("{}:{options}", entry.name);
        let build = entry
            .configure(options)
            .unwrap_or_else(|error| panic!("{spec}: {error}"));
        Self {
            name: entry.name,
            spec,
            build,
        }
    }

    /// A controller that is in no catalogue, such as one that only listens.
    pub fn of(name: &'static str, build: Arc<Build>) -> Self {
        let spec = name.to_owned();
        Self { name, spec, build }
    }

    /// The controller of a new path, under the eyes of [`Checked`].
    pub fn controller(&self, start: Start) -> Checked {
        Checked::new(&self.spec, (self.build)(start), start)
    }

    /// The same without any check.
    pub fn unchecked(&self, start: Start) -> Box<dyn Controller> {
        (self.build)(start)
    }
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec)
    }
}

/// Every profile of every entry.
pub fn subjects() -> Vec<Subject> {
    let profiles = |entry: &'static Entry| entry.profiles.iter().map(move |name| (entry, *name));
    CATALOGUE
        .iter()
        .flat_map(profiles)
        .map(|(entry, profile)| Subject::new(entry, profile))
        .collect()
}
