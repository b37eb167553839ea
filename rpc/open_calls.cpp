#include "rpc/open_calls.h"
#include <cstring>

namespace tern::open_calls {

static uint32_t rounded(size_t size_bytes)
{
    return static_cast<uint32_t>((size_bytes + 15) / 16 * 16);
}

OpenCall *add(OpenCalls &open, std::span<const std::byte> arguments)
{
    const uint32_t size_bytes = rounded(arguments.size());
    if (open.count == open_calls_max || size_bytes > open_call_memory_bytes - open.used_bytes)
        return nullptr;
    OpenCall &call = open.calls[open.count];
    call = {};
    call.first = open.used_bytes;
    call.size_bytes = static_cast<uint32_t>(arguments.size());
    std::memcpy(open.memory + call.first, arguments.data(), arguments.size());
    open.count += 1;
    open.used_bytes += size_bytes;
    return &call;
}

CallId next_id(OpenCalls &open)
{
    open.last_id += 1;
    return static_cast<CallId>(open.last_id);
}

OpenCall *find(OpenCalls &open, CallId id)
{
    for (OpenCall &call : std::span(open.calls, open.count))
        if (call.head.id == id && call.head.kind != CallKind::reply) return &call;
    return nullptr;
}

const void *arguments(const OpenCalls &open, const OpenCall &call)
{
    return open.memory + call.first;
}

bool goes_before(const OpenCalls &open, const OpenCall &call, PeerId peer, Stamp stamp)
{
    for (const OpenCall *other = open.calls; other != &call; ++other) {
        if (other->head.kind != call.head.kind || other->head.object != call.head.object ||
            other->to != call.to)
            continue;
        if (other->step == CallStep::waits) return true;
        if (other->step == CallStep::sent && (other->tried != peer || other->head.stamp != stamp))
            return true;
    }
    return false;
}

void remove_over(OpenCalls &open)
{
    uint32_t count = 0, used_bytes = 0;
    for (uint32_t i = 0; i < open.count; ++i) {
        OpenCall call = open.calls[i];
        if (call.step == CallStep::over) continue;
        std::memmove(open.memory + used_bytes, open.memory + call.first, call.size_bytes);
        call.first = used_bytes;
        used_bytes += rounded(call.size_bytes);
        open.calls[count] = call;
        count += 1;
    }
    open.count = count;
    open.used_bytes = used_bytes;
}

}
