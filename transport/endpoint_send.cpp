#include "base/assert.h"
#include "tern/limits.hpp"
#include "transport/endpoint.h"
#include "transport/endpoint_types.h"
#include <algorithm>
#include <cstring>

// Sends handshake datagrams, and times handshakes out.
namespace tern::endpoint {

namespace {

template <class Message> size_t write(std::span<std::byte> to, const Message &message)
{
    std::memcpy(to.data(), &message, sizeof message);
    return sizeof message;
}

HandshakeState failure(const ConnectionSlot &slot)
{
    if (slot.secret_refused) return HandshakeState::secret_refused;
    if (slot.version_refused) return HandshakeState::version_refused;
    return HandshakeState::unreachable;
}

// Returns false if the outbox is full.
bool send_initiation(ConnectionSlot &slot, DatagramBuffer &datagram_buffer, uint64_t now_us)
{
    for (const Address &address : {slot.address, slot.relay_candidate}) {
        if (address.port == 0) continue;
        const std::span<std::byte> to = place(datagram_buffer);
        if (to.empty()) return false;
        push(datagram_buffer, address, write(to, slot.initiation));
    }
    slot.repeat_us =
        slot.repeat_us == 0 ? repeat_us_min : std::min(2 * slot.repeat_us, repeat_us_max);
    slot.sent_us = now_us;
    slot.next_us = now_us + slot.repeat_us;
    return true;
}

void send_initiations(Endpoint &e, DatagramBuffer &datagram_buffer, uint64_t now_us)
{
    if (e._connecting_count == 0) return; // Nearly always; skips a scan of all slots.
    for (ConnectionIndex i = 0; i < e._limits.connections_max; i += 1) {
        ConnectionSlot &slot = e._slots[i];
        if (slot.state != HandshakeState::connecting) continue;
        if (now_us >= slot.deadline_us)
            fail_handshake(e, slot, failure(slot));
        else if (now_us >= slot.next_us && !send_initiation(slot, datagram_buffer, now_us))
            return;
    }
}

// Sends at most one response for each initiation, so never more bytes than arrived from there.
void send_responses(Endpoint &e, DatagramBuffer &datagram_buffer, uint64_t now_us)
{
    if (e._half_open_count == 0) return; // Nearly always; skips a scan of the whole table.
    for (uint16_t i = 0; i < half_open_max; i += 1) {
        HalfOpen &entry = half_open::at(e._half_open, i);
        if (half_open::is_over(entry, now_us)) clear_half_open(e, entry);
        if (!entry.response_due) continue;
        const std::span<std::byte> to = place(datagram_buffer);
        if (to.empty()) return;
        push(datagram_buffer, entry.address, write(to, entry.response));
        entry.response_due = false;
    }
}

// In a flood there are many stateless answers. They may use half of the outbox; the rest is for
// known peers.
void send_answers(Endpoint &e, DatagramBuffer &datagram_buffer, uint64_t now_us)
{
    while (e._answer_count > 0 && datagram_buffer.count < datagram_buffer.datagrams.size() / 2) {
        const std::span<std::byte> to = place(datagram_buffer);
        if (to.empty()) return;
        const HandshakeReply &answer = e._answers[e._answer_first];
        push(datagram_buffer, answer.address, write_answer(e, answer, to, now_us));
        e._answer_first = (e._answer_first + 1) % answers_max;
        e._answer_count -= 1;
    }
}

}

void send_handshakes(Endpoint &e, DatagramBuffer &datagram_buffer, uint64_t now_us)
{
    const size_t first = datagram_buffer.count;
    send_initiations(e, datagram_buffer, now_us);
    send_responses(e, datagram_buffer, now_us);
    send_answers(e, datagram_buffer, now_us);
    e._handshakes.count += datagram_buffer.count - first;
    for (size_t i = first; i < datagram_buffer.count; i += 1)
        e._handshakes.bytes += datagram_buffer.datagrams[i].bytes.size();
}

// --- Outbox ---

std::span<std::byte> place(DatagramBuffer &datagram_buffer)
{
    const size_t at = datagram_buffer.count * datagram_bytes_max;
    if (datagram_buffer.count == datagram_buffer.datagrams.size() ||
        datagram_buffer.bytes.size() - at < datagram_bytes_max)
        return {};
    return datagram_buffer.bytes.subspan(at, datagram_bytes_max);
}

void push(DatagramBuffer &datagram_buffer, const Address &address, size_t size_bytes)
{
    const std::span<std::byte> bytes = place(datagram_buffer);
    TERN_ASSERT(size_bytes <= bytes.size(), "%zu bytes into %zu", size_bytes, bytes.size());
    datagram_buffer.datagrams[datagram_buffer.count] = {address, bytes.first(size_bytes)};
    datagram_buffer.count += 1;
}

}
