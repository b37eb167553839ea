// The fuzz targets. Each takes arbitrary bytes and aborts with a message if a property does not
// hold. A run depends on its bytes only. clang's libFuzzer searches with these targets
// (`./dev fuzz`); test_fuzz replays the inputs that it found, in every build.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace tern::fuzz {

// For each target: the largest input that is worth searching, and how many random inputs a test
// runs.
#define TERN_ALL_FUZZ_TARGETS(X)                                                                   \
    X(datagram, 1300, 2000)                                                                        \
    X(handshake, 128, 300)                                                                         \
    X(frames, 512, 2000)                                                                           \
    X(bits, 256, 2000)                                                                             \
    X(acks, 256, 2000)                                                                             \
    X(replay_window, 256, 2000)                                                                    \
    X(streams, 256, 2000)                                                                          \
    X(reassembly, 256, 2000)                                                                       \
    X(types, 512, 2000)                                                                            \
    X(values, 1000, 2000)                                                                          \
    X(states, 512, 2000)                                                                           \
    X(snapshots, 512, 500)                                                                         \
    X(updates, 512, 2000)                                                                          \
    X(calls, 512, 2000)                                                                            \
    X(invite, 256, 2000)                                                                           \
    X(discovery, 1024, 1000)                                                                       \
    X(messages, 1024, 2000)                                                                        \
    X(lua_script, 512, 60)                                                                         \
    X(control, 512, 1000)                                                                          \
    X(http, 512, 2000)                                                                             \
    X(toml, 512, 2000)                                                                             \
    X(agones, 512, 1000)                                                                           \
    X(gateways, 128, 2000)                                                                         \
    X(recording, 512, 400)                                                                         \
    X(trace, 512, 1000)                                                                            \
    X(replica, 256, 300)                                                                           \
    X(hostile, 256, 300)                                                                           \
    X(between, 256, 200)                                                                           \
    X(simulator, 240, 16)
#define TERN_ONE_FUZZ_TARGET(name, bytes_max, tries)                                               \
    void fuzz_##name(std::span<const uint8_t> data);
TERN_ALL_FUZZ_TARGETS(TERN_ONE_FUZZ_TARGET)
#undef TERN_ONE_FUZZ_TARGET

struct Target {
    const char *name;
    size_t bytes_max;
    int tries;
    void (*run)(std::span<const uint8_t> data);
};

inline constexpr Target targets[] = {
#define TERN_ONE_FUZZ_TARGET(name, bytes_max, tries) {#name, bytes_max, tries, fuzz_##name},
    TERN_ALL_FUZZ_TARGETS(TERN_ONE_FUZZ_TARGET)
#undef TERN_ONE_FUZZ_TARGET
};

}
