//! The C interface of tern as it is: the functions, structs and constants of `include/tern/*.h`,
//! whose comments are the reference. The crate `tern` is a safe layer over it.
//!
//! `tests/bindings/rust.sh` lets a C compiler compare every constant, size and offset with the
//! headers, and the names of all functions with those that the library exports.

#![allow(non_camel_case_types)]

mod constants;
mod functions;
mod types;

pub use constants::*;
pub use functions::*;
pub use types::*;
