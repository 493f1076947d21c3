//! Makes runs, several at a time.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Once};

use quiche_cc_bottleneck::Time;

use super::Plan;
use crate::record::Record;
use crate::recording::Recording;
use crate::simulation::{self, RunConfig, RunError};

/// Why a run has no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It could not begin.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What came out of it could not be written.
    #[error("{path} cannot be written: {error}")]
    Output {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// There is nothing to tell about it.
    #[error("nothing arrived after the warm-up")]
    NothingArrived,
    /// A bug in what was run, with its message.
    #[error("panicked: {0}")]
    Panic(String),
}

/// What a run writes while it is made.
#[derive(Debug, Default)]
pub struct Writes {
    /// Where the servers' traces go, if anywhere.
    pub qlog: Option<PathBuf>,
    /// Where the record of packets goes, if anywhere.
    pub recording: Option<Recording>,
}

/// What happens while runs are made. Runs have the numbers of their places in the list.
#[derive(Debug)]
pub enum Event<T> {
    /// A run has begun.
    Begun(usize),
    /// A run has reached this virtual time.
    Reached(usize, Time),
    /// A run is over.
    Over(usize, Result<T, Failure>),
}

/// Runs all of `plans`, at most `jobs` at a time, and gives each record to `digest` on the thread that made it. `watch` is
/// called on this thread, with the real clock. A run that fails or panics leaves the others alone.
///
/// `writes` says what else a run writes.
pub fn execute<T: Send>(
    plans: &[Plan],
    jobs: usize,
    writes: &(dyn Fn(&Plan) -> Result<Writes, Failure> + Sync),
    digest: &(dyn Fn(&Plan, &Record) -> Result<T, Failure> + Sync),
    mut watch: impl FnMut(Event<T>),
) {
    note_panics();
    let next = AtomicUsize::new(0);
    let (events, seen) = mpsc::sync_channel(1024);
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, plans.len().max(1)) {
            let (next, events) = (&next, events.clone());
            scope.spawn(move || loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(plan) = plans.get(number) else {
                    return;
                };
                // The receiver outlives this thread.
                let _ = events.send(Event::Begun(number));
                let mut progress = |at| {
                    // A watcher that lags behind misses something.
                    let _ = events.try_send(Event::Reached(number, at));
                };
                let run = || one(plan, &writes(plan)?, digest, &mut progress);
                let result = guarded(run);
                let _ = events.send(Event::Over(number, result));
            });
        }
        drop(events);
        seen.iter().for_each(&mut watch);
    });
}

fn one<T>(
    plan: &Plan,
    writes: &Writes,
    digest: &dyn Fn(&Plan, &Record) -> Result<T, Failure>,
    progress: &mut dyn FnMut(Time),
) -> Result<T, Failure> {
    let mut config = RunConfig {
        cc: &plan.cc,
        seed: plan.seed,
        qlog: writes.qlog.as_deref(),
        recording: writes.recording.as_ref(),
        progress,
    };
    let record = simulation::run(&plan.scenario, &mut config)?;
    digest(plan, &record)
}

thread_local! {
    /// Whether panics of this thread are noted, and the last one.
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics of runs become their results, with the place where they happened, instead of text on standard error.
fn note_panics() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let noted = NOTED.with(|noted| {
                let mut noted = noted.borrow_mut();
                let message = noted.as_mut()?;
                let place = info.location().map(|at| format!(" ({at})"));
                *message = format!("{}{}", text(info.payload()), place.unwrap_or_default());
                Some(())
            });
            if noted.is_none() {
                before(info);
            }
        }));
    });
}

fn guarded<T>(run: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    NOTED.set(Some(String::new()));
    // Whatever a run has left half-done is dropped with it.
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    let message = NOTED.take().unwrap_or_default();
    result.unwrap_or(Err(Failure::Panic(message)))
}

fn text(payload: &dyn Any) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}
