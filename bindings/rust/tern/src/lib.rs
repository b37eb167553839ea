//! tern replicates game objects between peers over encrypted UDP, and lets any object change its
//! owner while the game runs. This crate is a thin, safe layer over the C interface in `tern_sys`.
//! `docs/use/rust.md` shows a whole game.
//!
//! Ticks allocate nothing but what the game asks for: texts, payloads, the ids of other peers,
//! and the texts of misuses.

mod calls;
mod config;
mod enums;
mod error;
mod event;
mod ids;
mod list;
mod net;
mod objects;
mod session;
mod text;
mod types;

pub use config::{Config, Log};
pub use enums::{
    Admission, Breach, CallFailure, Callers, ClaimMode, ClaimPolicy, ClaimRefusal, Misbehaviour,
    Orphan, Quorum, Reliability, State, Topology,
};
pub use error::{Error, ErrorKind, Result};
pub use event::{Call, Claim, Event, Events, Newcomer, ObjectChange, OwnerChange};
pub use ids::{Any, CallId, ObjectId, PeerId};
pub use list::List;
pub use net::{Address, Datagram, Invite, UdpSocket};
pub use session::Session;
pub use text::Text;
pub use types::{
    Element, Field, FieldOptions, FieldType, Quaternion, Type, TypeOptions, TypeTable,
};

/// The version of the library.
pub fn version() -> std::borrow::Cow<'static, str> {
    // SAFETY: The text is a constant.
    unsafe { error::static_text(tern_sys::tern_version()) }
}

/// A monotonic clock, in microseconds.
pub fn clock_us() -> u64 {
    // SAFETY: The function takes nothing.
    unsafe { tern_sys::tern_clock_us() }
}
