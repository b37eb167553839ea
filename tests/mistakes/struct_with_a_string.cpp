// error: tern: a game struct is trivially copyable and has a standard layout
#include <string>
#include <tern/fields.h>

struct Ship {
    float position[3];
#ifndef RIGHT
    std::string name;
#endif
};
TERN_FIELDS(Ship, position);
const tern::Type types[] = {tern::make_type<Ship>("ship", {.objects_max = 64})};
