// The pages of the HTTP port of a dedicated host: turns a request into its response.
#pragma once
#include "host/http/status_types.h"

namespace httplib {
struct Request;
struct Response;
}

namespace dedicated::http_pages {

// Fills the response. A request over the loopback whose Host header is a name other than localhost
// or an IP address gets 421. This stops DNS rebinding, in which the name of a foreign web page
// resolves to the loopback.
void answer(const httplib::Request &request, httplib::Response &response, uint32_t tick_age_ms_max,
            Board &board);

}
