#!/usr/bin/env python3
"""A guest of examples/meet.cpp: takes the ball, throws it to (3, 4), cheers, and leaves.

    meet.py INVITE
"""

import sys
import time

import tern


class Ball(tern.Object, name="ball", objects_max=10):
    x: tern.float32(min=-100, max=100, step=0.01)
    y: tern.float32(min=-100, max=100, step=0.01)
    touches: tern.uint16


class Cheer(tern.Struct, name="cheer"):
    words: tern.text(32)


class Thanks(tern.Struct, name="thanks"):
    touches: tern.int32


def act(session, event):
    if event.kind == "caught_up":
        session.claim(session.object_ids(Ball)[0])
    if event.kind == "claim_granted":
        touches = session.get(event.object).touches
        session.set(event.object, Ball(x=3, y=4, touches=touches + 1))
        session.request(tern.HOST, Cheer(words="hurray"), timeout_ms=5000)
    if event.kind == "reply":
        print("thanks for touch %d" % event.arguments.touches)
        session.leave()
    if event.kind in ("claim_refused", "call_failed"):
        sys.exit("%s: %s" % (event.kind, event.refusal or event.failure))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with tern.UdpSocket() as socket, tern.Session([Ball, Cheer, Thanks], name="python") as session:
        session.join(sys.argv[1])
        while session.state in ("joining", "open", "cut_off", "leaving"):
            for event in session.receive(socket):
                act(session, event)
            session.send(socket)
            time.sleep(0.005)
        if session.state != "left":
            sys.exit(session.state_text)


main()
