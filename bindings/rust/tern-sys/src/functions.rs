//! The functions of the C headers, in their order.

use crate::constants::*;
use crate::types::*;
use std::os::raw::{c_char, c_void};

extern "C" {
    // tern/types.h

    // tern/tern.h
    pub fn tern_result_text(result: tern_result) -> *const c_char;
    pub fn tern_version() -> *const c_char;
    pub fn tern_config_problem(config: *const tern_config, problem: *mut c_char) -> tern_result;
    pub fn tern_session_bytes(config: *const tern_config) -> usize;
    pub fn tern_make_session(
        config: *const tern_config,
        session: *mut *mut tern_session,
    ) -> tern_result;
    pub fn tern_session_config(session: *const tern_session) -> *const tern_config;
    pub fn tern_destroy_session(session: *mut tern_session);
    pub fn tern_start(session: *mut tern_session) -> tern_result;
    pub fn tern_join(
        session: *mut tern_session,
        invite: *const tern_invite,
        payload: *const c_void,
        payload_bytes: usize,
    ) -> tern_result;
    pub fn tern_leave(session: *mut tern_session) -> tern_result;
    pub fn tern_go_on(session: *mut tern_session) -> tern_result;
    pub fn tern_session_state(session: *const tern_session) -> tern_state;
    pub fn tern_state_text(session: *const tern_session) -> *const c_char;
    pub fn tern_state_name(state: tern_state) -> *const c_char;
    pub fn tern_receive(
        session: *mut tern_session,
        datagrams: *const tern_datagram,
        count: usize,
        now_us: u64,
    ) -> tern_result;
    pub fn tern_events(session: *const tern_session, events: *mut *const tern_event) -> usize;
    pub fn tern_send(
        session: *mut tern_session,
        now_us: u64,
        datagrams: *mut *const tern_datagram,
    ) -> usize;
    pub fn tern_make_invite(
        session: *const tern_session,
        addresses: *const tern_address,
        count: usize,
        invite: *mut tern_invite,
    ) -> tern_result;
    pub fn tern_invite_text(invite: *const tern_invite, text: *mut c_char);
    pub fn tern_parse_invite(text: *const c_char, invite: *mut tern_invite) -> *const c_char;
    pub fn tern_breach_text(breach: tern_breach) -> *const c_char;
    pub fn tern_local_peer(session: *const tern_session) -> tern_peer;
    pub fn tern_host_peer(session: *const tern_session) -> tern_peer;
    pub fn tern_other_peers(session: *const tern_session, peers: *mut *const tern_peer) -> usize;
    pub fn tern_peer_name(session: *const tern_session, peer: tern_peer) -> *const c_char;
    pub fn tern_get_peer_stats(
        session: *const tern_session,
        peer: tern_peer,
        stats: *mut tern_peer_stats,
    ) -> tern_result;
    pub fn tern_get_type_stats(
        session: *const tern_session,
        type_: tern_type_id,
        stats: *mut tern_type_stats,
    ) -> tern_result;
    pub fn tern_get_session_stats(
        session: *const tern_session,
        stats: *mut tern_session_stats,
    ) -> tern_result;
    pub fn tern_session_clock_us(session: *const tern_session, now_us: u64) -> u64;
    pub fn tern_admit(session: *mut tern_session, newcomer: tern_peer) -> tern_result;
    pub fn tern_refuse(
        session: *mut tern_session,
        newcomer: tern_peer,
        reason: *const c_char,
    ) -> tern_result;
    pub fn tern_remove(session: *mut tern_session, peer: tern_peer) -> tern_result;
    pub fn tern_migrate(
        session: *mut tern_session,
        object: tern_object,
        to: tern_peer,
    ) -> tern_result;
    pub fn tern_refuse_claim(
        session: *mut tern_session,
        object: tern_object,
        claimer: tern_peer,
    ) -> tern_result;
    pub fn tern_balance(session: *mut tern_session, type_: tern_type_id) -> tern_result;
    pub fn tern_create(
        session: *mut tern_session,
        type_: tern_type_id,
        value: *const c_void,
        size_bytes: usize,
        object: *mut tern_object,
    ) -> tern_result;
    pub fn tern_creations_left(session: *const tern_session, type_: tern_type_id) -> u32;
    pub fn tern_destroy(session: *mut tern_session, object: tern_object) -> tern_result;
    pub fn tern_find_type(session: *const tern_session, fields: *const tern_field) -> tern_type_id;
    pub fn tern_exists(session: *const tern_session, object: tern_object) -> bool;
    pub fn tern_find_value(
        session: *const tern_session,
        object: tern_object,
        type_: *mut tern_type_id,
    ) -> *const c_void;
    pub fn tern_object_type(session: *const tern_session, object: tern_object) -> tern_type_id;
    pub fn tern_object_owner(session: *const tern_session, object: tern_object) -> tern_peer;
    pub fn tern_object_stamp(session: *const tern_session, object: tern_object) -> u64;
    pub fn tern_get(
        session: *const tern_session,
        object: tern_object,
        size_bytes: usize,
    ) -> *const c_void;
    pub fn tern_set(
        session: *mut tern_session,
        object: tern_object,
        value: *const c_void,
        size_bytes: usize,
    ) -> tern_result;
    pub fn tern_may_set(session: *const tern_session, object: tern_object) -> bool;
    pub fn tern_sample(
        session: *const tern_session,
        object: tern_object,
        at_us: u64,
        value: *mut c_void,
        size_bytes: usize,
    ) -> tern_result;
    pub fn tern_object_ids(
        session: *const tern_session,
        type_: tern_type_id,
        objects: *mut *const tern_object,
    ) -> usize;
    pub fn tern_object_values(
        session: *const tern_session,
        type_: tern_type_id,
        size_bytes: usize,
    ) -> *const c_void;
    pub fn tern_claim(
        session: *mut tern_session,
        object: tern_object,
        mode: tern_claim_mode,
    ) -> tern_result;
    pub fn tern_is_claiming(session: *const tern_session, object: tern_object) -> bool;
    pub fn tern_release_ownership(session: *mut tern_session, object: tern_object) -> tern_result;
    pub fn tern_lock(session: *mut tern_session, object: tern_object, locked: bool) -> tern_result;
    pub fn tern_world_digest(session: *const tern_session) -> u64;
    pub fn tern_claim_refusal_text(refusal: tern_claim_refusal) -> *const c_char;
    pub fn tern_why_text(why: tern_why) -> *const c_char;
    pub fn tern_object_text(object: tern_object, text: *mut c_char);
    pub fn tern_explain(
        session: *const tern_session,
        object: tern_object,
        peer: tern_peer,
        explanation: *mut tern_explanation,
    ) -> tern_result;
    pub fn tern_call(
        session: *mut tern_session,
        to: tern_peer,
        type_: tern_type_id,
        arguments: *const c_void,
        size_bytes: usize,
        reliability: tern_reliability,
    ) -> tern_result;
    pub fn tern_call_owner(
        session: *mut tern_session,
        object: tern_object,
        type_: tern_type_id,
        arguments: *const c_void,
        size_bytes: usize,
        call: *mut tern_call_id,
    ) -> tern_result;
    pub fn tern_request(
        session: *mut tern_session,
        to: tern_peer,
        type_: tern_type_id,
        arguments: *const c_void,
        size_bytes: usize,
        timeout_ms: u32,
        call: *mut tern_call_id,
    ) -> tern_result;
    pub fn tern_request_owner(
        session: *mut tern_session,
        object: tern_object,
        type_: tern_type_id,
        arguments: *const c_void,
        size_bytes: usize,
        timeout_ms: u32,
        call: *mut tern_call_id,
    ) -> tern_result;
    pub fn tern_reply(
        session: *mut tern_session,
        caller: tern_peer,
        call: tern_call_id,
        type_: tern_type_id,
        arguments: *const c_void,
        size_bytes: usize,
    ) -> tern_result;
    pub fn tern_event_kind_text(kind: tern_event_kind) -> *const c_char;
    pub fn tern_call_failure_text(failure: tern_call_failure) -> *const c_char;
    pub fn tern_make_udp_socket(
        port: u16,
        ipv6: bool,
        socket: *mut *mut tern_socket,
    ) -> tern_result;
    pub fn tern_destroy_socket(socket: *mut tern_socket);
    pub fn tern_socket_receive(
        socket: *mut tern_socket,
        datagrams: *mut *const tern_datagram,
    ) -> usize;
    pub fn tern_socket_send(
        socket: *mut tern_socket,
        datagrams: *const tern_datagram,
        count: usize,
    );
    pub fn tern_socket_port(socket: *const tern_socket) -> u16;
    pub fn tern_parse_address(text: *const c_char, address: *mut tern_address) -> tern_result;
    pub fn tern_address_text(address: *const tern_address, text: *mut c_char);
    pub fn tern_loopback(port: u16, ipv6: bool) -> tern_address;
    pub fn tern_local_addresses(port: u16, addresses: *mut tern_address, count: usize) -> usize;
    pub fn tern_clock_us() -> u64;
    pub fn tern_sleep_us(duration_us: u64);

    // tern/many.h
    pub fn tern_create_many(
        session: *mut tern_session,
        type_: tern_type_id,
        values: *const c_void,
        values_bytes: usize,
        created: *mut tern_object,
        count: usize,
    ) -> usize;
    pub fn tern_set_many(
        session: *mut tern_session,
        type_: tern_type_id,
        objects: *const tern_object,
        count: usize,
        values: *const c_void,
        values_bytes: usize,
    ) -> usize;
    pub fn tern_get_many(
        session: *const tern_session,
        type_: tern_type_id,
        objects: *const tern_object,
        count: usize,
        values: *mut c_void,
        values_bytes: usize,
    ) -> usize;
    pub fn tern_destroy_many(
        session: *mut tern_session,
        objects: *const tern_object,
        count: usize,
    ) -> usize;
    pub fn tern_claim_many(
        session: *mut tern_session,
        objects: *const tern_object,
        count: usize,
        mode: tern_claim_mode,
    ) -> usize;
    pub fn tern_changed_objects(
        session: *const tern_session,
        type_: tern_type_id,
        objects: *mut tern_object,
        count: usize,
    ) -> usize;

    // tern/interest.h
    pub fn tern_set_priority(
        session: *mut tern_session,
        object: tern_object,
        peer: tern_peer,
        priority: f32,
    ) -> tern_result;
    pub fn tern_is_hidden(session: *const tern_session, object: tern_object) -> bool;
    pub fn tern_set_interest(
        session: *mut tern_session,
        type_: tern_type_id,
        position: u16,
        viewpoints: *const tern_viewpoint,
        count: usize,
        near_distance: f32,
        far_distance: f32,
    ) -> tern_result;

    // tern/recording.h
    pub fn tern_take_recording(session: *mut tern_session, bytes: *mut *const c_void) -> usize;

    // tern/traffic.h
    pub fn tern_traffic_kind_text(kind: tern_traffic_kind) -> *const c_char;
    pub fn tern_traffic_rows(
        session: *const tern_session,
        rows: *mut *const tern_traffic_row,
    ) -> usize;

    // tern/values.h
    pub fn tern_value_error_text(error: tern_value_error) -> *const c_char;
    pub fn tern_write_value(writer: *mut tern_value_writer, field: *mut u8, field_bytes: usize);
    pub fn tern_put_nil(writer: *mut tern_value_writer);
    pub fn tern_put_boolean(writer: *mut tern_value_writer, boolean: bool);
    pub fn tern_put_number(writer: *mut tern_value_writer, number: f64);
    pub fn tern_put_integer(writer: *mut tern_value_writer, integer: i64);
    pub fn tern_put_string(
        writer: *mut tern_value_writer,
        string: *const c_char,
        size_bytes: usize,
    );
    pub fn tern_begin_table(writer: *mut tern_value_writer, array_count: usize);
    pub fn tern_end_table(writer: *mut tern_value_writer);
    pub fn tern_writer_error(writer: *const tern_value_writer) -> tern_value_error;
    pub fn tern_finish_value(writer: *mut tern_value_writer) -> tern_value_error;
    pub fn tern_read_value(reader: *mut tern_value_reader, field: *const u8, field_bytes: usize);
    pub fn tern_next_value(
        reader: *mut tern_value_reader,
        value: *mut tern_value,
    ) -> tern_value_kind;

    // tern/discovery.h
    pub fn tern_make_discovery_socket(port: u16, socket: *mut *mut tern_socket) -> tern_result;
    pub fn tern_make_announcer(
        announcement: *const tern_announcement,
        announcer: *mut *mut tern_announcer,
    ) -> tern_result;
    pub fn tern_destroy_announcer(announcer: *mut tern_announcer);
    pub fn tern_announce(
        announcer: *mut tern_announcer,
        session: *const tern_session,
        datagrams: *const tern_datagram,
        count: usize,
        now_us: u64,
        answers: *mut *const tern_datagram,
    ) -> usize;
    pub fn tern_announcer_bad_datagrams(announcer: *const tern_announcer) -> u64;
    pub fn tern_fit_text(fit: tern_fit) -> *const c_char;
    pub fn tern_make_finder(
        config: *const tern_finder_config,
        finder: *mut *mut tern_finder,
    ) -> tern_result;
    pub fn tern_destroy_finder(finder: *mut tern_finder);
    pub fn tern_find(
        finder: *mut tern_finder,
        datagrams: *const tern_datagram,
        count: usize,
        now_us: u64,
        queries: *mut *const tern_datagram,
    ) -> usize;
    pub fn tern_found_sessions(
        finder: *const tern_finder,
        sessions: *mut *const tern_found_session,
    ) -> usize;
    pub fn tern_finder_bad_datagrams(finder: *const tern_finder) -> u64;

}
