//! The name by which programs find the shared library: quiche's own, so that they find ours in its place.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // As quiche's build script has it: the major version of quiche.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libquiche.so.0");
    }
}
