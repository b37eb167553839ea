// Stands in for the Agones SDK's server in tests: its REST interface on a port of the loopback, in
// threads of this process, with the life cycle of a game server enforced more strictly than there.
//
//   Scheduled -> (RequestReady) -> Ready <-> Reserved; Ready, Reserved -> Allocated -> Shutdown;
//   any -> Unhealthy when health is missed; Shutdown and Unhealthy stay.
//
// What the program under test must not do is refused and written down as a violation.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dedicated::test {

struct SdkStandIn; // Opaque.

struct SdkOptions {
    std::string name = "tern-host-1";
    std::string state = "Scheduled"; // At first.
    uint16_t game_port = 7777;       // What a passthrough policy would have given.
    uint32_t health_period_s = 1;
    uint32_t health_failures_max = 3;
    uint32_t health_delay_ms = 10'000;                  // Until a first ping is missed.
    bool has_rooms = true;                              // The counter,
    bool has_players = true;                            // and the list.
    int64_t rooms_capacity = 10, players_capacity = 10; // As a manifest would say it.
    std::vector<std::string> players = {};              // Left from a former process.
    int missing_status = 500; // Of the answer for a counter or list that is not there.
    // The first PATCH of this path is done, and answered with 503, as if a proxy had lost the
    // answer.
    std::string lost_answer_path = {};
    bool watch_tells = true; // Else it is open, and silent.
    size_t watch_bytes = 0;  // Lines of the watch come in chunks of so many bytes; 0: whole.
};

enum class SdkManner : uint8_t {
    good,
    hang,    // Takes requests, and never answers.
    garbage, // Answers 200 with what is no JSON, or not the JSON that it should be.
    refuse   // Answers 503.
};

struct SdkRequest {
    std::string method, path, body;
    uint64_t at_us; // tern::clock_us()
};

// All that it knows, at one time.
struct SdkRecord {
    std::string state;
    std::vector<std::string> states; // All that there were, each after the last.
    int64_t rooms = 0, rooms_capacity = 0, players_capacity = 0;
    std::vector<std::string> players;
    std::map<std::string, std::string> labels, annotations; // With "agones.dev/sdk-".
    std::vector<SdkRequest> requests;
    std::vector<std::string> violations;
    size_t watches = 0; // That were opened.
};

namespace sdk {

// Its port is taken, but nobody listens before listen(). It ends with its last owner.
std::shared_ptr<SdkStandIn> make(const SdkOptions &options);
uint16_t port(const SdkStandIn &sdk);
void listen(SdkStandIn &sdk);
void set_manner(SdkStandIn &sdk, SdkManner manner);
void break_watches(SdkStandIn &sdk);

// What the fleet does. False: it does not do that to a game server in this state.
bool allocate(SdkStandIn &sdk); // A Ready one; or once more, one that is Allocated.
bool reserve(SdkStandIn &sdk);
bool scale_down(SdkStandIn &sdk); // Shuts a Ready one down, never an Allocated one.
bool shut_down(SdkStandIn &sdk);  // As if somebody deleted it.
void change_counter(SdkStandIn &sdk, int64_t rooms); // As an allocation may.

SdkRecord record(SdkStandIn &sdk);
std::string state(SdkStandIn &sdk);
size_t count(SdkStandIn &sdk, const std::string &method, const std::string &path);

}
}
