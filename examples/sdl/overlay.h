// A debug overlay for any game with tern: who owns what, how old each object's newest update is,
// and what the connections carry. examples/sdl/main.cpp shows where its functions are called.
#pragma once
#include "draw.h"
#include <algorithm>
#include <cstring>
#include <tern/diagnostics.hpp>
#include <tern/tern.hpp>
#include <tern/traffic.hpp>
#include <unordered_map>
#include <vector>

namespace overlay {

using namespace tern;

inline constexpr draw::Colour grey = {150, 156, 170}, white = {235, 238, 245};
inline constexpr size_t samples = 60;

struct Meter { // The bandwidth to and from one peer; a sample each quarter of a second.
    PeerId peer;
    uint64_t sent_bytes, received_bytes;
    float sent[samples], received[samples]; // Bytes per second; the last one is the newest.
};

struct Overlay {
    std::unordered_map<uint64_t, uint64_t> updated_us; // The newest update of each came then.
    std::vector<Meter> meters;
    uint64_t next_sample_us;
};

// The colour of a peer and of all that it owns; later peers begin again.
inline draw::Colour colour_of(PeerId peer)
{
    constexpr draw::Colour colours[] = {
        {235, 94, 85}, {86, 156, 230}, {110, 200, 120}, {232, 180, 60}};
    if (peer == PeerId::none) return grey;
    return colours[(static_cast<size_t>(peer) - 1) % std::size(colours)];
}

// Call it for each event.
inline void note(Overlay &overlay, const Event &event, uint64_t now_us)
{
    const bool is_update = event.kind == EventKind::object_created ||
                           event.kind == EventKind::object_changed ||
                           event.kind == EventKind::owner_changed;
    if (is_update) overlay.updated_us[static_cast<uint64_t>(object_of(event))] = now_us;
    if (event.kind == EventKind::object_destroyed)
        overlay.updated_us.erase(static_cast<uint64_t>(event.object.id));
}

// Draws the age of the newest update beside an object of another peer.
inline void draw_age(SDL_Renderer *to, int x, int y, const Overlay &overlay, ObjectId object,
                     uint64_t now_us)
{
    const auto found = overlay.updated_us.find(static_cast<uint64_t>(object));
    if (found == overlay.updated_us.end()) return;
    const uint64_t age_ms = (now_us - found->second) / 1000;
    if (age_ms < 1000)
        draw::text(to, x + 14, y - 20, 1, white, "%d ms", static_cast<int>(age_ms));
    else
        draw::text(to, x + 14, y - 20, 1, grey, "%d s", static_cast<int>(age_ms / 1000));
}

inline void add_sample(Meter &meter, const Stats &stats)
{
    std::copy(meter.sent + 1, meter.sent + samples, meter.sent);
    std::copy(meter.received + 1, meter.received + samples, meter.received);
    meter.sent[samples - 1] = 4 * static_cast<float>(stats.sent_bytes - meter.sent_bytes);
    meter.received[samples - 1] =
        4 * static_cast<float>(stats.received_bytes - meter.received_bytes);
    meter.sent_bytes = stats.sent_bytes;
    meter.received_bytes = stats.received_bytes;
}

// Call it in each tick: four times a second it takes a sample of each connection.
inline void measure(Overlay &overlay, const Session *session, uint64_t now_us)
{
    if (now_us < overlay.next_sample_us) return;
    overlay.next_sample_us = now_us + 250'000;
    const auto others = other_peers(session);
    std::erase_if(overlay.meters, [&](const Meter &meter) {
        return std::find(others.begin(), others.end(), meter.peer) == others.end();
    });
    for (const PeerId peer : others) {
        const Stats stats = peer_stats(session, peer);
        const auto found = std::find_if(overlay.meters.begin(), overlay.meters.end(),
                                        [&](const Meter &meter) { return meter.peer == peer; });
        if (found != overlay.meters.end())
            add_sample(*found, stats);
        else
            overlay.meters.push_back({peer, stats.sent_bytes, stats.received_bytes, {}, {}});
    }
}

// Round trip time, rates, and bars: what we send in our colour, what the peer sends in its colour.
inline void draw_meter(SDL_Renderer *to, int left, int top, const Session *session,
                       const Meter &meter)
{
    const Stats stats = peer_stats(session, meter.peer);
    draw::text(to, left, top, 2, colour_of(meter.peer), "%s", peer_name(session, meter.peer));
    draw::text(to, left + 60, top, 2, grey, "%.0f ms  %.1f KB/s out  %.1f KB/s in",
               stats.rtt_us / 1e3, static_cast<double>(meter.sent[samples - 1]) / 1e3,
               static_cast<double>(meter.received[samples - 1]) / 1e3);
    for (size_t i = 0; i < samples; ++i) { // 7.5 KB/s are the full height.
        const int out = std::min(30, static_cast<int>(meter.sent[i] / 250));
        const int in = std::min(30, static_cast<int>(meter.received[i] / 250));
        const int x = left + static_cast<int>(i) * 9;
        draw::rect(to, {x, top + 56 - out, 4, out}, colour_of(local_peer(session)), true);
        draw::rect(to, {x + 4, top + 56 - in, 4, in}, colour_of(meter.peer), true);
    }
}

// Draws the three largest parts of the sent bits: updates, headers of packets and so on.
inline void draw_traffic(SDL_Renderer *to, int left, int top, const Session *session)
{
    int64_t bits[traffic_kinds] = {}, all = 1;
    for (const TrafficRow &row : traffic_rows(session)) {
        bits[static_cast<size_t>(row.kind)] += row.bits;
        all += row.bits;
    }
    draw::text(to, left, top, 2, grey, "sent:");
    for (int place = 0; place < 3; ++place) {
        const auto largest = std::max_element(bits, bits + traffic_kinds);
        const auto kind = static_cast<TrafficKind>(largest - bits);
        draw::text(to, left + 75 + 165 * place, top, 2, grey, "%s %.0f%%", to_text(kind),
                   100.0 * static_cast<double>(*largest) / static_cast<double>(all));
        *largest = 0;
    }
}

inline void draw(SDL_Renderer *to, int left, int top, const Overlay &overlay,
                 const Session *session)
{
    draw::text(to, left, top, 2, colour_of(local_peer(session)), "%s, peer %d, %s",
               peer_name(session, local_peer(session)), static_cast<int>(local_peer(session)),
               to_text(session_state(session)));
    draw::text(to, left + 320, top, 2, grey, "host: peer %d", static_cast<int>(host_peer(session)));
    draw_traffic(to, left, top += 24, session);
    top += 26;
    for (const Meter &meter : overlay.meters) {
        draw_meter(to, left, top, session, meter);
        top += 64;
    }
}

}
