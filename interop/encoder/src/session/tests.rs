//! What a viewer says of priorities, with both ends in memory: nothing is lost, and time does not matter.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;

use clap::Parser;
use quiche_cc_endpoint::cc_choice;
use quiche_cc_endpoint::connection::random_connection_id;
use quiche_cc_endpoint::tls::Credentials;

use super::*;
use crate::cli::{Cli, Command};
use crate::source::Made;
use crate::wire::{Frame, Kind};

/// Many round trips of the first window, so that one group can overtake the other.
const SIZE: u32 = 500_000;
/// Far more turns than both groups take.
const MOST_TURNS: usize = 10_000;

/// When the viewer changes its mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    BeforeTheyBegin,
    UnderWay,
}

struct Viewer {
    conn: quiche::Connection,
    http: h3::Connection,
    /// The streams of the groups 1 and 2.
    asked: [u64; 2],
    /// Streams whose responses are complete, in the order in which they became so.
    complete: Vec<u64>,
}

fn carry<F: quiche::BufFactory, G: quiche::BufFactory>(
    from: &mut quiche::Connection<F>,
    to: &mut quiche::Connection<G>,
) {
    let mut packet = [0; 1500];
    while let Ok((length, info)) = from.send(&mut packet) {
        let (from, at) = (info.from, info.to);
        let info = quiche::RecvInfo { from, to: at };
        to.recv(&mut packet[..length], info).unwrap();
    }
}

/// A viewer that has asked for two groups, equally urgent, and the session that it talks to.
fn watched() -> (Session, Viewer) {
    cc_choice::register();
    let frames = Path::new(env!("CARGO_MANIFEST_DIR")).join("frames/ladder.txt");
    let words = ["cc-encoder", "serve", "--cc", "cubic", "--frames"];
    let words = words
        .map(Into::into)
        .into_iter()
        .chain([frames.clone().into_os_string()]);
    let Command::Serve(args) = Cli::parse_from(words).command else {
        unreachable!("it says serve");
    };
    let protocols = h3::APPLICATION_PROTOCOL;
    let credentials = Credentials::self_signed().unwrap();
    let mut ours = credentials.config(|_| {}).unwrap();
    let mut theirs = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
    theirs.verify_peer(false);
    for config in [&mut ours, &mut theirs] {
        args.transport.configure(config, protocols).unwrap();
    }
    let [near, far] = [1, 2].map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let id = random_connection_id();
    let conn = quiche::accept_with_buf_factory(&id, None, far, near, &mut ours).unwrap();
    let mut session = Session::new(conn, &args, &Film::read(&frames).unwrap());
    let id = random_connection_id();
    let mut conn = quiche::connect(None, &id, near, far, &mut theirs).unwrap();
    while !(conn.is_established() && session.conn.is_established()) {
        carry(&mut conn, &mut session.conn);
        carry(&mut session.conn, &mut conn);
    }
    let config = h3::Config::new().unwrap();
    session.http = h3::Connection::with_transport(&mut session.conn, &config).ok();
    let mut http = h3::Connection::with_transport(&mut conn, &config).unwrap();
    let asked = [1, 2].map(|group| {
        let path = format!("/video/{group}");
        let head = [
            Header::new(b":method", b"GET"),
            Header::new(b":scheme", b"https"),
            Header::new(b":authority", b"localhost"),
            Header::new(b":path", path.as_bytes()),
            Header::new(b"priority", b"u=3"),
        ];
        http.send_request(&mut conn, &head, true).unwrap()
    });
    let complete = Vec::new();
    let viewer = Viewer {
        conn,
        http,
        asked,
        complete,
    };
    (session, viewer)
}

impl Viewer {
    /// Sends, lets the session work, and takes what comes.
    fn turn(&mut self, session: &mut Session) {
        carry(&mut self.conn, &mut session.conn);
        let mut http = session.http.take().unwrap();
        session.listen(&mut http);
        session.groups.write(&mut http, &mut session.conn);
        session.http = Some(http);
        carry(&mut session.conn, &mut self.conn);
        let mut sink = [0; 1 << 16];
        while let Ok((stream, event)) = self.http.poll(&mut self.conn) {
            match event {
                h3::Event::Data => {
                    while self
                        .http
                        .recv_body(&mut self.conn, stream, &mut sink)
                        .is_ok()
                    {}
                }
                h3::Event::Finished => self.complete.push(stream),
                _ => {}
            }
        }
    }

    fn prefer(&mut self, group: usize) {
        let urgent = h3::Priority::new(1, false);
        let stream = self.asked[group - 1];
        let sent = self
            .http
            .send_priority_update_for_request(&mut self.conn, stream, &urgent);
        sent.unwrap();
    }
}

fn begin(session: &mut Session, group: u64) {
    let frame = Frame {
        size: SIZE,
        number: 0,
        made: Time::ZERO,
        kind: Kind::Intra,
        rung: 0,
        queueing: None,
        target_kbps: 0,
    };
    session.groups.add(&Made {
        track: Track::Video,
        group,
        begins: true,
        ends: true,
        frame,
    });
}

/// The group that is complete first.
fn first(preferred: usize, when: When) -> usize {
    let (mut session, mut viewer) = watched();
    viewer.turn(&mut session);
    if when == When::BeforeTheyBegin {
        viewer.prefer(preferred);
        viewer.turn(&mut session);
    }
    begin(&mut session, 1);
    begin(&mut session, 2);
    viewer.turn(&mut session);
    if when == When::UnderWay {
        assert!(viewer.complete.is_empty(), "it is too late to prefer one");
        viewer.prefer(preferred);
    }
    for _ in 0..MOST_TURNS {
        viewer.turn(&mut session);
        if let [first, _] = viewer.complete[..] {
            assert_eq!(session.groups.counts.priority_updates, 1);
            return viewer
                .asked
                .iter()
                .position(|stream| *stream == first)
                .unwrap()
                + 1;
        }
    }
    panic!("complete are {:?} of {:?}", viewer.complete, viewer.asked);
}

#[test]
fn a_response_that_the_viewer_prefers_is_complete_before_the_other() {
    for when in [When::BeforeTheyBegin, When::UnderWay] {
        for preferred in [1, 2] {
            assert_eq!(first(preferred, when), preferred, "{when:?}");
        }
    }
}
