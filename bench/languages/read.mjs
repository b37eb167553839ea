// Reads the positions of 1,000 bodies into a Float32Array, as read.c does. Prints the time of a
// tick in ns. The package is that of $TERN_JAVASCRIPT.
import {pathToFileURL} from "node:url";

const {load} = await import(pathToFileURL(`${process.env.TERN_JAVASCRIPT}/tern.mjs`));
const bodies = 1000, ticks = 2000;
const tern = await load();
const session = tern.make_session([{name: "body", objects_max: bodies, fields: [
  {name: "position", kind: "float32", count: 3},
  {name: "rotation", kind: "float32", count: 4},
  {name: "health", kind: "int32"}]}]);
session.start();
for (let i = 0; i < bodies; ++i) session.create("body", {position: [i, 0, 0], health: i});
const positions = new Float32Array(3 * bodies);
for (let i = 0; i < ticks; ++i) session.read_column("body", "position", positions);
const begun = process.hrtime.bigint();
for (let i = 0; i < ticks; ++i) session.read_column("body", "position", positions);
const time_ns = Number(process.hrtime.bigint() - begun);
if (positions[21] !== 7) throw new Error("what was read is wrong");
console.log(`all ${Math.round(time_ns / ticks)}`);
