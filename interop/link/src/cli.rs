//! The command line.

mod help;

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Command, CommandFactory, Parser};
use quiche_cc_bottleneck::{
    parse_duration, Aggregate, Buffer, Jitter, LinkConfig, Loss, Outages, Overhead, Queue,
    RateModel, Reorder, Schedule,
};

use self::help::{EXAMPLE, PICTURE};
use crate::{loopback, Config};

/// Options of `cc-link`.
#[derive(Debug, Clone, Parser)]
#[command(name = "cc-link", version, about = PICTURE, after_help = EXAMPLE)]
pub struct Options {
    /// Loopback address that clients send to; port 0 chooses a free one
    #[arg(long, value_parser = loopback, required_unless_present = "self_test")]
    pub listen: Option<SocketAddr>,

    /// Loopback address of the server
    #[arg(long, value_parser = loopback, required_unless_present = "self_test")]
    pub to: Option<SocketAddr>,

    /// Rate from server to clients: 5Mbps, over time 10Mbps@0s,1Mbps@20s, trace:FILE (mahimahi), or unlimited
    #[arg(long, visible_alias = "down-rate", default_value = "unlimited")]
    pub rate: RateModel,

    /// One-way propagation delay of each direction, as in 20ms; over time 25ms@0s,50ms@30s
    #[arg(long, default_value = "0ms")]
    pub delay: Schedule<Duration>,

    /// Buffer from server to clients: 400ms, wait:400ms (at the present rate), 50p (packets), 64kB,
    /// 1bdp, unlimited
    #[arg(long, visible_alias = "down-buffer", default_value = "100ms")]
    pub buffer: Buffer,

    /// Queue from server to clients: droptail, mark:q0=32p, step:1ms, ramp, codel, pie,
    /// policer:rate=10Mbps,burst=64kB, fq_codel, dualpi2
    #[arg(long, visible_alias = "down-queue", default_value = "droptail")]
    pub queue: Queue,

    /// Random loss from server to clients: 1%, or in bursts ge:p=1%,r=25%
    #[arg(long, visible_alias = "down-loss", default_value = "0%")]
    pub loss: Loss,

    /// Jitter from server to clients: uniform:max=10ms, normal:mean=5ms,sd=2ms, wifi, retries:7ms
    #[arg(long, visible_alias = "down-jitter")]
    pub jitter: Option<Jitter>,

    /// Reordering from server to clients, as in p=1%,extra=5ms
    #[arg(long, visible_alias = "down-reorder")]
    pub reorder: Option<Reorder>,

    /// Delivery in batches from server to clients, as in interval=4ms,max=32p
    #[arg(long, visible_alias = "down-aggregate")]
    pub aggregate: Option<Aggregate>,

    /// When nothing comes through from server to clients, as in 10s..12s,30s..31s
    #[arg(long, visible_alias = "down-outages")]
    pub outages: Option<Outages>,

    /// Another one-way delay from server to clients [default: --delay]
    #[arg(long)]
    pub down_delay: Option<Schedule<Duration>>,

    /// Rate from clients to server
    #[arg(long, default_value = "unlimited")]
    pub up_rate: RateModel,

    /// Another one-way delay from clients to server [default: --delay]
    #[arg(long)]
    pub up_delay: Option<Schedule<Duration>>,

    /// Buffer from clients to server
    #[arg(long, default_value = "100ms")]
    pub up_buffer: Buffer,

    /// Queue from clients to server
    #[arg(long, default_value = "droptail")]
    pub up_queue: Queue,

    /// Random loss from clients to server
    #[arg(long, default_value = "0%")]
    pub up_loss: Loss,

    /// Jitter from clients to server
    #[arg(long)]
    pub up_jitter: Option<Jitter>,

    /// Reordering from clients to server
    #[arg(long)]
    pub up_reorder: Option<Reorder>,

    /// Delivery in batches from clients to server
    #[arg(long)]
    pub up_aggregate: Option<Aggregate>,

    /// When nothing comes through from clients to server
    #[arg(long)]
    pub up_outages: Option<Outages>,

    /// Bytes per datagram that count beyond its UDP payload: ip (28 on IPv4, 48 on IPv6) or a number
    #[arg(long, default_value = "ip")]
    pub overhead: Overhead,

    /// Seed of all that is random
    #[arg(long, default_value_t = 1, value_parser = |text: &str| whole(text, 0..=u64::MAX))]
    pub seed: u64,

    /// Write the log to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,

    /// Time between two samples in the log
    #[arg(long, default_value = "10ms", value_parser = interval)]
    pub interval: Duration,

    /// Log every packet, too
    #[arg(long, requires = "log")]
    pub log_packets: bool,

    /// Write what the links do with every packet to this file, as Parquet (docs/run-record.md)
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Stop after this time
    #[arg(long, value_parser = parse_duration)]
    pub duration: Option<Duration>,

    /// Client addresses served at the same time (1 to 16384)
    #[arg(long, default_value_t = 1024, value_parser = |text: &str| whole(text, 1..=16_384_u16))]
    pub max_flows: u16,

    /// Forget a client address after this time without a packet
    #[arg(long, default_value = "60s", value_parser = interval)]
    pub idle_timeout: Duration,

    /// Do not ask for real-time priority
    #[arg(long)]
    pub no_realtime: bool,

    /// Say nothing but the lines of JSON
    #[arg(long)]
    pub quiet: bool,

    /// Measure the accuracy on this machine (about 20 s), print a table and stop
    #[arg(long, exclusive = true)]
    pub self_test: bool,
}

/// A whole number in this range.
fn whole<T: Display + FromStr + PartialOrd>(
    text: &str,
    allowed: RangeInclusive<T>,
) -> Result<T, String> {
    let number = text.parse().ok();
    number
        .filter(|number| allowed.contains(number))
        .ok_or_else(|| {
            let (least, most) = (allowed.start(), allowed.end());
            format!("`{text}` is no whole number in the range; allowed: {least} to {most}")
        })
}

/// A span that may not be zero.
fn interval(text: &str) -> Result<Duration, String> {
    match parse_duration(text) {
        Ok(span) if span < Duration::from_millis(1) => {
            Err(format!("`{text}` is too short; allowed: 1ms or more"))
        }
        other => other.map_err(|error| error.to_string()),
    }
}

/// The command: a negative value is refused as the value that it is, and not as an unknown option.
pub fn command() -> Command {
    Options::command().mut_args(|arg| {
        let has_value =
            arg.get_action().takes_values() && arg.get_id() != "log" && arg.get_id() != "record";
        arg.allow_hyphen_values(has_value)
    })
}

/// Whether both names are those of one file.
fn are_one_file(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.metadata().map(|file| (file.dev(), file.ino())).ok();
    place(one).is_some_and(|known| place(other) == Some(known))
}

impl Options {
    /// What is wrong with the files that are named, as far as it shows before anything is written.
    pub fn unusable(&self) -> Option<String> {
        [&self.rate, &self.up_rate].into_iter().find_map(|rate| {
            if let Err(error) = rate.build() {
                return Some(error.to_string());
            }
            let RateModel::Trace(recording) = rate else {
                return None;
            };
            let written = [("log", &self.log), ("record", &self.record)].into_iter();
            written
                .filter_map(|(what, path)| Some((what, path.as_deref()?)))
                .find(|(_, path)| are_one_file(path, recording))
                .map(|(what, path)| {
                    format!(
                        "the {what} {} would overwrite the recording {}; allowed: any other name",
                        path.display(),
                        recording.display()
                    )
                })
        })
    }

    fn down(&self) -> LinkConfig {
        LinkConfig {
            rate: self.rate.clone(),
            queue: self.queue,
            buffer: self.buffer,
            outages: self.outages.clone(),
            loss: self.loss,
            delay: self.down_delay.as_ref().unwrap_or(&self.delay).clone(),
            jitter: self.jitter.clone(),
            aggregate: self.aggregate,
            reorder: self.reorder,
            ..LinkConfig::default()
        }
    }

    fn up(&self) -> LinkConfig {
        LinkConfig {
            rate: self.up_rate.clone(),
            queue: self.up_queue,
            buffer: self.up_buffer,
            outages: self.up_outages.clone(),
            loss: self.up_loss,
            delay: self.up_delay.as_ref().unwrap_or(&self.delay).clone(),
            jitter: self.up_jitter.clone(),
            aggregate: self.up_aggregate,
            reorder: self.up_reorder,
            ..LinkConfig::default()
        }
    }

    /// The relay that was asked for; `None` if `--self-test` was.
    pub fn config(&self) -> Option<Config> {
        Some(Config {
            down: self.down(),
            up: self.up(),
            overhead: self.overhead,
            seed: self.seed,
            interval: self.interval,
            log_packets: self.log_packets,
            record: self.record.clone(),
            duration: self.duration,
            max_flows: usize::from(self.max_flows),
            idle_timeout: self.idle_timeout,
            realtime: !self.no_realtime,
            ..Config::transparent(self.listen?, self.to?)
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    fn parse(options: &str) -> Result<Config, String> {
        let words = format!("cc-link --listen 127.0.0.1:0 --to 127.0.0.1:4433 {options}");
        command()
            .try_get_matches_from(words.split_whitespace())
            .and_then(|matches| Options::from_arg_matches(&matches))
            .map_err(|error| error.to_string())
            .map(|options| options.config().expect("no self-test"))
    }

    #[test]
    fn the_bottleneck_is_from_server_to_client_unless_said_otherwise() {
        let config = parse("--rate 1Mbps --delay 50ms --buffer 400ms --loss 1%").unwrap();
        assert_eq!(config.down.rate, "1Mbps".parse().unwrap());
        assert_eq!(config.down.loss, "1%".parse().unwrap());
        assert_eq!(
            (&config.up.rate, config.up.loss),
            (&RateModel::Unlimited, Loss::default())
        );
        assert_eq!(config.down.delay, config.up.delay);
        assert_eq!(config.up.delay, Duration::from_millis(50).into());
        assert_eq!(
            config.link(&config.down).base_rtt,
            Duration::from_millis(100)
        );
    }

    #[test]
    fn each_direction_can_be_set_by_itself() {
        let config = parse(
            "--down-rate 5Mbps --down-delay 10ms --up-rate 500kbps --up-delay 30ms --up-buffer 20p --up-loss 2%",
        )
        .unwrap();
        assert_eq!(config.down.rate, "5Mbps".parse().unwrap());
        assert_eq!(config.up.rate, "500kbps".parse().unwrap());
        assert_eq!(config.down.delay, Duration::from_millis(10).into());
        assert_eq!(config.up.delay, Duration::from_millis(30).into());
        assert_eq!(config.up.buffer, Buffer::Packets(20));
        assert_eq!(config.up.loss, "2%".parse().unwrap());
    }

    #[test]
    fn every_model_can_be_chosen_in_each_direction() {
        let models =
            "--queue codel --jitter wifi --reorder p=1%,extra=5ms --aggregate interval=4ms \
            --outages 10s..12s --loss ge:p=1%,r=25% --rate 10Mbps@0s,1Mbps@20s --buffer 50p";
        let down = parse(&format!("{models} --delay 25ms@0s,50ms@30s")).unwrap();
        let up_models = models.replace("--", "--up-");
        let up = parse(&format!("{up_models} --up-delay 25ms@0s,50ms@30s")).unwrap();
        assert_eq!(up.down, parse("").unwrap().down);
        assert_eq!(down.down, up.up);
        let link = down.link(&down.down);
        assert_eq!(link.base_rtt, Duration::from_millis(50));
        assert_eq!(link.queue, "codel".parse().unwrap());
        assert_eq!(link.jitter, "wifi".parse().ok());
        assert_eq!(link.reorder, "p=1%,extra=5ms".parse().ok());
        assert_eq!(link.aggregate, "interval=4ms".parse().ok());
        assert_eq!(link.outages, "10s..12s".parse().ok());
        assert_eq!(link.loss, "ge:p=1%,r=25%".parse().unwrap());
        assert_eq!(link.rate, "10Mbps@0s,1Mbps@20s".parse().unwrap());
        assert_eq!(link.delay, "25ms@0s,50ms@30s".parse().unwrap());
    }

    #[test]
    fn a_wrong_value_is_named_with_what_is_allowed() {
        for (options, message) in [
            ("--rate 5", "`5` is no valid rate; allowed: 1bps"),
            ("--rate -1Mbps", "`-1Mbps` is no valid rate; allowed: 1bps"),
            ("--delay -5ms", "`-5ms` is no valid duration; allowed: 0ms"),
            ("--delay 5", "`5` is no valid duration; allowed: 0ms"),
            ("--buffer 5", "`5` is no valid buffer size; allowed: a time"),
            ("--loss 5", "`5` is no valid loss; allowed: a probability"),
            ("--queue red", "`red` is no valid queue; allowed: droptail"),
            (
                "--up-queue mark",
                "`mark` is no valid queue; allowed: droptail",
            ),
            ("--up-loss ge:p=1%", "`ge:p=1%` is no valid loss"),
            ("--jitter 5ms", "`5ms` is no valid jitter; allowed: uniform"),
            ("--reorder 1%", "`1%` is no valid reordering; allowed: p=1%"),
            (
                "--aggregate 4ms",
                "`4ms` is no valid aggregation; allowed: interval",
            ),
            ("--outages 4s", "`4s` is no valid outage; allowed: times"),
            (
                "--delay 4ms@1s",
                "`4ms@1s` is no valid delay over time; allowed: a delay",
            ),
            ("--rate trace:", "`trace:` is no valid rate; allowed: 1bps"),
            ("--overhead x", "`x` is no valid overhead; allowed: `ip`"),
            ("--interval 0ms", "`0ms` is too short; allowed: 1ms"),
            ("--log-packets", "--log <FILE>"),
            (
                "--max-flows 0",
                "`0` is no whole number in the range; allowed: 1 to 16384",
            ),
            (
                "--max-flows -1",
                "`-1` is no whole number in the range; allowed: 1 to 16384",
            ),
            (
                "--seed x",
                "`x` is no whole number in the range; allowed: 0 to 18446744073709551615",
            ),
        ] {
            let error = parse(options).expect_err(options);
            assert!(error.contains(message), "{error}");
        }
        let outside =
            Options::try_parse_from(["cc-link", "--listen", "0.0.0.0:1", "--to", "127.0.0.1:1"]);
        assert!(outside
            .unwrap_err()
            .to_string()
            .contains("is not a loopback address"));
    }
}
