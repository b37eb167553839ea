#include "session/recording/crash.h"
#include "session/misuse.h"
#include "tern/handlers.hpp"

namespace tern::session {

static const char *stream_message_name(std::span<const std::byte> message, MessageKind kind)
{
    switch (static_cast<JoinMessage>(message[0])) {
    case JoinMessage::join: return "JOIN";
    case JoinMessage::refused: return "REFUSED";
    case JoinMessage::meet: return "MEET";
    }
    return replica::name(kind);
}

static void describe_message(const Session &s, const AssertContext::Doing &doing, Crash &crash)
{
    crash.message = doing.message;
    if (s.replica->update_object != ObjectId::none) crash.object = s.replica->update_object;
    if (doing.stream_message.empty()) return;
    const Described described = replica::describe(doing.peer, doing.stream_message);
    crash.message = stream_message_name(doing.stream_message, described.kind);
    if (described.object_count > 0) crash.object = described.objects[0];
}

CrashHandler complete_crash(AssertContext &context, Crash &crash)
{
    Session &s = *static_cast<Session *>(context.session);
    // Another thread of Config::parallel has failed, too: it reports, and aborts.
    while (AtomicWord(s.guard.crashed).exchange(1) != 0)
        continue;
    misuse::use(&s).store(misuse::in_use); // A handler of misuses may have been running.
    crash.function = context.function;
    crash.session = s.invite.session;
    crash.local_peer = s.replica->self;
    crash.peer = context.doing.peer;
    crash.object = context.object;
    crash.tick = s.replica->world.tick;
    describe_message(s, context.doing, crash);
    crash.recording = record::take(s.records.recorder);
    return s.config.crash;
}

}
