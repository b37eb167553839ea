// The read-only HTTP port of a dedicated host: /healthz, /livez, /readyz, /metrics, /api/v1/status,
// and the status page. It runs in its own threads, which read the board and nothing else.
#pragma once
#include "host/http/status_types.h"
#include <memory>
#include <string>

namespace dedicated {

struct HttpServer; // Opaque.

struct MadeHttp {
    std::shared_ptr<HttpServer> server; // Null on error. Stops when the last copy is destroyed.
    uint16_t port;                      // The TCP port that it listens on.
    std::string error;                  // The listen address and what is wrong with it.
};

namespace http {

// listen is "ip:port" or "[ipv6]:port"; port 0 takes any free port, and [::] also accepts IPv4. The
// server is listening when this returns. /healthz answers 503 when no tick has ended for
// tick_age_ms_max milliseconds. The board must outlive the server. Stopping the server waits
// for the requests that it is reading or answering.
MadeHttp make(const std::string &listen, uint32_t tick_age_ms_max, Board &board);

}

struct StatusParts {
    // Include invites, with which anybody can join. For the control socket only, never for HTTP.
    bool invites = false;
    uint64_t since_us = 0; // Include changes and samples after this HostStatus::now_us only.
};

// The body of /api/v1/status and of the control socket's "status": one line of JSON.
std::string status_json(const HostStatus &status, const StatusParts &parts = {});
// Prometheus text format 0.0.4.
std::string metrics_text(const HostStatus &status);

}
