use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use quiche_cc_endpoint::cc_choice;
use quiche_cc_endpoint::output::Patience;
use quiche_cc_endpoint::server::{Server, ServerArgs};
use quiche_cc_endpoint::{logging, plugins};

/// What readers of the log's last lines get.
const LAST_LINES: Patience = Patience {
    with_none: Duration::from_millis(500),
    in_all: Duration::from_millis(500),
};

fn main() -> ExitCode {
    if let Err(wrong) = plugins::load(std::env::args_os()) {
        ServerArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    cc_choice::register();
    let args = ServerArgs::parse();
    match args.documents.print(ServerArgs::command()) {
        Ok(false) => {}
        // Whoever reads only the beginning has seen enough.
        Ok(true) | Err(_) => return ExitCode::SUCCESS,
    }
    if let Err(wrong) = args.check() {
        ServerArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    let log = match logging::start(log::LevelFilter::Info) {
        Ok(log) => log,
        Err(_) => return ExitCode::FAILURE,
    };
    let result = Server::start(&args).and_then(Server::run);
    if let Err(e) = &result {
        log::error!("{e}");
    }
    // Nobody can be told if this fails.
    let _ = log.finish(LAST_LINES);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
