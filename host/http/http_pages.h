// What the HTTP port of a dedicated host has to tell: a request to its response.
#pragma once
#include "host/http/status_types.h"

namespace httplib {
struct Request;
struct Response;
}

namespace dedicated::http_pages {

// What comes over the loopback must ask for a name of this machine: a web page of a stranger, whose
// name leads here, learns nothing (DNS rebinding).
void answer(const httplib::Request &request, httplib::Response &response, uint32_t tick_age_ms_max,
            Board &board);

}
