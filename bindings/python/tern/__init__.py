"""tern for Python: game objects that are replicated between peers, each with one owner.

A layer over tern's C interface (tern/tern.h), for bots, tools and tests:

    import tern

    class Ball(tern.Object, name="ball", objects_max=10):
        x: tern.float32(min=-500, max=500, step=0.01)
        y: tern.float32(min=-500, max=500, step=0.01)
        touches: tern.uint16

    socket = tern.UdpSocket()
    session = tern.Session([Ball], name="ada")
    session.start()
    print(session.make_invite("127.0.0.1:%u" % socket.port))
    ball = session.create(Ball(x=1, y=2))
    while True:
        for event in session.receive(socket):
            print(event)
        session.send(socket)
        time.sleep(1 / 60)

A wrong call raises tern.Misuse with a sentence that says what to do. The library tern_c is looked
for in the file that TERN_LIBRARY names, else beside this package, else where the system has it.
"""

from ._c import EVERYONE, GONE, HOST, NO_OBJECT, NO_PEER, NO_ROOM, NOT_ALLOWED, Address
from ._fields import (
    Object,
    Struct,
    boolean,
    bytes_,
    float32,
    int8,
    int16,
    int32,
    int64,
    object_id,
    peer,
    quaternion,
    text,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._session import Event, Session
from ._sockets import (
    Datagrams,
    Error,
    Misuse,
    UdpSocket,
    clock_us,
    local_addresses,
    parse_address,
    version,
)
