//! Several loops, each in a thread of its own, that share limits, keys and records.

use std::io;
use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::thread::{self, JoinHandle};

use super::cli::ServerArgs;
use super::commons::Commons;
use super::lead::Lead;
use super::run::Worker;
use super::site::Site;
use crate::signals::{Bell, Signals};
use crate::socket::UdpEndpoint;

/// The server: its first worker, which runs in the thread that runs the server, and the others.
pub struct Server {
    first: Worker,
    others: Vec<Worker>,
    commons: Commons,
}

impl Server {
    /// Binds the sockets and loads all that is needed. Until then a signal ends the process.
    pub fn start(args: &ServerArgs) -> io::Result<Self> {
        let commons = Commons::new(args)?;
        if let Some(lowered) = args.lowered_retry() {
            log::warn!("{lowered}");
        }
        let count = args.workers as usize;
        let sites = (0..count).map(|worker| Site::new(args, commons.clone(), worker));
        let mut sites = sites.collect::<io::Result<Vec<_>>>()?.into_iter();
        let mut sockets = bind(&args.listen, &commons, count)?.into_iter();
        // A server that cannot start leaves the certificate of the one that holds the address.
        if let Some(path) = &args.save_cert {
            commons.loaded().credentials.save(path)?;
        }
        let (bells, rung): (Vec<Bell>, Vec<Signals>) = (1..count)
            .map(|_| Bell::new())
            .collect::<io::Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let mut next = || sites.next().zip(sockets.next()).expect("one for each");
        let first = Worker::new(next(), Signals::to_reload()?, Some(Lead::new(bells)))?;
        let others = rung.into_iter().map(|rung| Worker::new(next(), rung, None));
        Ok(Self {
            first,
            others: others.collect::<io::Result<_>>()?,
            commons,
        })
    }

    /// Serves until a signal arrives and all is wound up.
    pub fn run(self) -> io::Result<()> {
        let others = self.others.into_iter().map(spawn);
        let others = others.collect::<io::Result<Vec<_>>>()?;
        // The kernel numbers the sockets of a group, so none may be closed before all are idle.
        let first = see_out(self.first.number(), || self.first.run());
        let others = others.into_iter().map(|other| {
            let panicked = |_| Err(io::Error::other("a worker has panicked"));
            other.join().unwrap_or_else(panicked)
        });
        let ended: Vec<io::Result<_>> = [first].into_iter().chain(others).collect();
        let result = ended.into_iter().collect::<io::Result<Vec<_>>>();
        let result = result.map(drop);
        self.commons.finish();
        result
    }
}

/// For each worker its sockets, one for each address.
fn bind(
    addresses: &[SocketAddr],
    commons: &Commons,
    count: usize,
) -> io::Result<Vec<Vec<UdpEndpoint>>> {
    let mut all: Vec<Vec<UdpEndpoint>> = (0..count).map(|_| Vec::new()).collect();
    for address in addresses {
        let bound = match &commons.steering {
            None => UdpEndpoint::bind(*address).map(|socket| vec![socket]),
            Some(steering) => UdpEndpoint::bind_group(*address, steering),
        };
        let bound = bound
            .map_err(|e| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}")))?;
        for (sockets, socket) in all.iter_mut().zip(bound) {
            sockets.push(socket);
        }
    }
    Ok(all)
}

fn spawn(worker: Worker) -> io::Result<JoinHandle<io::Result<Vec<UdpEndpoint>>>> {
    let number = worker.number();
    let name = format!("worker {number}");
    thread::Builder::new()
        .name(name)
        .spawn(move || see_out(number, || worker.run()))
}

/// Runs a worker. If it fails or panics, the whole server stops: its part of the clients has nobody.
fn see_out<T>(number: usize, run: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    // Nothing of the worker is used afterwards, and what it shares with others has no invariants that
    // a panic between two of its steps could break.
    let ended = panic::catch_unwind(AssertUnwindSafe(run));
    let ended =
        ended.unwrap_or_else(|_| Err(io::Error::other(format!("worker {number} panicked"))));
    if let Err(e) = &ended {
        log::error!("worker {number} has failed, and the server stops: {e}");
        // A signal that cannot be raised leaves nothing else to do.
        let _ = signal_hook::low_level::raise(signal_hook::consts::SIGTERM);
    }
    ended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_a_worker_stops_the_others_and_is_an_error() {
        let stop = Signals::to_stop().unwrap();
        let ended = see_out(1, || -> io::Result<()> { panic!("on purpose") });
        assert_eq!(ended.unwrap_err().to_string(), "worker 1 panicked");
        assert_eq!(stop.take(), 1);
        see_out(1, || Err::<(), _>(io::Error::other("a failure"))).unwrap_err();
        assert_eq!(stop.take(), 1);
        see_out(1, || Ok(())).unwrap();
        assert_eq!(stop.take(), 0);
    }
}
