#include "pipe.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace demo::pipes {

struct Head {
    MessageKind kind;
    uint32_t size_bytes;
};

Ends make_ends()
{
    int ends[2];
    if (pipe(ends) != 0) return {-1, -1};
    fcntl(ends[0], F_SETFL, fcntl(ends[0], F_GETFL) | O_NONBLOCK);
    return {ends[0], ends[1]};
}

void close_end(int &descriptor)
{
    if (descriptor >= 0) close(descriptor);
    descriptor = -1;
}

static bool write_all(int descriptor, const char *data, size_t size_bytes)
{
    while (size_bytes > 0) {
        const ssize_t written = write(descriptor, data, size_bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        data += written;
        size_bytes -= static_cast<size_t>(written);
    }
    return true;
}

bool write_message(int descriptor, MessageKind kind, const void *data, size_t size_bytes)
{
    const Head head = {kind, static_cast<uint32_t>(size_bytes)};
    std::string bytes(reinterpret_cast<const char *>(&head), sizeof head);
    if (size_bytes > 0) bytes.append(static_cast<const char *>(data), size_bytes);
    return write_all(descriptor, bytes.data(), bytes.size());
}

static void read_available(Inbox &inbox)
{
    char chunk[16 * 1024];
    while (inbox.descriptor >= 0 && !inbox.ended) {
        const ssize_t got = read(inbox.descriptor, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got == 0) inbox.ended = true;
        if (got <= 0) return;
        inbox.bytes.append(chunk, static_cast<size_t>(got));
    }
}

Message next_message(Inbox &inbox)
{
    read_available(inbox);
    Head head;
    if (inbox.bytes.size() < sizeof head) return {};
    std::memcpy(&head, inbox.bytes.data(), sizeof head);
    if (inbox.bytes.size() - sizeof head < head.size_bytes) return {};
    Message message = {head.kind, inbox.bytes.substr(sizeof head, head.size_bytes)};
    inbox.bytes.erase(0, sizeof head + head.size_bytes);
    return message;
}

}
