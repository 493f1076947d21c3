//! Several loops, each in a thread of its own, that share limits, keys and records.

use std::io;
use std::net::SocketAddr;
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
        let count = args.workers as usize;
        let sites = (0..count).map(|worker| Site::new(args, commons.clone(), worker));
        let mut sites = sites.collect::<io::Result<Vec<_>>>()?.into_iter();
        let mut sockets = bind(&args.listen, &commons, count)?.into_iter();
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
        let mut sockets = vec![self.first.run()?];
        let mut result = Ok(());
        for other in others {
            match other.join() {
                Ok(Ok(idle)) => sockets.push(idle),
                Ok(Err(e)) => result = Err(e),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        drop(sockets);
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
    let name = format!("worker {}", worker.number());
    thread::Builder::new().name(name).spawn(move || {
        let alarm = Alarm;
        let sockets = worker.run()?;
        std::mem::forget(alarm);
        Ok(sockets)
    })
}

/// Stops the whole server when a worker ends before its time: its part of the clients has none.
struct Alarm;

impl Drop for Alarm {
    fn drop(&mut self) {
        log::error!("a worker has failed; the server stops");
        // A signal that cannot be raised leaves nothing else to do.
        let _ = signal_hook::low_level::raise(signal_hook::consts::SIGTERM);
    }
}
