"""The Python binding: two sessions, by UDP and by hand. Run with TERN_LIBRARY and PYTHONPATH."""

import time
import unittest

import tern


class Ball(tern.Object, name="ball", objects_max=100, orphan="spread"):
    x: tern.float32(min=-500, max=500, step=0.01)
    spin: tern.quaternion
    tag: tern.text(8)
    grid: tern.int8 * 3
    seen: tern.uint64


class Asked(tern.Object, objects_max=10, claim="ask_game"):
    number: tern.int32


class Shout(tern.Struct):
    words: tern.text(32)


class Length(tern.Struct, name="length"):
    number: tern.int32


TYPES = [Ball, Asked, Shout, Length]
UPRIGHT = (0, 0, 0, 1)


class Pair:
    """A host and a guest whose datagrams are handed over at once, in virtual time."""

    def __init__(self, **settings):
        self.host = tern.Session(TYPES, name="ada", **settings)
        self.guest = tern.Session(TYPES, name="ben", **settings)
        self.now_us = 0
        self.events = {self.host: [], self.guest: []}
        self.addresses = {self.host: self.address(1), self.guest: self.address(2)}
        self.inboxes = {address: [] for address in self.addresses.values()}

    @staticmethod
    def address(port):
        return bytes(10) + b"\xff\xff" + bytes((127, 0, 0, 1)), port

    def tick(self):
        self.now_us += 16_667
        for session, address in self.addresses.items():
            arrived, self.inboxes[address] = self.inboxes[address], []
            self.events[session] += session.receive(tern.Datagrams.of(arrived), self.now_us)
            for to, payload in session.send(now_us=self.now_us):
                if to in self.inboxes:
                    self.inboxes[to].append((address, payload))

    def until(self, condition):
        for _ in range(600):
            if condition():
                return
            self.tick()
        raise AssertionError("it did not happen in ten seconds")

    def open(self):
        self.host.start()
        self.guest.join(self.host.make_invite("127.0.0.1:1"), b"let me in")
        self.until(lambda: self.guest.state == "open")
        return self

    def find(self, session, kind):
        return next((event for event in self.events[session] if event.kind == kind), None)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.host.close()
        self.guest.close()


class Objects(unittest.TestCase):
    def test_values_of_all_kinds_arrive(self):
        with Pair().open() as pair:
            ball = pair.host.create(
                Ball(x=1.234, spin=UPRIGHT, tag="größe", grid=(1, -2, 3), seen=2**63 + 1)
            )
            pair.until(lambda: pair.guest.exists(ball))
            arrived = pair.guest.get(ball)
            self.assertAlmostEqual(arrived.x, 1.23, places=5)
            self.assertEqual(list(arrived.spin), [0, 0, 0, 1])
            self.assertEqual((arrived.tag, list(arrived.grid)), ("größe", [1, -2, 3]))
            self.assertEqual(arrived.seen, 2**63 + 1)
            self.assertEqual(arrived, pair.host.get(ball))
            self.assertIs(pair.find(pair.guest, "object_created").type, Ball)
            self.assertEqual(pair.guest.world_digest, pair.host.world_digest)

    def test_a_claim_moves_the_object(self):
        with Pair().open() as pair:
            ball = pair.host.create(Ball(spin=UPRIGHT))
            pair.until(lambda: pair.guest.exists(ball))
            self.assertFalse(pair.guest.may_set(ball))
            pair.guest.claim(ball)
            self.assertTrue(pair.guest.is_claiming(ball))
            pair.until(lambda: pair.guest.may_set(ball))
            moved = pair.guest.get(ball)
            moved.x = -20
            pair.guest.set(ball, moved)
            pair.until(lambda: pair.host.get(ball).x == -20)
            self.assertEqual(pair.host.owner(ball), pair.guest.local_peer)
            self.assertEqual(pair.find(pair.host, "owner_changed").previous, pair.host.local_peer)

    def test_a_game_refuses_a_claim(self):
        with Pair().open() as pair:
            asked = pair.host.create(Asked(number=5))
            pair.until(lambda: pair.guest.exists(asked))
            pair.guest.claim(asked)
            pair.until(lambda: pair.find(pair.host, "claim_asked"))
            pair.host.refuse_claim(asked, pair.find(pair.host, "claim_asked").claimer)
            pair.until(lambda: pair.find(pair.guest, "claim_refused"))
            self.assertTrue(pair.find(pair.guest, "claim_refused").refusal)

    def test_many_are_read_without_copies_and_set_at_once(self):
        with Pair().open() as pair:
            balls = [pair.host.create(Ball(x=i, spin=UPRIGHT)) for i in range(50)]
            values = (Ball * 50)(*[pair.host.get(ball) for ball in balls])
            for value in values:
                value.x += 100
            self.assertEqual(pair.host.set_many(Ball, balls, values), 50)
            pair.until(lambda: len(pair.guest.object_ids(Ball)) == 50)
            pair.until(lambda: pair.guest.world_digest == pair.host.world_digest)
            seen = dict(zip(pair.guest.object_ids(Ball), pair.guest.values(Ball)))
            self.assertEqual([seen[ball].x for ball in balls], [100 + i for i in range(50)])
            pair.host.destroy(balls[0])
            pair.until(lambda: not pair.guest.exists(balls[0]))
            self.assertEqual(len(pair.guest.values(Ball)), 49)


class Calls(unittest.TestCase):
    def test_a_request_is_answered(self):
        with Pair().open() as pair:
            number = pair.guest.request(tern.HOST, Shout(words="hello"), timeout_ms=1000)
            pair.until(lambda: pair.find(pair.host, "call"))
            call = pair.find(pair.host, "call")
            self.assertEqual((call.arguments.words, call.caller), ("hello", pair.guest.local_peer))
            pair.host.reply(call, Length(number=len(call.arguments.words)))
            pair.until(lambda: pair.find(pair.guest, "reply"))
            reply = pair.find(pair.guest, "reply")
            self.assertEqual((reply.call, reply.arguments.number), (number, 5))

    def test_a_request_without_a_reply_fails(self):
        with Pair().open() as pair:
            pair.guest.request(tern.HOST, Shout(words="hello"), timeout_ms=200)
            pair.until(lambda: pair.find(pair.guest, "call_failed"))
            self.assertTrue(pair.find(pair.guest, "call_failed").failure)

    def test_everyone_and_owners_get_calls(self):
        with Pair().open() as pair:
            ball = pair.host.create(Ball(spin=UPRIGHT))
            pair.until(lambda: pair.guest.exists(ball))
            pair.guest.call_owner(ball, Shout(words="catch"))
            pair.guest.call(tern.EVERYONE, Shout(words="all"), reliable=False)
            words = lambda: {
                event.arguments.words for event in pair.events[pair.host] if event.kind == "call"
            }
            pair.until(lambda: words() == {"catch", "all"})


class Members(unittest.TestCase):
    def test_the_game_admits_a_newcomer(self):
        with Pair(ask_to_admit=True) as pair:
            pair.host.start()
            pair.guest.join(pair.host.make_invite("127.0.0.1:1"), b"let me in")
            pair.until(lambda: pair.find(pair.host, "join_asked"))
            asked = pair.find(pair.host, "join_asked")
            self.assertEqual((asked.name, asked.payload), ("ben", b"let me in"))
            pair.host.admit(asked.peer)
            pair.until(lambda: pair.guest.state == "open")
            self.assertEqual(pair.host.other_peers, [asked.peer])
            self.assertEqual(pair.guest.peer_name(pair.guest.host_peer), "ada")

    def test_leaving_gives_the_objects_away(self):
        with Pair().open() as pair:
            ball = pair.guest.create(Ball(spin=UPRIGHT))
            pair.until(lambda: pair.host.exists(ball))
            pair.guest.leave()
            pair.until(lambda: pair.guest.state == "left")
            pair.until(lambda: pair.host.owner(ball) == pair.host.local_peer)
            self.assertIn("Left", pair.guest.state_text)

    def test_log_lines_come(self):
        lines = []
        with Pair(log=lines.append).open():
            self.assertIn("The session is open.", lines)


class Word(tern.Struct):
    text: tern.text(8)
    number: tern.uint16


class Mistakes(unittest.TestCase):
    def test_a_wrong_call_raises_what_to_do(self):
        with Pair().open() as pair:
            ball = pair.host.create(Ball(spin=UPRIGHT))
            pair.until(lambda: pair.guest.exists(ball))
            with self.assertRaisesRegex(tern.Misuse, r"^set\(\): .*belongs to peer 1.*claim"):
                pair.guest.set(ball, Ball(spin=UPRIGHT))
            with self.assertRaisesRegex(tern.Misuse, "has begun before"):
                pair.host.start()
            with self.assertRaises(TypeError):
                pair.host.create(tern.Address())
            pair.tick()  # Nothing is left of the mistakes.

    def test_wrong_declarations_are_refused(self):
        with self.assertRaisesRegex(TypeError, "expected a field of tern"):
            type("Wrong", (tern.Object,), {"__annotations__": {"x": float}})
        with self.assertRaisesRegex(ValueError, "expected objects_max"):
            tern.Session([type("Less", (tern.Object,), {"__annotations__": {"x": tern.int8}})])
        with self.assertRaisesRegex(tern.Error, "both named ball"):
            tern.Session([Ball, Ball])
        with self.assertRaisesRegex(tern.Error, "peers_max 99"):
            tern.Session([Ball], peers_max=99)
        with self.assertRaisesRegex(ValueError, "topology is 'ring', expected one of mesh, star"):
            tern.Session([Ball], topology="ring")
        with self.assertRaisesRegex(TypeError, "no setting peer_max"):
            tern.Session([Ball], peer_max=9)
        with self.assertRaisesRegex(TypeError, "no setting allocate"):
            tern.Session([Ball], allocate=1)
        with self.assertRaisesRegex(ValueError, "peers_max is 65538"):
            tern.Session([Ball], peers_max=65538)
        with self.assertRaisesRegex(TypeError, "from __future__ import annotations"):
            type("Late", (tern.Object,), {"__annotations__": {"x": "tern.int8"}})
        with self.assertRaisesRegex(ValueError, "Empty: expected at least one field"):
            tern.Session([type("Empty", (tern.Object,), {}, objects_max=1)])

    def test_values_that_do_not_fit_are_refused(self):
        word = Word()
        word.text, word.number = "abcdef", 65535
        word.text = "x"
        self.assertEqual(word, Word(text="x", number=65535))
        self.assertNotEqual(word, Word(text="y", number=65535))
        with self.assertRaisesRegex(ValueError, "a text of 8 bytes: expected at most 7"):
            word.text = "12345678"
        with self.assertRaisesRegex(ValueError, "number is 65536"):
            Word(number=65536)
        with self.assertRaisesRegex(AttributeError, "Word has no field numbr"):
            word.numbr = 1

    def test_what_is_closed_stays_closed(self):
        session, socket = tern.Session([Ball]), tern.UdpSocket()
        for _ in range(2):
            session.close()
            socket.close()
        with self.assertRaisesRegex(ValueError, "the session is closed"):
            session.start()
        with self.assertRaisesRegex(ValueError, "the socket is closed"):
            socket.receive()

    def test_texts_that_are_none(self):
        with tern.Session([Ball]) as session:
            with self.assertRaisesRegex(ValueError, "the invite: it is cut short"):
                session.join("tern1-abc")
        with self.assertRaisesRegex(ValueError, "is no address: expected"):
            tern.parse_address("localhost:1")


class Sockets(unittest.TestCase):
    def test_two_sessions_meet_by_udp(self):
        with tern.UdpSocket() as here, tern.UdpSocket() as there:
            with tern.Session(TYPES) as host, tern.Session(TYPES) as guest:
                host.start()
                guest.join(host.make_invite("127.0.0.1:%d" % here.port))
                end = time.monotonic() + 20
                while guest.state != "open" and time.monotonic() < end:
                    host.receive(here)
                    guest.receive(there)
                    host.send(here)
                    guest.send(there)
                    time.sleep(0.002)
                self.assertEqual(guest.state, "open")

    def test_an_invite_names_this_machine(self):
        with tern.UdpSocket() as socket, tern.Session(TYPES) as host:
            host.start()
            addresses = tern.local_addresses(socket.port)
            self.assertTrue(addresses[0].endswith(":%d" % socket.port))
            host.make_invite(*addresses)

    def test_a_port_in_use_is_told(self):
        with tern.UdpSocket() as socket:
            with self.assertRaisesRegex(tern.Error, "port %d: Another socket" % socket.port):
                tern.UdpSocket(socket.port)


if __name__ == "__main__":
    unittest.main()
