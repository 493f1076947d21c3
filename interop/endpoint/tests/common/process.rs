//! What the kernel says of a server.

use super::Server;

/// Most that it has had in memory so far, in bytes.
pub fn peak_memory(server: &Server) -> u64 {
    of_status(server, "VmHWM:")
}

/// What it has in memory now, in bytes.
pub fn memory(server: &Server) -> u64 {
    of_status(server, "VmRSS:")
}

fn of_status(server: &Server, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = value.unwrap().trim().strip_suffix(" kB").unwrap();
    kib.parse::<u64>().unwrap() * 1024
}

/// Descriptors that it has open.
pub fn open_files(server: &Server) -> usize {
    let directory = std::fs::read_dir(format!("/proc/{}/fd", server.pid()));
    directory.unwrap().count()
}
