// error: only_float_and_quaternion_have_a_bound
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(position, range(-500, 500), step(0.01)), health);
#else
TERN_FIELDS(Ship, field(health, bound(1)));
#endif
