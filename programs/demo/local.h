// tern-demo on the local network: --announce and --find.
#pragma once
#include "peer.h"
#include "tern/discovery.h"

namespace demo {

struct Local { // Zero: nothing is announced.
    Socket *socket;
    Announcer *announcer;
};

struct MadeLocal {
    Local local;
    std::string error; // Empty if it was made, or there is nothing to announce.
};

struct FoundInvite {
    Invite invite;
    std::string error; // Empty if there is one.
};

namespace local {

MadeLocal make_local(const Options &options, const Peer &peer);
void destroy_local(Local &local);
void tick(Local &local, const Peer &peer);
// Waits until a session is found that fits. Says what else is there.
FoundInvite search(const Options &options, const PeerSetup &setup);

}
}
