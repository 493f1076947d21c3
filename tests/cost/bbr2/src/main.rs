//! `bbr2 BUILD CERTIFICATES BYTES`: a server with BBR2 sends so many bytes, in virtual time. Prints the datagrams that the
//! server sent, those that a full buffer dropped, and the virtual seconds.

mod world;

/// What one build does. The builds have different types of the same names.
macro_rules! over {
    ($build:ident) => {
        mod $build {
            use ::$build as quiche;
            include!("transfer.rs");
        }
    };
}

over!(published);
over!(boxed);
over!(interface);
over!(series);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, build, certificates, bytes] = &arguments[..] else {
        panic!("usage: bbr2 published|boxed|interface|series CERTIFICATES BYTES");
    };
    let bytes = bytes.parse().expect("BYTES is a number");
    let (sent, dropped, nanos) = match build.as_str() {
        "published" => published::transfer(certificates, bytes),
        "boxed" => boxed::transfer(certificates, bytes),
        "interface" => interface::transfer(certificates, bytes),
        "series" => series::transfer(certificates, bytes),
        other => panic!("no build {other}"),
    };
    println!("{sent} {dropped} {:.6}", nanos as f64 / 1e9);
}
