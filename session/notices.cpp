#include "session/notices.h"
#include "session/membership.h"
#include "session/peer_links.h"
#include "session/session.h"
#include <algorithm>
#include <cstring>

namespace tern::session {

static constexpr unsigned kind_bits = 2, clock_bits = 61;
// A question is repeated each time that this has passed without all answers.
static constexpr uint64_t lease_question_interval_us = 100'000;
static constexpr size_t notice_bytes_max = 512;

// --- In ---

bool read_notice(const Session &s, std::span<const std::byte> bytes, ReadNotice &notice)
{
    BitReader reader = bits::reader(bytes);
    notice.kind = static_cast<Notice>(bits::read(reader, kind_bits));
    switch (notice.kind) {
    case Notice::clock:
        notice.clock_us = bits::read(reader, clock_bits);
        notice.is_cut_off = bits::read_bool(reader);
        return bits::complete(reader);
    case Notice::lease_question:
        return replica::read_lease_question(reader, *s.replica, notice.question);
    case Notice::leases: notice.leases = reader; return true;
    }
    return false;
}

static void take_clock(Session &s, ConnectionIndex index, const ReadNotice &notice)
{
    if (peer_link(s, index).peer != replica::host(*s.replica)) return;
    s.watch.host_is_cut_off = notice.is_cut_off;
    const uint32_t rtt_us = connection::stats(endpoint::at(*s.endpoint, index)).rtt_us;
    if (rtt_us == 0) return;
    const auto sample = static_cast<int64_t>(notice.clock_us + rtt_us / 2 - s.now_us);
    if (s.clock.rtt_us == 0 || rtt_us <= s.clock.rtt_us) {
        s.clock.rtt_us = rtt_us;
        s.clock.offset_us = sample;
    } else { // A slower sample is less exact, but it follows the drift of the clocks.
        s.clock.offset_us += (sample - s.clock.offset_us) / 16;
    }
}

void take_notice(Session &s, ConnectionIndex index, const ReadNotice &notice, bool again)
{
    PeerLink &p = peer_link(s, index);
    switch (notice.kind) {
    case Notice::clock:
        if (!again) take_clock(s, index, notice);
        return;
    case Notice::lease_question:
        p.lease_question = notice.question;
        p.asks_for_leases = true;
        return;
    case Notice::leases:
        charge(s, index, replica::receive_leases(*s.replica, p.peer, notice.leases));
        return copy_replica_events(s);
    }
}

// --- Out ---

static bool clock_due(const Session &s, const PeerLink &p)
{
    return p.clock_sent_us == 0 || s.now_us - p.clock_sent_us >= clock_interval_us;
}

static bool question_due(const Session &s, const PeerLink &p)
{
    if (!replica::asks_for_leases(*s.replica) || p.peer != replica::host(*s.replica)) return false;
    return p.asked_us == 0 || s.now_us - p.asked_us >= lease_question_interval_us;
}

bool has_notice(const Session &s, const PeerLink &p, bool is_host)
{
    if (p.role != PeerRole::member) return false;
    return is_host ? clock_due(s, p) || p.asks_for_leases : question_due(s, p);
}

bool notice_needs_packet(const Session &s, const PeerLink &p, bool is_host)
{
    return !is_host || s.now_us >= clock_us(p) || p.asks_for_leases;
}

static BitWriter begin(std::span<std::byte> buffer, Notice notice)
{
    BitWriter w = bits::writer(buffer);
    bits::write(w, static_cast<uint64_t>(notice), kind_bits);
    return w;
}

static bool add(Charges &charges, Packet &packet, const BitWriter &w,
                std::span<const std::byte> buffer)
{
    const size_t size_bytes = bits::size_bytes(w);
    const std::span<std::byte> room = connection::unreliable_room(packet);
    if (room.size() < size_bytes) return false;
    std::memcpy(room.data(), buffer.data(), size_bytes);
    connection::add_unreliable(packet, UnreliableKind::notice, size_bytes);
    charges::add(charges, TrafficKind::notice, static_cast<int64_t>(size_bytes * 8), 1);
    return true;
}

static bool add_clock(const Session &s, Charges &charges, PeerLink &p, Packet &packet)
{
    std::byte buffer[8];
    BitWriter w = begin(buffer, Notice::clock);
    const uint64_t clock_us = s.now_us + static_cast<uint64_t>(s.clock.offset_us);
    bits::write(w, clock_us & (UINT64_MAX >> (64 - clock_bits)), clock_bits);
    bits::write_bool(w, s.state == State::cut_off);
    if (!add(charges, packet, w, buffer)) return false;
    p.clock_sent_us = std::max<uint64_t>(s.now_us, 1);
    p.clock_count += 1;
    return true;
}

static bool add_question(const Session &s, Charges &charges, PeerLink &p, Packet &packet)
{
    std::byte buffer[notice_bytes_max];
    BitWriter w = begin(buffer, Notice::lease_question);
    replica::write_lease_question(w, *s.replica);
    if (!add(charges, packet, w, buffer)) return false;
    p.asked_us = std::max<uint64_t>(s.now_us, 1);
    return true;
}

static bool add_leases(const Session &s, Charges &charges, PeerLink &p, Packet &packet)
{
    std::byte buffer[notice_bytes_max];
    BitWriter w = begin(buffer, Notice::leases);
    replica::write_leases(w, *s.replica, p.lease_question);
    if (!add(charges, packet, w, buffer)) return false;
    p.asks_for_leases = false;
    return true;
}

bool add_notices(const Session &s, Charges &charges, PeerLink &p, Packet &packet, bool is_host)
{
    if (!is_host) return !question_due(s, p) || add_question(s, charges, p, packet);
    if (clock_due(s, p) && !add_clock(s, charges, p, packet)) return false;
    return !p.asks_for_leases || add_leases(s, charges, p, packet);
}

}
