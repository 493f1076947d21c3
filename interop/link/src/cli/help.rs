//! The words around the options in the help. clap leaves their lines as they are, so none is wider
//! than a terminal of 80 columns.

pub const PICTURE: &str = "\
A bottleneck in real time: relays UDP between loopback addresses.

             up: --up-rate --delay --up-buffer --up-queue --up-loss ...
  client --> [--listen] ---------------------------------> [--to] server
         <--            <---------------------------------
             down: --rate --delay --buffer --queue --loss ...

Downloads go down, so --rate, --buffer, --queue, --loss and so on shape what
the server sends. What clients send is only delayed unless an --up option says
otherwise. docs/bottleneck.md describes the models.";

pub const EXAMPLE: &str = "\
Example, 1 Mbit/s, 100 ms round trip, 400 ms buffer:
  cc-link --listen 127.0.0.1:5000 --to 127.0.0.1:4433 \\
      --rate 1Mbps --delay 50ms --buffer 400ms --log link.jsonl

A line of JSON on standard output says when it is ready and on which address;
another one sums up at the end. SIGINT and SIGTERM end it, with a complete log.

Exit codes: 0 ended, with a complete log; 1 the system refused something, or
the log took nothing for 5 s at the end; 2 wrong usage.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_a_terminal() {
        for line in PICTURE.lines().chain(EXAMPLE.lines()) {
            assert!(line.chars().count() < 80, "{line}");
        }
    }
}
