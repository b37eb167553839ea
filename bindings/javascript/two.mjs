// Two peers share a lamp over a simulated network that loses one datagram in ten.
//     node two.mjs
import {load} from "./tern.mjs";

const types = [{name: "lamp", objects_max: 100, fields: [
  {name: "on", kind: "boolean"},
  {name: "brightness", kind: "float32", min: 0, max: 1, step: 0.01}]}];

const tern = await load();
const network = tern.make_network({latency_ms_min: 20, latency_ms_max: 80, loss: 0.1});
const ada = tern.make_session(types, {name: "ada"}), ada_socket = network.make_socket(1);
const ben = tern.make_session(types, {name: "ben"}), ben_socket = network.make_socket(2);
ada.start();
ben.join(ada.make_invite(ada_socket.address));
const lamp = ada.create("lamp", {on: true, brightness: 0.5});

for (let now_us = 0; now_us < 3_000_000; now_us += 16_667) { // Three seconds in virtual time.
  network.advance(now_us);
  ada.receive(ada_socket, now_us);
  for (const event of ben.receive(ben_socket, now_us)) {
    if (event.kind === "object_created") console.log("ben sees", ben.get(lamp));
    if (event.kind === "caught_up") ben.claim(lamp);
    if (event.kind === "claim_granted") ben.set(lamp, {on: false}); // The lamp is his now.
  }
  ada.send(now_us, ada_socket);
  ben.send(now_us, ben_socket);
}
console.log("ada sees", ada.get(lamp), "of", ada.peer_name(ada.owner(lamp)));
