// Messages between the parent and a peer's process, over a pair of pipes. Both are one program, so
// structs travel as they lie in memory.
#pragma once
#include "peer.h"
#include <cstring>

namespace demo {

enum class MessageKind : uint32_t {
    none,
    // From a peer's process.
    port,     // uint16_t: of its socket; where pairs are cut.
    invite,   // Text: the host's.
    opened,   // It is in.
    progress, // Progress.
    picture,  // Dots.
    missing,  // Text: what others have not got of its own objects, and why.
    world,    // Knowns; its last word.
    failed,   // Text: why it ends.
    // To it.
    cuts,  // uint16_ts: the ports that it has no path to. It joins then.
    play,  // Play.
    finish // Report the world, and end.
};

struct Play {
    uint64_t from_us, until_us; // By clock_us(), which all processes of a machine share.
};

struct Message {
    MessageKind kind; // none: nothing (more) is here.
    std::string bytes;
};

// The reading end of a pipe, and what has been read of a message.
struct Inbox {
    int descriptor = -1;
    bool ended = false; // The writer has gone.
    std::string bytes;
};

namespace pipes {

struct Ends {
    int read, write; // -1 on error.
};

Ends make_ends(); // The reading end never blocks.
void close_end(int &descriptor);
// Waits until all is written. False if the reader has gone.
bool write_message(int descriptor, MessageKind kind, const void *data, size_t size_bytes);
Message next_message(Inbox &inbox);

template <class T> bool write_message(int descriptor, MessageKind kind, const T &value)
{
    return write_message(descriptor, kind, &value, sizeof(T));
}

template <class T> bool write_messages(int descriptor, MessageKind kind, const std::vector<T> &all)
{
    return write_message(descriptor, kind, all.data(), all.size() * sizeof(T));
}

template <class T> T value(const Message &message)
{
    T value = {};
    if (message.bytes.size() == sizeof(T)) std::memcpy(&value, message.bytes.data(), sizeof(T));
    return value;
}

template <class T> std::vector<T> values(const Message &message)
{
    std::vector<T> values(message.bytes.size() / sizeof(T));
    if (!values.empty())
        std::memcpy(values.data(), message.bytes.data(), values.size() * sizeof(T));
    return values;
}

}
}
