// A caller names a variable after the function that it is set by: object_owner() leaves the name
// `owner` to it. This file is only compiled; a function that hides such a name stops the build.
#include <tern/diagnostics.hpp>
#include <tern/discovery.hpp>
#include <tern/invites.hpp>
#include <tern/ownership.hpp>
#include <tern/recording.hpp>
#include <tern/sim.hpp>
#include <tern/tern.hpp>
#include <tern/traffic.hpp>
#include <tern/untyped.hpp>

namespace tern {
namespace {

[[maybe_unused]] inline uint64_t natural_names(Session *session, ObjectId object,
                                               const Event &event, Finder *finder,
                                               SimNetwork *network, Workers *workers,
                                               std::span<const Address> addresses)
{
    const State state = session_state(session);
    const PeerId self = local_peer(session), host = host_peer(session);
    const std::span<const PeerId> peers = other_peers(session);
    const char *name = peer_name(session, host);
    const Stats stats = peer_stats(session, host);
    const SessionStats totals = session_stats(session);
    const SimStats simulated = network_stats(network);
    const Invite invite = make_invite(session, addresses);
    const InviteText text = to_text(invite);
    const TypeId type = object_type(session, object);
    const PeerId owner = object_owner(session, object);
    const uint64_t stamp = object_stamp(session, object);
    const std::span<const ObjectId> objects = object_ids(session, type);
    const void *values = object_values(session, type, 0);
    const std::span<const TrafficRow> traffic = traffic_rows(session);
    const std::span<const std::byte> recorded = take_recording(session);
    const uint64_t digest = world_digest(session);
    const Event &arguments = call_arguments<Event>(event);
    const std::span<const FoundSession> found = found_sessions(finder);
    const Parallel parallel = make_parallel(workers);
    return stamp + digest + totals.owned + simulated.sent + stats.sent_bytes + peers.size() +
           objects.size() + traffic.size() + recorded.size() + found.size() + parallel.parts +
           (values != nullptr) + (self == owner) + (state == State::open) +
           (name[0] == text.text[0]) + (arguments.call.type == type);
}

}
}
