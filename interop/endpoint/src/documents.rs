//! What a program prints about itself instead of doing its work.

use std::io::{self, Write};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::transport::CONGESTION_CONTROL;

/// Options for that.
#[derive(Args, Clone, Debug)]
pub struct DocumentArgs {
    /// Print the congestion controllers and their options, and exit
    #[arg(help_heading = CONGESTION_CONTROL, long)]
    pub list_cc: bool,

    /// Print the completions of this program for a shell, and exit
    #[arg(long, value_name = "SHELL")]
    pub completions: Option<Shell>,

    /// Print the manual page of this program (roff), and exit
    #[arg(long)]
    pub man: bool,
}

impl DocumentArgs {
    /// Prints what was asked for. Returns whether anything was.
    pub fn print(&self, mut command: Command) -> io::Result<bool> {
        let mut out = Vec::new();
        if self.list_cc {
            out.extend(quiche_cc::catalogue::describe().into_bytes());
        } else if let Some(shell) = self.completions {
            let name = command.get_name().to_owned();
            clap_complete::generate(shell, &mut command, name, &mut out);
        } else if self.man {
            clap_mangen::Man::new(command).render(&mut out)?;
        } else {
            return Ok(false);
        }
        io::stdout().write_all(&out)?;
        Ok(true)
    }
}
