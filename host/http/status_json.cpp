#include "host/http/http.h"
#include <nlohmann/json.hpp>
#include <numeric>

namespace dedicated {

namespace {

using Json = nlohmann::ordered_json;

const char *spelled(ChangeKind kind)
{
    switch (kind) {
    case ChangeKind::created: return "created";
    case ChangeKind::moved: return "moved";
    case ChangeKind::destroyed: return "destroyed";
    }
    return "unknown";
}

// Creator and serial, such as "2.7".
std::string object_text(uint64_t object)
{
    return std::to_string(object >> 32) + "." + std::to_string(object & 0xffffffff);
}

Json peer_json(const PeerStatus &peer)
{
    return {{"id", peer.id},
            {"name", peer.name},
            {"self", peer.is_self},
            {"host", peer.is_host},
            {"owned", peer.owned},
            {"joined_us", peer.joined_us},
            {"rtt_us", peer.stats.rtt_us},
            {"rtt_variance_us", peer.stats.rtt_variance_us},
            {"sent_datagrams", peer.stats.sent_datagrams},
            {"sent_bytes", peer.stats.sent_bytes},
            {"received_datagrams", peer.stats.received_datagrams},
            {"received_bytes", peer.stats.received_bytes},
            {"lost_datagrams", peer.stats.lost_datagrams},
            {"breaches", breach_count(peer.stats)},
            {"datagram_bytes", peer.stats.datagram_bytes},
            {"bridged", peer.stats.bridged}};
}

Json type_json(const TypeStatus &type)
{
    return {{"name", type.name},
            {"objects", type.objects},
            {"sent_bits", type.stats.sent_bits},
            {"received_bits", type.stats.received_bits},
            {"sent_messages", type.stats.sent_messages},
            {"received_messages", type.stats.received_messages}};
}

Json change_json(const OwnershipChange &change)
{
    return {{"at_us", change.at_us},
            {"kind", spelled(change.kind)},
            {"object", object_text(change.object)},
            {"type", change.type},
            {"from", change.from},
            {"to", change.to}};
}

Json sample_json(const Sample &sample)
{
    return {{"at_us", sample.at_us},
            {"sent_bytes", sample.sent_bytes},
            {"received_bytes", sample.received_bytes},
            {"sent_datagrams", sample.sent_datagrams},
            {"lost_datagrams", sample.lost_datagrams},
            {"rtt_us_median", sample.rtt_us_median},
            {"rtt_us_max", sample.rtt_us_max},
            {"peers", sample.peers},
            {"objects", sample.objects},
            {"migrations", sample.migrations},
            {"type_sent_bits", sample.type_sent_bits},
            {"type_received_bits", sample.type_received_bits}};
}

Json stats_json(const RoomStatus &room)
{
    return {{"objects", room.stats.objects},
            {"owned", room.stats.owned},
            {"migrations", room.stats.migrations},
            {"dead_ranges", room.stats.dead_ranges},
            {"bad_datagrams", room.stats.bad_datagrams},
            {"forwarded_datagrams", room.stats.forwarded_datagrams},
            {"forwarded_bytes", room.stats.forwarded_bytes},
            {"not_forwarded", room.stats.not_forwarded},
            {"sent_datagrams", room.traffic.sent_datagrams},
            {"sent_bytes", room.traffic.sent_bytes},
            {"received_datagrams", room.traffic.received_datagrams},
            {"received_bytes", room.traffic.received_bytes},
            {"lost_datagrams", room.traffic.lost_datagrams},
            {"misbehaved",
             std::accumulate(room.misbehaved.begin(), room.misbehaved.end(), uint64_t{0})},
            {"joined", room.joined},
            {"left", room.left},
            {"refused", room.refused}};
}

// 16 hexadecimal digits, because many JSON readers keep only 53 bits of a number.
std::string digest_text(uint64_t digest)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    return text;
}

Json room_json(const RoomStatus &room, const StatusParts &parts)
{
    Json out = {{"name", room.name},           {"topology", room.topology},
                {"state", room.state},         {"state_text", room.state_text},
                {"port", room.port},           {"takes_newcomers", room.takes_newcomers},
                {"draining", room.draining},   {"self", room.self},
                {"host", room.host},           {"peers_max", room.peers_max},
                {"opened_us", room.opened_us}, {"digest", digest_text(room.digest)},
                {"recording", room.recording}, {"recording_bytes", room.recording_bytes}};
    if (!room.script.path.empty())
        out["script"] = {{"path", room.script.path},
                         {"frozen", room.script.frozen},
                         {"error", room.script.error},
                         {"errors", room.script.errors},
                         {"reloads", room.script.reloads},
                         {"refused_reloads", room.script.refused_reloads},
                         {"memory_bytes", room.script.memory_bytes}};
    if (parts.invites) out["invite"] = room.invite;
    out["stats"] = stats_json(room);
    for (const char *list : {"peers", "types", "changes", "samples"})
        out[list] = Json::array();
    for (const PeerStatus &peer : room.peers)
        out["peers"].push_back(peer_json(peer));
    for (const TypeStatus &type : room.types)
        out["types"].push_back(type_json(type));
    for (const OwnershipChange &change : room.changes)
        if (change.at_us > parts.since_us) out["changes"].push_back(change_json(change));
    for (const Sample &sample : room.samples)
        if (sample.at_us > parts.since_us) out["samples"].push_back(sample_json(sample));
    return out;
}

Json ticks_json(const TickStatus &ticks)
{
    return {
        {"hz", ticks.hz},         {"count", ticks.count},        {"overruns", ticks.overruns},
        {"sum_us", ticks.sum_us}, {"bounds_us", tick_bounds_us}, {"histogram", ticks.histogram}};
}

}

std::string status_json(const HostStatus &status, const StatusParts &parts)
{
    Json out = {{"version", status.version},
                {"name", status.name},
                {"now_us", status.now_us},
                {"started_unix_s", status.started_unix_s},
                {"cpu_us", status.cpu_us},
                {"resident_bytes", status.resident_bytes},
                {"ready", status.ready},
                {"draining", status.draining},
                {"drain_left_ms", status.drain_left_ms},
                {"ticks", ticks_json(status.ticks)},
                {"rooms", Json::array()}};
    for (const RoomStatus &room : status.rooms)
        out["rooms"].push_back(room_json(room, parts));
    // Names come from the wire and may be any bytes.
    return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}
