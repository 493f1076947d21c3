use std::process::ExitCode;

fn main() -> ExitCode {
    quiche_cc_lab::cli::main()
}
