//! Diverts BoringSSL's random generator, so that a run depends on its seed alone (src/randomness.rs).

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-Wl,--wrap=RAND_bytes");
}
