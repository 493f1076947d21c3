//! Transport settings that server and client share.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::arguments::whole;
use crate::cc_choice::CcChoice;

/// Flow control, in bytes. quiche grows the windows with the path's BDP up to these maxima.
const MAX_STREAM_WINDOW: u64 = 32 << 20;
const MAX_CONNECTION_WINDOW: u64 = 48 << 20;

/// Requests that a peer may have open at once.
const MAX_REQUESTS: u64 = 100;

/// Unidirectional streams: control, two for QPACK, and room for those that peers grease with.
const MAX_UNIDIRECTIONAL: u64 = 16;

/// Connection ids that the peer may issue: current path, one to migrate to, and a spare each.
const CONNECTION_ID_LIMIT: u64 = 4;

/// The section of the help that says which controller is in use.
pub const CONGESTION_CONTROL: &str = "Congestion control";

/// Options of the transport.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Transport")]
pub struct TransportArgs {
    /// Congestion controller of this end, with options after a colon
    #[arg(help_heading = CONGESTION_CONTROL, display_order = 0, long, value_name = "NAME[:OPTIONS]", default_value = "cubic")]
    pub cc: CcChoice,

    /// Shared object with controllers of your own (docs/c-api.md); may be repeated
    #[arg(help_heading = CONGESTION_CONTROL, long, value_name = "FILE")]
    pub plugin: Vec<PathBuf>,

    /// Initial congestion window in packets (1 to 1000)
    #[arg(long, value_name = "PACKETS", default_value_t = 10,
          value_parser = whole::<u16>(1..=1000))]
    pub initial_window: u16,

    /// Largest UDP payload that is sent, in bytes (1200 to 9000)
    #[arg(long, value_name = "BYTES", default_value_t = 1350,
          value_parser = whole::<u16>(1200..=9000))]
    pub max_datagram_size: u16,

    /// Seconds without a packet from the peer until the connection is dropped (1 to 3600)
    #[arg(long, value_name = "SECONDS", default_value_t = 30,
          value_parser = whole::<u64>(1..=3600))]
    pub idle_timeout: u64,

    /// Number of receive timestamps to ask the peer for in each ACK; 0 is none (0 to 256)
    #[arg(long, value_name = "COUNT", default_value_t = 64,
          value_parser = whole::<u16>(0..=256))]
    pub receive_timestamps: u16,

    /// Unit of receive timestamps: 2 to the power of EXPONENT, in microseconds (0 to 20)
    #[arg(long, value_name = "EXPONENT", default_value_t = 0,
          value_parser = whole::<u8>(0..=20))]
    pub receive_timestamps_exponent: u8,

    /// Flow control window of a stream at the start, in bytes; a connection has twice as much. The
    /// default is enough for 400 Mbit/s at 80 ms (1024 to 33554432)
    #[arg(long, value_name = "BYTES", default_value_t = 4 << 20,
          value_parser = whole::<u64>(1024..=MAX_STREAM_WINDOW))]
    pub stream_window: u64,

    /// Round-trip time to assume before it is measured, in milliseconds. The handshake's first
    /// retransmission comes after three times as long (1 to 10000)
    #[arg(long, value_name = "MS", default_value_t = 333,
          value_parser = whole::<u64>(1..=10_000))]
    pub initial_rtt: u64,

    /// Send without pacing, as fast as the window allows
    #[arg(long)]
    pub no_pacing: bool,
}

impl TransportArgs {
    /// A quiche configuration with everything but certificates. `protocols` are those of ALPN.
    pub fn config(&self, protocols: &[&[u8]]) -> quiche::Result<quiche::Config> {
        let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION)?;
        self.configure(&mut config, protocols)?;
        Ok(config)
    }

    /// Sets all that these options say.
    pub fn configure(
        &self,
        config: &mut quiche::Config,
        protocols: &[&[u8]],
    ) -> quiche::Result<()> {
        self.cc.apply(config)?;
        config.set_application_protos(protocols)?;
        config.set_initial_congestion_window_packets(self.initial_window.into());
        config.set_max_send_udp_payload_size(self.max_datagram_size.into());
        config.set_max_idle_timeout(self.idle_timeout * 1000);
        config.enable_pacing(!self.no_pacing);
        config.set_max_receive_timestamps_per_ack(self.receive_timestamps.into());
        config.set_receive_timestamps_exponent(self.receive_timestamps_exponent.into());
        config.set_initial_rtt(Duration::from_millis(self.initial_rtt));
        config.set_initial_max_data(2 * self.stream_window);
        config.set_initial_max_stream_data_bidi_local(self.stream_window);
        config.set_initial_max_stream_data_bidi_remote(self.stream_window);
        config.set_initial_max_stream_data_uni(self.stream_window);
        config.set_max_stream_window(MAX_STREAM_WINDOW);
        config.set_max_connection_window(MAX_CONNECTION_WINDOW);
        config.set_initial_max_streams_bidi(MAX_REQUESTS);
        config.set_initial_max_streams_uni(MAX_UNIDIRECTIONAL);
        config.set_active_connection_id_limit(CONNECTION_ID_LIMIT);
        Ok(())
    }
}
