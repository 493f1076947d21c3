//! Which worker a datagram belongs to: a function of the connection id that it is for.
//!
//! The kernel computes it and hands the datagram to the socket of that worker; the worker gives its
//! connections only ids of which it is the value. So packets find their worker wherever they come from,
//! which a choice by addresses, the kernel's own, would not do after a rebinding or a migration. First
//! packets go where the client's random id leads. The idea is that of draft-ietf-quic-load-balancers:
//! the id says where a packet belongs, and a key keeps others from reading that in it. The key is no
//! cryptography; what it hides is which ids have the same worker.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use nix::libc::{self, sock_filter, sock_fprog};
use quiche::ConnectionId;

use crate::connection::{random_connection_id, random_number};

/// The function.
#[derive(Clone, Copy, Debug)]
pub struct Steering {
    workers: u32,
    keys: [u32; 2],
}

/// Bytes of an id that count.
const WIDTH: usize = 4;

/// Where an id begins (RFC 8999, sections 5.1 and 5.2): after the first byte, or after that, the version
/// and its own length.
const SHORT: u32 = 1;
const LONG: u32 = 6;

impl Steering {
    /// Between so many workers, and in a way that nobody knows.
    pub fn new(workers: u32) -> Self {
        // Odd ones lose nothing when multiplied by.
        let keys = [(); 2].map(|()| random_number() as u32 | 1);
        Self { workers, keys }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers as usize
    }

    /// Whose the id is. An id that is too short for that is anybody's.
    fn worker_of(&self, id: &[u8]) -> Option<usize> {
        let mut word = u32::from_be_bytes(*id.first_chunk::<WIDTH>()?);
        for key in self.keys {
            word = word.wrapping_mul(key);
            word ^= word >> 16;
        }
        Some((word % self.workers) as usize)
    }

    /// The same as a program for the kernel, which gives it the payload of the datagram. Reading
    /// beyond its end is worker 0.
    fn program(&self) -> Vec<sock_filter> {
        let step = |code: u32, k| sock_filter {
            code: code as u16,
            jt: 0,
            jf: 0,
            k,
        };
        let load = |width, at| step(libc::BPF_LD | libc::BPF_ABS | width, at);
        let alu = |operation, k| step(libc::BPF_ALU | operation, k);
        let mut program = vec![
            load(libc::BPF_B, 0),
            sock_filter {
                jf: 2,
                ..step(libc::BPF_JMP | libc::BPF_JSET, 0x80)
            },
            load(libc::BPF_W, LONG),
            step(libc::BPF_JMP | libc::BPF_JA, 1),
            load(libc::BPF_W, SHORT),
        ];
        for key in self.keys {
            program.extend([
                alu(libc::BPF_MUL, key),
                step(libc::BPF_MISC | libc::BPF_TAX, 0),
                alu(libc::BPF_RSH, 16),
                alu(libc::BPF_XOR | libc::BPF_X, 0),
            ]);
        }
        program.push(alu(libc::BPF_MOD, self.workers));
        program.push(step(libc::BPF_RET | libc::BPF_A, 0));
        program
    }

    /// Makes the kernel divide among the sockets of the group that this one belongs to: worker 0 has
    /// the one that was bound first, and so on.
    pub fn attach(&self, socket: &impl AsFd) -> io::Result<()> {
        let mut program = self.program();
        let program = sock_fprog {
            len: program.len() as u16,
            filter: program.as_mut_ptr(),
        };
        // SAFETY: the option takes a `sock_fprog`, whose instructions live until the end of the call,
        // which copies them.
        let result = unsafe {
            libc::setsockopt(
                socket.as_fd().as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_ATTACH_REUSEPORT_CBPF,
                (&raw const program).cast(),
                size_of::<sock_fprog>() as libc::socklen_t,
            )
        };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

/// The connection ids of one worker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ids {
    /// None if there is one worker only, whose all ids are.
    divided: Option<(Steering, usize)>,
}

impl Ids {
    /// Of this worker.
    pub fn new(steering: Option<Steering>, worker: usize) -> Self {
        Self {
            divided: steering.map(|steering| (steering, worker)),
        }
    }

    /// A fresh one that nobody can guess.
    pub fn fresh(&self) -> ConnectionId<'static> {
        loop {
            let id = random_connection_id();
            if self.are_mine(&id) {
                return id;
            }
        }
    }

    /// Whether packets for this id belong to this worker.
    pub fn are_mine(&self, id: &[u8]) -> bool {
        self.divided
            .is_none_or(|(steering, worker)| steering.worker_of(id).is_none_or(|of| of == worker))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::CONNECTION_ID_LENGTH;

    #[test]
    fn ids_are_spread_over_all_workers_whatever_they_have_in_common() {
        const WORKERS: u32 = 3;
        const ALL: usize = 3000;
        let steering = Steering::new(WORKERS);
        for fixed in [0, 1, 2] {
            let mut counts = [0; WORKERS as usize];
            for number in 0..ALL as u16 {
                let mut id = [7; CONNECTION_ID_LENGTH];
                id[fixed..fixed + 2].copy_from_slice(&number.to_be_bytes());
                counts[steering.worker_of(&id).unwrap()] += 1;
            }
            let fair = ALL / WORKERS as usize;
            assert!(
                counts
                    .iter()
                    .all(|count| (fair / 2..fair * 2).contains(count)),
                "{counts:?} with {steering:?}"
            );
        }
    }

    #[test]
    fn fresh_ids_are_the_workers_own_and_no_others() {
        let steering = Steering::new(4);
        let all = [0, 1, 2, 3].map(|worker| Ids::new(Some(steering), worker));
        for (worker, ids) in all.iter().enumerate() {
            for _ in 0..100 {
                let id = ids.fresh();
                let mine: Vec<bool> = all.iter().map(|ids| ids.are_mine(&id)).collect();
                assert_eq!(
                    mine.iter().position(|mine| *mine),
                    Some(worker),
                    "{steering:?}"
                );
                assert_eq!(mine.iter().filter(|mine| **mine).count(), 1, "{steering:?}");
            }
        }
        assert!(
            all.iter().all(|ids| ids.are_mine(&[1, 2, 3])),
            "too short to say"
        );
    }
}
