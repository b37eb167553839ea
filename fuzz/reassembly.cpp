// Stores chunks of a stream at arbitrary offsets and of arbitrary sizes. If their content is valid,
// each message arrives whole, in order and once. If it is arbitrary, only the bounds are checked.
#include "fuzz/support/input.h"
#include "fuzz/targets.h"
#include "transport/connection/stream_receive.h"
#include <cstddef>
#include <cstring>
#include <vector>

namespace tern::fuzz {

namespace {

constexpr size_t content_bytes = 512 * 1024;
constexpr size_t chunks_kept = 256;

struct Content { // A stream that a peer might send: messages behind their lengths.
    std::vector<std::byte> bytes;
    std::vector<size_t> starts; // The offset of each length field, then the end of the stream.
};

size_t size_of(size_t message)
{
    const size_t sizes[] = {1, 127, 128, 20, 3, 1000, 16 * 1024, 77, 129, 5000, 16 * 1024 - 1, 2};
    return sizes[message % std::size(sizes)];
}

const Content &content()
{
    static const Content made = [] {
        Content c;
        for (size_t message = 0; c.bytes.size() < content_bytes; ++message) {
            c.starts.push_back(c.bytes.size());
            size_t size = size_of(message);
            for (; size >= 128; size >>= 7)
                c.bytes.push_back(static_cast<std::byte>((size & 127) | 128));
            c.bytes.push_back(static_cast<std::byte>(size));
            for (size_t i = 0; i < size_of(message); ++i)
                c.bytes.push_back(static_cast<std::byte>(message * 31 + i * 7 + i / 251));
        }
        c.starts.push_back(c.bytes.size());
        return c;
    }();
    return made;
}

struct Chunk {
    uint64_t from, to;
};

struct Model {
    Chunk chunks[chunks_kept];
    size_t count;
    uint64_t consumed, arrived;
    size_t message; // The next message to arrive.
};

void store(Model &m, Chunk chunk)
{
    if (chunk.to > m.arrived && m.count < chunks_kept) m.chunks[m.count++] = chunk;
    for (bool any = true; any;) { // Slow, but obviously correct.
        any = false;
        for (size_t i = 0; i < m.count; ++i)
            if (m.chunks[i].from <= m.arrived && m.chunks[i].to > m.arrived) {
                m.arrived = m.chunks[i].to;
                any = true;
            }
    }
}

struct Receiver {
    std::vector<std::max_align_t> memory;
    StreamReceive *stream;
};

// Makes an empty receiver in the same memory for each input.
Receiver &fresh()
{
    struct Block {
        StreamReceive stream;
    };
    const auto lay_out = [](std::byte *at, StreamReceive &stream) {
        flat::Builder builder = {at, sizeof(Block)};
        stream_receive::place(builder, stream);
        return builder.used_bytes;
    };
    static Receiver receiver = [&] {
        StreamReceive unused = {};
        Receiver made;
        made.memory.resize(lay_out(nullptr, unused) / sizeof(std::max_align_t) + 1);
        return made;
    }();
    auto *at = reinterpret_cast<std::byte *>(receiver.memory.data());
    std::memset(at, 0, receiver.memory.size() * sizeof(std::max_align_t));
    receiver.stream = reinterpret_cast<StreamReceive *>(at);
    lay_out(at, *receiver.stream);
    return receiver;
}

void take_messages(StreamReceive &s, Model &m, size_t count_max)
{
    for (size_t i = 0; i < count_max; ++i) {
        const Peek peek = stream_receive::peek(s);
        TERN_ASSERT(!peek.broken, "message %zu is broken", m.message);
        const size_t start = content().starts[m.message];
        if (start == content().bytes.size()) {
            TERN_ASSERT(peek.message.empty(), "%zu bytes behind the end", peek.message.size());
            return;
        }
        const size_t next = content().starts[m.message + 1];
        TERN_ASSERT(peek.message.empty() == (next > m.arrived), "message %zu, arrived %llu",
                    m.message, static_cast<unsigned long long>(m.arrived));
        if (peek.message.empty()) return;
        const size_t size = size_of(m.message);
        TERN_ASSERT(peek.message.size() == size && start + peek.length_bytes + size == next &&
                        std::memcmp(peek.message.data(), &content().bytes[next - size], size) == 0,
                    "message %zu of %zu bytes", m.message, size);
        stream_receive::consume(s);
        m.consumed = next;
        m.message += 1;
    }
}

void store_right(StreamReceive &s, Model &m, Input &in)
{
    const uint8_t what = input::u8(in);
    const uint64_t around = (what & 1) != 0 ? m.arrived : m.consumed;
    const auto offset = static_cast<int64_t>(around) +
                        static_cast<int16_t>(input::u16(in)) * ((what & 2) != 0 ? 3 : 0);
    const size_t size = 1 + ((what & 4) != 0 ? input::u16(in) : input::u8(in));
    const auto low = static_cast<uint32_t>(offset);
    const bool fits = stream_receive::fits(s, low, size);
    const bool expected =
        offset >= 0 && static_cast<uint64_t>(offset) + size <= m.consumed + stream_receive_bytes;
    TERN_ASSERT(fits == expected, "%zu bytes at %lld", size, static_cast<long long>(offset));
    const auto from = static_cast<uint64_t>(offset);
    if (!fits || from + size > content().bytes.size() || m.count == chunks_kept) return;
    stream_receive::store(s, low, std::span(content().bytes).subspan(from, size));
    store(m, {from, from + size});
}

// Stores arbitrary bytes anywhere. Messages have a valid length, and a broken stream stays broken.
void store_any(StreamReceive &s, Input &in)
{
    bool broken = false;
    while (!input::empty(in)) {
        const uint32_t offset = (input::u8(in) & 1) != 0 ? input::u32(in) : input::u16(in);
        const std::span<const std::byte> bytes =
            std::as_bytes(input::bytes(in, 1u + input::u8(in) % 64));
        if (bytes.empty() || !stream_receive::fits(s, offset, bytes.size())) continue;
        stream_receive::store(s, offset, bytes);
        const Peek peek = stream_receive::peek(s);
        TERN_ASSERT(!broken || peek.broken, "mended by %zu bytes at %u", bytes.size(), offset);
        broken = peek.broken;
        TERN_ASSERT(peek.message.size() <= stream_message_bytes_max, "%zu bytes",
                    peek.message.size());
        if (!peek.message.empty()) stream_receive::consume(s);
    }
}

}

void fuzz_reassembly(std::span<const uint8_t> data)
{
    Input in = {data};
    StreamReceive &s = *fresh().stream;
    const uint8_t what = input::u8(in);
    if (what % 4 == 0) return store_any(s, in);
    static Model model;
    model.count = 0;
    model.consumed = model.arrived = 0;
    model.message = 0;
    while (!input::empty(in)) {
        store_right(s, model, in);
        if (what % 4 != 1 || input::u8(in) % 2 == 0)
            take_messages(s, model, what % 4 == 2 ? 1 : 64);
    }
    take_messages(s, model, 1000);
}

}
