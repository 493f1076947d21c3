//! Diverts BoringSSL's random generator, so that a run depends on its seed alone (src/randomness.rs), and takes digests of the
//! sources that decide what a run results in (src/version.rs).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use sha2::{Digest, Sha256};

/// What decides every run: the links, the simulation, what is measured, quiche as it is patched, and the versions of all libraries.
const MODEL: [&str; 5] = [
    "src",
    "../bottleneck/src",
    "../media/src",
    "../../build/quiche/src",
    "../../Cargo.lock",
];
/// What this project adds to that where one of its controllers takes part.
const CONTROLLERS: [&str; 2] = ["../../cc/src", "../../cc/foreign/src"];
/// What shows, keeps or sends results, and decides none.
const NO_PART: [&str; 8] = [
    "src/cli",
    "src/plot",
    "src/bin",
    "src/page.rs",
    "src/job.rs",
    "src/recording.rs",
    "src/store.rs",
    "src/version.rs",
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-Wl,--wrap=RAND_bytes");
    let mut model = Sha256::new();
    model.update(compiler());
    add(&mut model, &MODEL);
    let mut controllers = Sha256::new();
    add(&mut controllers, &CONTROLLERS);
    for (name, digest) in [("MODEL", model), ("CONTROLLERS", controllers)] {
        let digest: String = digest
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        println!("cargo:rustc-env=QUICHE_CC_LAB_{name}={digest}");
    }
}

/// Another compiler, or the same without its optimizations, may round another way.
fn compiler() -> Vec<u8> {
    let of = |name: &str| env::var(name).unwrap_or_default();
    let version = Command::new(of("RUSTC")).arg("-vV").output();
    let mut all = version.expect("the compiler tells its version").stdout;
    all.extend(
        ["TARGET", "OPT_LEVEL", "RUSTFLAGS"]
            .map(of)
            .join(" ")
            .bytes(),
    );
    all
}

fn add(digest: &mut Sha256, places: &[&str]) {
    for place in places {
        println!("cargo:rerun-if-changed={place}");
        let mut files = Vec::new();
        collect(Path::new(place), &mut files);
        files.sort();
        for file in files {
            let bytes = fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let name = file.to_string_lossy();
            for part in [name.as_bytes(), &bytes] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        }
    }
}

fn collect(place: &Path, files: &mut Vec<PathBuf>) {
    if NO_PART.iter().any(|other| place == Path::new(other)) {
        return;
    }
    if !place.is_dir() {
        files.push(place.to_owned());
        return;
    }
    let entries = fs::read_dir(place).unwrap_or_else(|e| panic!("{}: {e}", place.display()));
    for entry in entries {
        collect(&entry.expect("a folder can be read").path(), files);
    }
}
