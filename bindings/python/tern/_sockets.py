"""Errors, sockets, addresses and the clock."""

import ctypes

from . import _c as c


class Error(Exception):
    """A function did not do what it was called for; `result` is a tern_result."""

    def __init__(self, result, text=None):
        super().__init__(text or c.lib.tern_result_text(result).decode())
        self.result = result


class Misuse(Error):
    """A call that the game must not make. docs/use/misuse.md."""

    def __init__(self, function, wrong, remedy, object):
        super().__init__(c.MISUSE, "%s(): %s %s" % (function, wrong, remedy))
        self.function, self.wrong, self.remedy, self.object = function, wrong, remedy, object




class Datagrams:
    """Received datagrams, or those to send. Valid until their giver is called again."""

    def __init__(self, pointer, count):
        self._pointer, self._count = pointer, count

    def __len__(self):
        return self._count

    def __iter__(self):
        """Pairs of an address, as (ip, port), and bytes: for a network of one's own."""
        for one in ctypes.cast(self._pointer, c.ref(c.Datagram))[: self._count]:
            payload = ctypes.string_at(one.bytes, one.size_bytes)
            yield (bytes(one.address.ip), one.address.port), payload

    @classmethod
    def of(cls, pairs):
        """From pairs of an address, as (16 bytes, port), and bytes."""
        pairs = list(pairs)
        self = cls(None, len(pairs))
        self._payloads = [payload for _, payload in pairs]
        self._array = (c.Datagram * len(pairs))()
        for out, ((ip, port), payload) in zip(self._array, pairs):
            ctypes.memmove(out.address.ip, ip, 16)
            out.address.port = port
            out.bytes = ctypes.cast(ctypes.c_char_p(payload), c.void_p)
            out.size_bytes = len(payload)
        self._pointer = ctypes.cast(self._array, c.void_p)
        return self


class UdpSocket:
    """A non-blocking UDP socket, bound to all interfaces. Port 0: any free one."""

    def __init__(self, port=0, ipv6=False):
        handle = c.void_p()
        result = c.lib.tern_make_udp_socket(port, ipv6, ctypes.byref(handle))
        if result != c.OK:
            raise Error(result, "port %u: %s" % (port, c.lib.tern_result_text(result).decode()))
        self._handle = handle

    @property
    def port(self):
        return c.lib.tern_socket_port(self._handle)

    def receive(self):
        pointer = c.void_p()
        count = c.lib.tern_socket_receive(self._handle, ctypes.byref(pointer))
        return Datagrams(pointer, count)

    def send(self, datagrams):
        c.lib.tern_socket_send(self._handle, datagrams._pointer, len(datagrams))

    def close(self):
        if "_handle" in self.__dict__:
            c.lib.tern_destroy_socket(self._handle)
            del self._handle

    def __getattr__(self, name):
        if name == "_handle":
            raise ValueError("the socket is closed")
        raise AttributeError("a UdpSocket has no %s" % name)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def parse_address(address_text):
    address = c.Address()
    if c.lib.tern_parse_address(address_text.encode(), ctypes.byref(address)) != c.OK:
        raise ValueError(
            "%r is no address: expected 1.2.3.4:7777 or [::1]:7777" % address_text
        )
    return address


def clock_us():
    """A monotonic clock, in microseconds."""
    return c.lib.tern_clock_us()


def version():
    """That of the library."""
    return c.lib.tern_version().decode()


def local_addresses(port):
    """The addresses of this machine's network interfaces, with the port, for make_invite()."""
    array = (c.Address * 4)()
    count = c.lib.tern_local_addresses(port, array, len(array))
    return [str(address) for address in array[:count]]
