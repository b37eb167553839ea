//! Prints the layout of every struct, for `tests/bindings/rust.sh`: lines of a struct, a member or
//! nothing, the offset of the member, and the size.

#![allow(non_camel_case_types)]

use std::mem::{size_of, MaybeUninit};
use std::ptr::addr_of;
use tern_sys::*;

fn size_of_target<T>(_: *const T) -> usize {
    size_of::<T>()
}

// Structs in the union of an event have no name in C: `as` gives their place in tern_event.
macro_rules! layout {
    ($type:ident: $($member:ident),*) => {
        println!("{} - 0 {}", stringify!($type), size_of::<$type>());
        layout!(@members $type, stringify!($type), "", 0, $($member),*);
    };
    ($type:ident as tern_event.of $(.$part:ident)?: $($member:ident),*) => {
        let path = concat!("of.", $(stringify!($part), ".",)?);
        let before = size_of::<tern_event>() - size_of::<tern_event_of>();
        layout!(@members $type, "tern_event", path, before, $($member),*);
    };
    (@members $type:ident, $name:expr, $path:expr, $before:expr, $($member:ident),*) => {
        let uninit = MaybeUninit::<$type>::uninit();
        let begin = uninit.as_ptr();
        $(
            // SAFETY: The pointer is to memory of that type; nothing reads it.
            let at = unsafe { addr_of!((*begin).$member) };
            let offset = at as usize - begin as usize + $before;
            let member = stringify!($member).trim_end_matches('_');
            println!("{} {}{} {} {}", $name, $path, member, offset, size_of_target(at));
        )*
    };
}

#[rustfmt::skip] // It would give each member a line of its own.
fn main() {
    layout!(tern_address: ip, port);
    layout!(tern_invite: session, key, secret, address_count, addresses);
    layout!(tern_datagram: address, bytes, size_bytes);
    layout!(tern_field: name, kind, offset_bytes, count, min, max, step, bound);
    layout!(tern_type: name, size_bytes, fields, field_count, objects_max, orphan, claim,
        claim_cooldown_ms, owned_max, claims_per_second_max, callers, calls_per_second_max,
        predicted);
    layout!(tern_parallel: for_each, user, parts);
    layout!(tern_misuse: function, wrong, remedy, object, owner);
    layout!(tern_misuse_handler: handle, user);
    layout!(tern_crash: struct_size, line, file, text, frames, frame_count, function, message,
        session, object, local_peer, peer, tick, recording, recording_bytes);
    layout!(tern_crash_handler: handle, user);
    layout!(tern_allocator: allocate, release, user);
    layout!(tern_log: line, user);
    layout!(tern_config: struct_size, type_bytes, field_bytes, types, type_count, peers_max,
        admission, misbehaviour, quorum, topology, name, send_bytes_per_second_max,
        bridge_bytes_per_second_max, forward_bytes_per_second_max, timeout_ms, join_timeout_ms,
        go_on_after_ms, recording_bytes_max, parallel, misuse, allocator, log, crash);
    layout!(tern_peer_stats: struct_size, rtt_us, rtt_variance_us, sent_datagrams, sent_bytes,
        received_datagrams, received_bytes, lost_datagrams, breaches, datagram_bytes, bridged);
    layout!(tern_session_stats: struct_size, bad_datagrams, objects, owned, migrations, dead_ranges,
        forwarded_datagrams, forwarded_bytes, not_forwarded, refused_full, refused_types,
        refused_calls);
    layout!(tern_type_stats: struct_size, sent_bits, received_bits, sent_messages,
        received_messages);
    layout!(tern_explanation: struct_size, why, refusal, owner, behind_ticks, refused_us);
    layout!(tern_event_progress as tern_event.of.progress: objects_here, objects_expected);
    layout!(tern_event_newcomer as tern_event.of.newcomer: peer, previous, payload_bytes, name,
        payload);
    layout!(tern_event_misbehaved as tern_event.of.misbehaved: peer, reporter, breach);
    layout!(tern_event_host as tern_event.of.host: peer, previous);
    layout!(tern_event_object as tern_event.of.object: id, changed_fields, type_, owner);
    layout!(tern_event_owner as tern_event.of.owner: object, changed_fields, lost_ticks, type_,
        owner, previous);
    layout!(tern_event_claim as tern_event.of.claim: object, type_, claimer, refusal);
    layout!(tern_event_call as tern_event.of.call: object, arguments, id, failure, argument_bytes,
        type_, peer);
    layout!(tern_event_of as tern_event.of: room, peer, progress, newcomer, misbehaved, host,
        object, owner, claim, call);
    layout!(tern_event: kind, of);
    layout!(tern_viewpoint: peer, position);
    layout!(tern_traffic_row: kind, type_, field, bits, count);
    layout!(tern_written_table: _pairs_begin, _array_count, _array_left, _value_next);
    layout!(tern_value_writer: _field, _field_bytes, _size_bytes, _count, _depth, _tables, _error,
        _room);
    layout!(tern_value: kind, boolean, is_integer, array_count, number, string, string_bytes);
    layout!(tern_value_reader: _rest, _rest_bytes, _depth, _begun, _room);
    layout!(tern_announcement: struct_size, game, name, address, open);
    layout!(tern_found_session: game, name, players, peers_max, types_digest, fit, open, invite,
        last_seen_us);
    layout!(tern_finder_config: struct_size, game, config, port);
}
