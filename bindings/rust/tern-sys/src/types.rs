//! The structs of the C headers, in their order. A member `type` is `type_` here.

use crate::constants::*;
use std::os::raw::{c_char, c_void};

pub type tern_peer = u16;
pub type tern_object = u64;
pub type tern_call_id = u32;
pub type tern_type_id = u16;

#[repr(C)]
pub struct tern_session {
    _closed: [u8; 0],
}

#[repr(C)]
pub struct tern_socket {
    _closed: [u8; 0],
}

#[repr(C)]
pub struct tern_announcer {
    _closed: [u8; 0],
}

#[repr(C)]
pub struct tern_finder {
    _closed: [u8; 0],
}

// tern/types.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_address {
    pub ip: [u8; 16],
    pub port: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_invite {
    pub session: u64,
    pub key: [u8; 32],
    pub secret: [u8; 32],
    pub address_count: u8,
    pub addresses: [tern_address; TERN_INVITE_ADDRESSES_MAX],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_datagram {
    pub address: tern_address,
    pub bytes: *const c_void,
    pub size_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_field {
    pub name: *const c_char,
    pub kind: tern_field_kind,
    pub offset_bytes: u16,
    pub count: u16,
    pub min: f64,
    pub max: f64,
    pub step: f64,
    pub bound: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_type {
    pub name: *const c_char,
    pub size_bytes: u32,
    pub fields: *const tern_field,
    pub field_count: usize,
    pub objects_max: u32,
    pub orphan: tern_orphan,
    pub claim: tern_claim_policy,
    pub claim_cooldown_ms: u32,
    pub owned_max: u32,
    pub claims_per_second_max: u16,
    pub callers: tern_callers,
    pub calls_per_second_max: u16,
    pub predicted: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_parallel {
    pub for_each: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            count: u32,
            run: Option<unsafe extern "C" fn(context: *mut c_void, i: u32)>,
            context: *mut c_void,
        ),
    >,
    pub user: *mut c_void,
    pub parts: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_misuse {
    pub function: *const c_char,
    pub wrong: *const c_char,
    pub remedy: *const c_char,
    pub object: tern_object,
    pub owner: tern_peer,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_misuse_handler {
    pub handle: Option<unsafe extern "C" fn(user: *mut c_void, misuse: *const tern_misuse)>,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_crash {
    pub struct_size: u32,
    pub line: u32,
    pub file: *const c_char,
    pub text: *const c_char,
    pub frames: *const *mut c_void,
    pub frame_count: usize,
    pub function: *const c_char,
    pub message: *const c_char,
    pub session: u64,
    pub object: tern_object,
    pub local_peer: tern_peer,
    pub peer: tern_peer,
    pub tick: u32,
    pub recording: *const c_void,
    pub recording_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_crash_handler {
    pub handle: Option<unsafe extern "C" fn(user: *mut c_void, crash: *const tern_crash)>,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_allocator {
    pub allocate: Option<unsafe extern "C" fn(user: *mut c_void, size_bytes: usize) -> *mut c_void>,
    pub release: Option<unsafe extern "C" fn(user: *mut c_void, memory: *mut c_void)>,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_log {
    pub line: Option<unsafe extern "C" fn(user: *mut c_void, text: *const c_char)>,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_config {
    pub struct_size: u32,
    pub type_bytes: u32,
    pub field_bytes: u32,
    pub types: *const tern_type,
    pub type_count: usize,
    pub peers_max: u16,
    pub admission: tern_admission,
    pub misbehaviour: tern_misbehaviour,
    pub quorum: tern_quorum,
    pub topology: tern_topology,
    pub name: *const c_char,
    pub send_bytes_per_second_max: u32,
    pub bridge_bytes_per_second_max: u32,
    pub forward_bytes_per_second_max: u32,
    pub timeout_ms: u32,
    pub join_timeout_ms: u32,
    pub go_on_after_ms: u32,
    pub recording_bytes_max: u32,
    pub parallel: tern_parallel,
    pub misuse: tern_misuse_handler,
    pub allocator: tern_allocator,
    pub log: tern_log,
    pub crash: tern_crash_handler,
}

// tern/tern.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_peer_stats {
    pub struct_size: u32,
    pub rtt_us: u32,
    pub rtt_variance_us: u32,
    pub sent_datagrams: u64,
    pub sent_bytes: u64,
    pub received_datagrams: u64,
    pub received_bytes: u64,
    pub lost_datagrams: u64,
    pub breaches: [u64; TERN_BREACHES],
    pub datagram_bytes: u32,
    pub bridged: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_session_stats {
    pub struct_size: u32,
    pub bad_datagrams: u64,
    pub objects: u64,
    pub owned: u64,
    pub migrations: u64,
    pub dead_ranges: u64,
    pub forwarded_datagrams: u64,
    pub forwarded_bytes: u64,
    pub not_forwarded: u64,
    pub refused_full: u64,
    pub refused_types: u64,
    pub refused_calls: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_type_stats {
    pub struct_size: u32,
    pub sent_bits: u64,
    pub received_bits: u64,
    pub sent_messages: u64,
    pub received_messages: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_explanation {
    pub struct_size: u32,
    pub why: tern_why,
    pub refusal: tern_claim_refusal,
    pub owner: tern_peer,
    pub behind_ticks: u32,
    pub refused_us: u64,
}

// C has no names for the structs in the union of an event; these are named after its members.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_progress {
    pub objects_here: u32,
    pub objects_expected: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_newcomer {
    pub peer: tern_peer,
    pub previous: tern_peer,
    pub payload_bytes: u16,
    pub name: *const c_char,
    pub payload: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_misbehaved {
    pub peer: tern_peer,
    pub reporter: tern_peer,
    pub breach: tern_breach,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_host {
    pub peer: tern_peer,
    pub previous: tern_peer,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_object {
    pub id: tern_object,
    pub changed_fields: u64,
    pub type_: tern_type_id,
    pub owner: tern_peer,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_owner {
    pub object: tern_object,
    pub changed_fields: u64,
    pub lost_ticks: u32,
    pub type_: tern_type_id,
    pub owner: tern_peer,
    pub previous: tern_peer,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_claim {
    pub object: tern_object,
    pub type_: tern_type_id,
    pub claimer: tern_peer,
    pub refusal: tern_claim_refusal,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event_call {
    pub object: tern_object,
    pub arguments: *const c_void,
    pub id: tern_call_id,
    pub failure: tern_call_failure,
    pub argument_bytes: u16,
    pub type_: tern_type_id,
    pub peer: tern_peer,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union tern_event_of {
    pub room: [u64; 7],
    pub peer: tern_peer,
    pub progress: tern_event_progress,
    pub newcomer: tern_event_newcomer,
    pub misbehaved: tern_event_misbehaved,
    pub host: tern_event_host,
    pub object: tern_event_object,
    pub owner: tern_event_owner,
    pub claim: tern_event_claim,
    pub call: tern_event_call,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_event {
    pub kind: tern_event_kind,
    pub of: tern_event_of,
}

// tern/interest.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_viewpoint {
    pub peer: tern_peer,
    pub position: [f32; 3],
}

// tern/traffic.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_traffic_row {
    pub kind: tern_traffic_kind,
    pub type_: tern_type_id,
    pub field: u16,
    pub bits: i64,
    pub count: u64,
}

// tern/values.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_written_table {
    pub _pairs_begin: u16,
    pub _array_count: u16,
    pub _array_left: u16,
    pub _value_next: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_value_writer {
    pub _field: *mut u8,
    pub _field_bytes: usize,
    pub _size_bytes: usize,
    pub _count: usize,
    pub _depth: usize,
    pub _tables: [tern_written_table; TERN_VALUES_DEPTH_MAX],
    pub _error: tern_value_error,
    pub _room: [u64; 4],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_value {
    pub kind: tern_value_kind,
    pub boolean: bool,
    pub is_integer: bool,
    pub array_count: u16,
    pub number: f64,
    pub string: *const c_char,
    pub string_bytes: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_value_reader {
    pub _rest: *const u8,
    pub _rest_bytes: usize,
    pub _depth: usize,
    pub _begun: bool,
    pub _room: [u64; 2],
}

// tern/discovery.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_announcement {
    pub struct_size: u32,
    pub game: *const c_char,
    pub name: *const c_char,
    pub address: tern_address,
    pub open: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_found_session {
    pub game: [c_char; TERN_DISCOVERY_TEXT_MAX],
    pub name: [c_char; TERN_DISCOVERY_TEXT_MAX],
    pub players: u16,
    pub peers_max: u16,
    pub types_digest: u64,
    pub fit: tern_fit,
    pub open: bool,
    pub invite: tern_invite,
    pub last_seen_us: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct tern_finder_config {
    pub struct_size: u32,
    pub game: *const c_char,
    pub config: *const tern_config,
    pub port: u16,
}
