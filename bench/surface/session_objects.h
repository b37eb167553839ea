// A scene that a host replicates to its clients by sessions.
#pragma once
#include "bench/surface/sessions.h"
#include "bench/surface/watch.h"
#include "tern/interest.hpp"

namespace bench::surface {

struct SessionObjects { // A setup. The type lives in it, so it must stay in place.
    ObjectSetup objects;
    tern::Type type;
    SessionSetup session;
};

struct ObjectHost {
    const SessionObjects *setup;
    Peer peer;
    std::vector<tern::ObjectId> ids; // [object]; none: it does not live.
    std::vector<tern::Viewpoint> viewpoints;
    double wire_bytes_before;
};

struct ObjectClients {
    const SessionObjects *setup;
    std::vector<Peer> peers;
    Watch watch;
    std::vector<const Thing *> shown;
    Moment last;
};

// Fills in type and session. bytes_per_second_max: 0 for the default.
void fill(SessionObjects &setup, bool is_predicted, uint32_t bytes_per_second_max,
          bool is_offloaded);
Programs session_objects(const SessionObjects &setup);

// The sides, for a network in virtual time as well. `sockets` may be empty: UDP sockets.
ObjectHost make_object_host(const SessionObjects &setup, tern::Socket *socket = nullptr);
ObjectClients make_object_clients(const SessionObjects &setup, const tern::Invite &invite,
                                  std::span<tern::Socket *const> sockets = {});
void exchange(ObjectHost &host, const Moment &moment);
void check(ObjectHost &, const Moment &);
Report report(ObjectHost &host);
void exchange(ObjectClients &clients, const Moment &moment);
void check(ObjectClients &clients, const Moment &moment);
Report report(ObjectClients &clients);
// Whether all clients show what the host shows, once the host rests and nothing is under way.
bool are_equal(ObjectClients &clients);

}
