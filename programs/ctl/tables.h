// Formats the answers of a host for people. A value that is missing in an answer is shown as "-".
#pragma once
#include "client.h"

namespace ctl {

// `before` is an earlier status, from which rates are computed; null if there is none.
std::string status_text(const Json &status, const Json &before);
std::string invites_text(const Json &status);
std::string peers_text(const Json &peers);
std::string objects_text(const Json &objects, uint64_t total);
std::string recordings_text(const Json &recordings);

std::string bytes_text(double bytes);        // "1.5 MiB"
std::string duration_text(uint64_t seconds); // "2 d 3 h", "4 min 5 s"

}
