// The structs of types.hpp lie in memory as those of tern.h do, member by member.
#pragma once
#include "tern/diagnostics.hpp"
#include "tern/handlers.hpp"
#include "tern/interest.hpp"
#include "tern/limits.hpp"
#include "tern/tern.hpp"
#include "tern/traffic.hpp"

namespace tern::alike {

#define TERN_ALIKE(Cpp, cpp_member, C, c_member)                                                   \
    static_assert(offsetof(Cpp, cpp_member) == offsetof(C, c_member) &&                            \
                  sizeof(Cpp::cpp_member) == sizeof(C::c_member))
#define TERN_ALIKE_MEMBER(Cpp, C, member) TERN_ALIKE(Cpp, member, C, member)

TERN_ALIKE_MEMBER(Address, tern_address, ip);
TERN_ALIKE_MEMBER(Address, tern_address, port);
TERN_ALIKE_MEMBER(Invite, tern_invite, session);
TERN_ALIKE_MEMBER(Invite, tern_invite, key);
TERN_ALIKE_MEMBER(Invite, tern_invite, secret);
TERN_ALIKE_MEMBER(Invite, tern_invite, address_count);
TERN_ALIKE_MEMBER(Invite, tern_invite, addresses);
TERN_ALIKE_MEMBER(Field, tern_field, name);
TERN_ALIKE_MEMBER(Field, tern_field, kind);
TERN_ALIKE_MEMBER(Field, tern_field, offset_bytes);
TERN_ALIKE_MEMBER(Field, tern_field, count);
TERN_ALIKE_MEMBER(Field, tern_field, min);
TERN_ALIKE_MEMBER(Field, tern_field, max);
TERN_ALIKE_MEMBER(Field, tern_field, step);
TERN_ALIKE_MEMBER(Field, tern_field, bound);
TERN_ALIKE_MEMBER(Type, tern_type, name);
TERN_ALIKE_MEMBER(Type, tern_type, size_bytes);
TERN_ALIKE_MEMBER(Type, tern_type, objects_max);
TERN_ALIKE_MEMBER(Type, tern_type, orphan);
TERN_ALIKE_MEMBER(Type, tern_type, claim);
TERN_ALIKE_MEMBER(Type, tern_type, claim_cooldown_ms);
TERN_ALIKE_MEMBER(Type, tern_type, owned_max);
TERN_ALIKE_MEMBER(Type, tern_type, claims_per_second_max);
TERN_ALIKE_MEMBER(Type, tern_type, callers);
TERN_ALIKE_MEMBER(Type, tern_type, calls_per_second_max);
TERN_ALIKE_MEMBER(Type, tern_type, predicted);
TERN_ALIKE_MEMBER(Parallel, tern_parallel, for_each);
TERN_ALIKE_MEMBER(Parallel, tern_parallel, user);
TERN_ALIKE_MEMBER(Parallel, tern_parallel, parts);
TERN_ALIKE_MEMBER(Misuse, tern_misuse, function);
TERN_ALIKE_MEMBER(Misuse, tern_misuse, wrong);
TERN_ALIKE_MEMBER(Misuse, tern_misuse, remedy);
TERN_ALIKE_MEMBER(Misuse, tern_misuse, object);
TERN_ALIKE_MEMBER(Misuse, tern_misuse, owner);
TERN_ALIKE_MEMBER(MisuseHandler, tern_misuse_handler, handle);
TERN_ALIKE_MEMBER(MisuseHandler, tern_misuse_handler, user);
TERN_ALIKE_MEMBER(Crash, tern_crash, struct_size);
TERN_ALIKE_MEMBER(Crash, tern_crash, line);
TERN_ALIKE_MEMBER(Crash, tern_crash, file);
TERN_ALIKE_MEMBER(Crash, tern_crash, text);
TERN_ALIKE_MEMBER(Crash, tern_crash, function);
TERN_ALIKE_MEMBER(Crash, tern_crash, message);
TERN_ALIKE_MEMBER(Crash, tern_crash, session);
TERN_ALIKE_MEMBER(Crash, tern_crash, object);
TERN_ALIKE_MEMBER(Crash, tern_crash, local_peer);
TERN_ALIKE_MEMBER(Crash, tern_crash, peer);
TERN_ALIKE_MEMBER(Crash, tern_crash, tick);
TERN_ALIKE_MEMBER(CrashHandler, tern_crash_handler, handle);
TERN_ALIKE_MEMBER(CrashHandler, tern_crash_handler, user);
TERN_ALIKE_MEMBER(Allocator, tern_allocator, allocate);
TERN_ALIKE_MEMBER(Allocator, tern_allocator, release);
TERN_ALIKE_MEMBER(Allocator, tern_allocator, user);
TERN_ALIKE_MEMBER(Log, tern_log, line);
TERN_ALIKE_MEMBER(Log, tern_log, user);
TERN_ALIKE_MEMBER(Config, tern_config, struct_size);
TERN_ALIKE_MEMBER(Config, tern_config, type_bytes);
TERN_ALIKE_MEMBER(Config, tern_config, field_bytes);
TERN_ALIKE_MEMBER(Config, tern_config, peers_max);
TERN_ALIKE_MEMBER(Config, tern_config, admission);
TERN_ALIKE_MEMBER(Config, tern_config, misbehaviour);
TERN_ALIKE_MEMBER(Config, tern_config, quorum);
TERN_ALIKE_MEMBER(Config, tern_config, topology);
TERN_ALIKE_MEMBER(Config, tern_config, name);
TERN_ALIKE_MEMBER(Config, tern_config, send_bytes_per_second_max);
TERN_ALIKE_MEMBER(Config, tern_config, bridge_bytes_per_second_max);
TERN_ALIKE_MEMBER(Config, tern_config, forward_bytes_per_second_max);
TERN_ALIKE_MEMBER(Config, tern_config, timeout_ms);
TERN_ALIKE_MEMBER(Config, tern_config, join_timeout_ms);
TERN_ALIKE_MEMBER(Config, tern_config, go_on_after_ms);
TERN_ALIKE_MEMBER(Config, tern_config, recording_bytes_max);
TERN_ALIKE_MEMBER(Config, tern_config, parallel);
TERN_ALIKE_MEMBER(Config, tern_config, misuse);
TERN_ALIKE_MEMBER(Config, tern_config, allocator);
TERN_ALIKE_MEMBER(Config, tern_config, log);
TERN_ALIKE_MEMBER(Config, tern_config, crash);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, struct_size);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, why);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, refusal);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, owner);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, behind_ticks);
TERN_ALIKE_MEMBER(Explanation, tern_explanation, refused_us);
TERN_ALIKE_MEMBER(Viewpoint, tern_viewpoint, peer);
TERN_ALIKE_MEMBER(Viewpoint, tern_viewpoint, position);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, struct_size);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, rtt_us);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, rtt_variance_us);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, sent_datagrams);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, sent_bytes);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, received_datagrams);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, received_bytes);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, lost_datagrams);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, breaches);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, datagram_bytes);
TERN_ALIKE_MEMBER(Stats, tern_peer_stats, bridged);
TERN_ALIKE_MEMBER(TypeStats, tern_type_stats, struct_size);
TERN_ALIKE_MEMBER(TypeStats, tern_type_stats, sent_bits);
TERN_ALIKE_MEMBER(TypeStats, tern_type_stats, received_bits);
TERN_ALIKE_MEMBER(TypeStats, tern_type_stats, sent_messages);
TERN_ALIKE_MEMBER(TypeStats, tern_type_stats, received_messages);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, struct_size);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, bad_datagrams);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, objects);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, owned);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, migrations);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, dead_ranges);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, forwarded_datagrams);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, forwarded_bytes);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, not_forwarded);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, refused_full);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, refused_types);
TERN_ALIKE_MEMBER(SessionStats, tern_session_stats, refused_calls);
TERN_ALIKE_MEMBER(TrafficRow, tern_traffic_row, kind);
TERN_ALIKE_MEMBER(TrafficRow, tern_traffic_row, type);
TERN_ALIKE_MEMBER(TrafficRow, tern_traffic_row, field);
TERN_ALIKE_MEMBER(TrafficRow, tern_traffic_row, bits);
TERN_ALIKE_MEMBER(TrafficRow, tern_traffic_row, count);

// A span is a pointer and a count.
static_assert(sizeof(std::span<const std::byte>) == sizeof(void *) + sizeof(size_t));
static_assert(offsetof(Datagram, address) == offsetof(tern_datagram, address));
static_assert(offsetof(Datagram, bytes) == offsetof(tern_datagram, bytes));
static_assert(offsetof(Type, fields) == offsetof(tern_type, fields));
static_assert(offsetof(tern_type, field_count) == offsetof(tern_type, fields) + sizeof(void *));
static_assert(offsetof(Config, types) == offsetof(tern_config, types));
static_assert(offsetof(tern_config, type_count) == offsetof(tern_config, types) + sizeof(void *));
static_assert(offsetof(Crash, frames) == offsetof(tern_crash, frames));
static_assert(offsetof(tern_crash, frame_count) == offsetof(tern_crash, frames) + sizeof(void *));
static_assert(offsetof(Crash, recording) == offsetof(tern_crash, recording));
static_assert(offsetof(tern_crash, recording_bytes) ==
              offsetof(tern_crash, recording) + sizeof(void *));

// The last enumerators of both sides; their order is the same.
static_assert(TERN_VALUES == static_cast<unsigned>(FieldKind::values));
static_assert(TERN_ORPHAN_HOLD == static_cast<unsigned>(Orphan::hold));
static_assert(TERN_CLAIM_POLICY_NEVER == static_cast<unsigned>(ClaimPolicy::never));
static_assert(TERN_CALLERS_OWNER == static_cast<unsigned>(Callers::owner));
static_assert(TERN_STAR == static_cast<unsigned>(Topology::star));
static_assert(TERN_QUORUM_SURVIVORS == static_cast<unsigned>(Quorum::survivors));
static_assert(TERN_STATE_OVERFLOW == static_cast<unsigned>(State::overflow));
static_assert(TERN_BREACH_EQUIVOCATED == static_cast<unsigned>(Breach::equivocated));
static_assert(TERN_BREACHES == breach_kinds && TERN_TRAFFIC_KINDS == traffic_kinds);
static_assert(TERN_WHY_CLAIM_REFUSED == static_cast<unsigned>(Why::claim_refused));
static_assert(TERN_ADMIT_ASK_GAME == static_cast<unsigned>(Admission::ask_game));
static_assert(TERN_MISBEHAVIOUR_ASK_GAME == static_cast<unsigned>(Misbehaviour::ask_game));
static_assert(TERN_EVENT_CALL_FAILED == static_cast<unsigned>(EventKind::call_failed));
static_assert(TERN_REFUSAL_QUOTA == static_cast<unsigned>(ClaimRefusal::quota));
static_assert(TERN_FAILURE_NO_REPLY == static_cast<unsigned>(CallFailure::no_reply));
static_assert(TERN_CLAIM_OPTIMISTIC == static_cast<unsigned>(ClaimMode::optimistic));
static_assert(TERN_INVITE_TEXT_MAX == invite_text_max);
static_assert(TERN_OBJECT_TEXT_MAX == object_text_max);

static_assert(offsetof(tern_event, kind) == offsetof(Event, kind));
// The member of an event lies at the same place and has the same size on both sides.
#define TERN_ALIKE_EVENT(member)                                                                   \
    static_assert(offsetof(tern_event, of.member) == offsetof(Event, member) &&                    \
                  sizeof(tern_event::of.member) == sizeof(Event::member))
TERN_ALIKE_EVENT(peer);
TERN_ALIKE_EVENT(progress);
TERN_ALIKE_EVENT(progress.objects_here);
TERN_ALIKE_EVENT(progress.objects_expected);
TERN_ALIKE_EVENT(newcomer);
TERN_ALIKE_EVENT(newcomer.peer);
TERN_ALIKE_EVENT(newcomer.previous);
TERN_ALIKE_EVENT(newcomer.payload_bytes);
TERN_ALIKE_EVENT(newcomer.name);
TERN_ALIKE_EVENT(newcomer.payload);
TERN_ALIKE_EVENT(misbehaved);
TERN_ALIKE_EVENT(misbehaved.peer);
TERN_ALIKE_EVENT(misbehaved.reporter);
TERN_ALIKE_EVENT(misbehaved.breach);
TERN_ALIKE_EVENT(host);
TERN_ALIKE_EVENT(host.peer);
TERN_ALIKE_EVENT(host.previous);
TERN_ALIKE_EVENT(object);
TERN_ALIKE_EVENT(object.id);
TERN_ALIKE_EVENT(object.changed_fields);
TERN_ALIKE_EVENT(object.type);
TERN_ALIKE_EVENT(object.owner);
TERN_ALIKE_EVENT(owner);
TERN_ALIKE_EVENT(owner.object);
TERN_ALIKE_EVENT(owner.changed_fields);
TERN_ALIKE_EVENT(owner.lost_ticks);
TERN_ALIKE_EVENT(owner.type);
TERN_ALIKE_EVENT(owner.owner);
TERN_ALIKE_EVENT(owner.previous);
TERN_ALIKE_EVENT(claim);
TERN_ALIKE_EVENT(claim.object);
TERN_ALIKE_EVENT(claim.type);
TERN_ALIKE_EVENT(claim.claimer);
TERN_ALIKE_EVENT(claim.refusal);
TERN_ALIKE_EVENT(call);
TERN_ALIKE_EVENT(call.object);
TERN_ALIKE_EVENT(call.arguments);
TERN_ALIKE_EVENT(call.id);
TERN_ALIKE_EVENT(call.failure);
TERN_ALIKE_EVENT(call.argument_bytes);
TERN_ALIKE_EVENT(call.type);
TERN_ALIKE_EVENT(call.peer);

#undef TERN_ALIKE_EVENT
#undef TERN_ALIKE
#undef TERN_ALIKE_MEMBER

}
