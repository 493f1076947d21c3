use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use quiche_cc_endpoint::cc_choice;
use quiche_cc_endpoint::client::{fetch_all, plan, ClientArgs};
use quiche_cc_endpoint::{logging, plugins};

fn main() -> ExitCode {
    if let Err(wrong) = plugins::load(std::env::args_os()) {
        ClientArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit();
    }
    cc_choice::register();
    let args = ClientArgs::parse();
    if args.list_cc {
        print!("{}", quiche_cc::catalogue::describe());
        return ExitCode::SUCCESS;
    }
    let groups = plan(&args).unwrap_or_else(|wrong| {
        ClientArgs::command()
            .error(clap::error::ErrorKind::ValueValidation, wrong)
            .exit()
    });
    logging::start(log::LevelFilter::Warn);
    match fetch_all(&args, &groups) {
        Ok(status) => ExitCode::from(status as u8),
        Err(e) => {
            log::error!("{e}");
            ExitCode::FAILURE
        }
    }
}
