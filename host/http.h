// The HTTP port of a dedicated host, for reading only: /healthz, /readyz, /metrics, /api/v1/status,
// and the status page. Threads of its own; they see the board and nothing else.
#pragma once
#include "host/status_types.h"
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

// listen: "ip:port", port 0: any. Bound and listening when this returns. /healthz is 503 when no
// tick has ended for tick_age_ms_max.
MadeHttp make(const std::string &listen, uint32_t tick_age_ms_max, Board &board);

}

// The body of /api/v1/status and of the control socket's "status".
std::string status_json(const HostStatus &status);
// Prometheus text format 0.0.4.
std::string metrics_text(const HostStatus &status);

}
