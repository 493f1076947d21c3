//! libquiche with the controllers inside: quiche's C API, and the functions of `include/quiche_cc.h`.
//!
//! The functions here are those of the header, where they are documented. None lets a panic through to C.

mod controllers;
mod selection;
mod text;

extern "C" fn register_at_load() {
    quiche_cc::register();
}

#[used]
#[link_section = ".init_array"]
static AT_LOAD: extern "C" fn() = register_at_load;
