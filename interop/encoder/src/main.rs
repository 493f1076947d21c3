//! Live video over HTTP/3 whose encoder follows the estimate of its connection.
//!
//! ```text
//!  film ─► source ─► groups ─► session ─► serve   ...   receive ─► asked ─► seen ─► view
//!  sizes   frames    streams   one viewer  socket       socket     streams   delays  terminal
//! ```
//!
//! [`wire`] is what is on a stream, [`priority`] how urgent it is, [`clock`] the time that both ends share.

mod asked;
mod cli;
mod clock;
mod film;
mod groups;
mod priority;
mod receive;
mod seen;
mod serve;
mod session;
mod source;
mod view;
mod wire;

use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use quiche_cc_endpoint::output::Patience;
use quiche_cc_endpoint::{cc_choice, logging, plugins};

use crate::cli::{Cli, Command};
use crate::film::Film;

/// What readers of the log's last lines get.
const LAST_LINES: Patience = Patience {
    with_none: Duration::from_millis(500),
    in_all: Duration::from_millis(500),
};

fn main() -> ExitCode {
    if let Err(wrong) = plugins::load(std::env::args_os()) {
        refuse(wrong);
    }
    cc_choice::register();
    let command = Cli::parse().command;
    let ended = logging::start(log::LevelFilter::Warn).and_then(|log| {
        let ended = match command {
            Command::Serve(args) => {
                let film = Film::read(&args.frames).unwrap_or_else(|wrong| refuse(wrong));
                serve::serve(&args, film)
            }
            Command::Receive(args) => receive::receive(&args),
        };
        // Nobody can be told if this fails.
        let _ = log.finish(LAST_LINES);
        ended
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(wrong) => {
            eprintln!("cc-encoder: {wrong}");
            ExitCode::FAILURE
        }
    }
}

/// Wrong usage.
fn refuse(wrong: String) -> ! {
    let kind = clap::error::ErrorKind::ValueValidation;
    Cli::command().error(kind, wrong).exit()
}
