"""Reads the structs of 1,000 bodies into an array of ctypes, as read.c reads their positions.

Prints the time of a tick in ns.
"""

import ctypes
import time

import tern

BODIES, TICKS = 1000, 2000


class Body(tern.Object, name="body", objects_max=BODIES):
    position: tern.float32 * 3
    rotation: tern.float32 * 4
    health: tern.int32


def main():
    session = tern.Session([Body])
    session.start()
    for i in range(BODIES):
        session.create(Body(position=(i, 0, 0), rotation=(0, 0, 0, 1), health=i))
    array = (Body * BODIES)()
    size_bytes = ctypes.sizeof(array)
    begun = time.perf_counter_ns()
    for _ in range(TICKS):
        ctypes.memmove(array, session.values(Body), size_bytes)
    time_ns = time.perf_counter_ns() - begun
    assert array[7].position[0] == 7
    print("all %d" % (time_ns // TICKS))


main()
