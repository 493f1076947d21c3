//! The command line of `cc-lab`.

mod claims;
mod compare;
mod measure;
mod missing;
mod page;
mod progress;
mod run;
mod shard;
mod values;
mod warnings;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use self::claims::ClaimsArgs;
pub use self::compare::CompareArgs;
pub use self::page::PageArgs;
pub use self::run::RunArgs;
pub use self::shard::ShardArgs;
use crate::neighbour;
use crate::version::Versions;

/// Whole quiche connections over simulated networks, in virtual time.
///
/// Exit codes: 0 all is well; 1 a run failed, or a result could not be written;
/// 2 wrong usage, or a scenario that cannot be used.
#[derive(Debug, Parser)]
#[command(name = "cc-lab", version, verbatim_doc_comment)]
pub struct Cli {
    /// Shared object with controllers of your own (docs/c-api.md); may be repeated
    #[arg(long, value_name = "FILE", global = true)]
    plugin: Vec<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(RunArgs),
    Compare(CompareArgs),
    /// Check claims, of papers or of our own, and write the report
    Claims(ClaimsArgs),
    Shard(ShardArgs),
    Page(PageArgs),
    /// Print digests of what decides results: model and controllers, as JSON
    Versions,
    /// Print the congestion controllers and their options
    Controllers,
}

/// What the program ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Success = 0,
    /// Something went wrong while running.
    Failed = 1,
    /// What was asked for is not possible.
    Usage = 2,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status as u8)
    }
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    warnings::show();
    for file in &cli.plugin {
        // SAFETY: to run its code is what the user asks for.
        if let Err(wrong) = unsafe { quiche_cc_foreign::load(file) } {
            eprintln!("cc-lab: --plugin {wrong}");
            return Status::Usage.into();
        }
    }
    if let Err(wrong) = neighbour::register() {
        eprintln!("cc-lab: --plugin: {wrong}");
        return Status::Usage.into();
    }
    match cli.command {
        Command::Run(args) => run::run(&args, &cli.plugin).into(),
        Command::Compare(args) => compare::run(&args, &cli.plugin).into(),
        Command::Claims(args) => claims::run(&args, &cli.plugin).into(),
        Command::Shard(args) => shard::run(&args, &cli.plugin).into(),
        Command::Page(args) => page::run(&args).into(),
        Command::Versions => versions(&cli.plugin).into(),
        Command::Controllers => {
            print!("{}", quiche_cc::catalogue::describe());
            ExitCode::SUCCESS
        }
    }
}

fn versions(plugins: &[PathBuf]) -> Status {
    match Versions::of_this_program(plugins) {
        Ok(versions) => {
            println!("{}", versions.to_json());
            Status::Success
        }
        Err(error) => {
            eprintln!("error: a plugin cannot be read: {error}");
            Status::Failed
        }
    }
}
