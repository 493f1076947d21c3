use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use quiche_cc_endpoint::cc_choice;
use quiche_cc_endpoint::server::{Server, ServerArgs};
use quiche_cc_endpoint::{logging, plugins};

fn main() -> ExitCode {
    if let Err(wrong) = plugins::load(std::env::args_os()) {
        ServerArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    cc_choice::register();
    let args = ServerArgs::parse();
    if args.list_cc {
        print!("{}", quiche_cc::catalogue::describe());
        return ExitCode::SUCCESS;
    }
    if let Err(wrong) = args.check() {
        ServerArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    logging::start(log::LevelFilter::Info);
    match Server::start(&args).and_then(Server::run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            log::error!("{e}");
            ExitCode::FAILURE
        }
    }
}
