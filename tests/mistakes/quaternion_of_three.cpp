// error: only_float_4_can_be_a_quaternion
#include <tern/fields.h>

struct Ship {
    float position[3], rotation[4];
    uint8_t health;
    char name[16];
};
#ifdef RIGHT
TERN_FIELDS(Ship, field(rotation, as_quaternion()));
#else
TERN_FIELDS(Ship, field(position, as_quaternion()));
#endif
