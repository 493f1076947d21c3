//! Where rows come from.

/// What tells the file from other Parquet files.
pub const FORMAT: &str = "quiche-cc run record";
/// Of the format. A column or a key more leaves it as it is; one that goes or means something else raises it.
pub const VERSION: u32 = 1;

/// Whose time the times are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// A simulation's: network and hosts show the same time.
    Virtual,
    /// The machine's: a packet reaches the network some time after its sender believes that it has sent it.
    Real,
}

impl Clock {
    const fn name(self) -> &'static str {
        match self {
            Self::Virtual => "virtual",
            Self::Real => "real",
        }
    }
}

/// What a record says of its run, beside the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    clock: Clock,
    program: String,
    others: Vec<(String, String)>,
}

impl Provenance {
    /// Of a run of `program`, its name and version.
    pub fn new(clock: Clock, program: &str) -> Self {
        Self {
            clock,
            program: program.to_owned(),
            others: Vec::new(),
        }
    }

    /// And this. docs/run-record.md lists the keys.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.others.push((key.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn entries(&self) -> Vec<(String, String)> {
        let own = [
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_string()),
            ("program", self.program.clone()),
            ("clock", self.clock.name().to_owned()),
        ];
        let own = own.map(|(key, value)| (key.to_owned(), value));
        own.into_iter().chain(self.others.clone()).collect()
    }
}
