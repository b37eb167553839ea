// error: tern_fields
#include <tern/fields.h>

struct Ship {
    float position[3];
};
#ifdef RIGHT
TERN_FIELDS(Ship, position);
#endif
const tern::Type types[] = {tern::make_type<Ship>("ship", {.objects_max = 64})};
