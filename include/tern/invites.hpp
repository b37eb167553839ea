// Invites as text, for people to pass on; docs/wire_format.md, "Invites".
#pragma once
#include "tern/limits.hpp"
#include "tern/types.hpp"

namespace tern {

struct InviteText {
    char text[invite_text_max];
};
inline InviteText to_text(const Invite &invite)
{
    InviteText text = {};
    tern_invite_text(to_c(&invite), text.text);
    return text;
}

struct ParsedInvite {
    Invite invite;
    const char *error; // Null if the text is an invite, otherwise what is wrong with it.
};
// White space around the text, and after its prefix, does not count.
inline ParsedInvite parse_invite(const char *text)
{
    ParsedInvite parsed = {};
    parsed.error = tern_parse_invite(text, to_c(&parsed.invite));
    return parsed;
}

}
