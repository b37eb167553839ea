//! The C interface of tern as it is: the functions, structs and constants of `include/tern/*.h`,
//! whose comments are the reference. The crate `tern` is a safe layer over it.
//!
//! `tests/bindings/rust.sh` compares the names of all constants and functions with those in the
//! headers, and lets a C compiler compare every value, size, offset, parameter and result.

#![allow(non_camel_case_types)]

mod constants;
mod functions;
mod types;

pub use constants::*;
pub use functions::*;
pub use types::*;
