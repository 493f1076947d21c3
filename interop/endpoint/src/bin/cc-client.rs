use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, Parser};
use quiche_cc_endpoint::cc_choice;
use quiche_cc_endpoint::client::{fetch_all, plan, ClientArgs};
use quiche_cc_endpoint::output::Patience;
use quiche_cc_endpoint::{logging, plugins};

/// What readers of the log's last lines get.
const LAST_LINES: Patience = Patience {
    with_none: Duration::from_secs(5),
    in_all: Duration::from_secs(60),
};

fn main() -> ExitCode {
    if let Err(wrong) = plugins::load(std::env::args_os()) {
        ClientArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    cc_choice::register();
    let args = ClientArgs::parse();
    match args.documents.print(ClientArgs::command()) {
        Ok(false) => {}
        // Whoever reads only the beginning has seen enough.
        Ok(true) | Err(_) => return ExitCode::SUCCESS,
    }
    let groups = plan(&args).unwrap_or_else(|wrong| {
        ClientArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit()
    });
    let log = match logging::start(log::LevelFilter::Warn) {
        Ok(log) => log,
        Err(_) => return ExitCode::FAILURE,
    };
    let result = fetch_all(&args, &groups);
    if let Err(e) = &result {
        log::error!("{e}");
    }
    // Nobody can be told if this fails.
    let _ = log.finish(LAST_LINES);
    match result {
        Ok(status) => ExitCode::from(status as u8),
        Err(_) => ExitCode::FAILURE,
    }
}
