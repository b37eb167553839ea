// What the HTTP port of a dedicated host has to tell: a request to its response.
#pragma once
#include "host/http_message.h"
#include "host/status_types.h"

namespace dedicated::http_pages {

// is_local: it came over the loopback. The name under which it was asked for must then be one of
// this machine: a web page of a stranger, whose name leads here, learns nothing (DNS rebinding).
HttpResponse answer(const HttpRequest &request, bool is_local, uint32_t tick_age_ms_max,
                    Board &board);

}
