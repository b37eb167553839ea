// Formats the answers of a host for people. A value that is missing in an answer is shown as "-".
#pragma once
#include "client.h"
#include <vector>

namespace ctl {

// `before` is an earlier status, from which rates are computed; null if there is none.
std::string status_text(const Json &status, const Json &before);
std::string invites_text(const Json &status);
std::string peers_text(const Json &peers);
std::string objects_text(const Json &objects, uint64_t total);
std::string misbehaviour_text(const Json &misbehaviour);
std::string recordings_text(const Json &recordings);

// Returns the text for an answer to any command. The host may be of another version, so this and
// the functions below take any JSON as an answer.
std::string answer_text(const std::string &command, const Json &answer);
std::string refusal_text(const Json &answer); // Why the host has not done it.
std::string console_text(const Json &answer); // What the console of a script has printed.
// Returns the status; its array "rooms" has only the room of this name, or all for an empty name.
Json status_of(const Json &answer, const std::string &room);
struct ListedRecording {
    std::string file;
    uint64_t bytes;
};
std::vector<ListedRecording> listed_recordings(const Json &answer);

std::string bytes_text(double bytes);        // "1.5 MiB"
std::string duration_text(uint64_t seconds); // "2 d 3 h", "4 min 5 s"

}
