// error: only_integers_and_float_have_a_range
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, field(name, range(0, 9)));
#endif
