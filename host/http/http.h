// The HTTP port of a dedicated host, for reading only: /healthz, /readyz, /metrics, /api/v1/status,
// and the status page. Threads of its own; they see the board and nothing else.
#pragma once
#include "host/http/status_types.h"
#include <memory>
#include <string>

namespace dedicated {

struct HttpServer; // Opaque.

struct MadeHttp {
    std::shared_ptr<HttpServer> server; // Null on error. It ends with its last owner.
    uint16_t port;                      // Where it listens.
    std::string error;                  // What was wrong, and with what.
};

namespace http {

// listen: "ip:port" or "[ipv6]:port", port 0: any; [::] takes IPv4, too. Bound and listening when
// this returns. /healthz is 503 when no tick has ended for tick_age_ms_max. The board must outlive
// the server. To end it takes a moment, whatever its clients do.
MadeHttp make(const std::string &listen, uint32_t tick_age_ms_max, Board &board);

}

struct StatusParts {
    bool invites = false;  // Who has one can join: for the control socket, never for HTTP.
    uint64_t since_us = 0; // Changes and samples after this moment alone; as HostStatus::now_us.
};

// The body of /api/v1/status and of the control socket's "status": one line of JSON.
std::string status_json(const HostStatus &status, const StatusParts &parts = {});
// Prometheus text format 0.0.4.
std::string metrics_text(const HostStatus &status);

}
