// A guest of examples/meet.cpp by node's UDP: takes the ball, throws it to (3, 4), cheers, leaves.
//     node meet.mjs INVITE
import dgram from "node:dgram";
import {address_of, ip_text, load} from "./tern.mjs";

const types = [
  {name: "ball", objects_max: 10, fields: [
    {name: "x", kind: "float32", min: -100, max: 100, step: 0.01},
    {name: "y", kind: "float32", min: -100, max: 100, step: 0.01},
    {name: "touches", kind: "uint16"}]},
  {name: "cheer", fields: [{name: "words", kind: "text", count: 32}]},
  {name: "thanks", fields: [{name: "touches", kind: "int32"}]},
];

if (process.argv.length !== 3) {
  console.error("expected: node meet.mjs INVITE");
  process.exit(2);
}
const tern = await load();
const session = tern.make_session(types, {name: "javascript"});
session.join(process.argv[2]);

const socket = dgram.createSocket("udp4");
const arrived = [];
socket.on("message", (bytes, from) => {
  arrived.push({...address_of(from.address, from.port), bytes});
});
await new Promise(bound => socket.bind(0, bound));

function act(event) {
  if (event.kind === "caught_up") session.claim(session.object_ids("ball")[0]);
  if (event.kind === "claim_granted") {
    const touches = session.get(event.object).touches;
    session.set(event.object, {x: 3, y: 4, touches: touches + 1});
    session.request(session.host_peer, "cheer", {words: "hurray"});
  }
  if (event.kind === "reply") {
    console.log("thanks for touch", event.arguments.touches);
    session.leave();
  }
  if (event.kind === "claim_refused" || event.kind === "call_failed")
    throw new Error(event.refusal ?? event.failure);
}

while (["joining", "open", "cut_off", "leaving"].includes(session.state)) {
  const now_us = Math.round(performance.now() * 1000);
  session.receive(arrived.splice(0), now_us).forEach(act);
  for (const datagram of session.send(now_us))
    socket.send(datagram.bytes, datagram.port, ip_text(datagram));
  await new Promise(later => setTimeout(later, 5));
}
socket.close();
if (session.state !== "left") throw new Error(session.state_text);
session.close();
