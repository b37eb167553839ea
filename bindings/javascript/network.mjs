// The simulated network: datagrams between sessions of one page or test, late, lost or doubled. It
// is deterministic: the same seed and the same calls give the same run.

import {check_options, flag, real, time_us, whole} from "./fields.mjs";

const impairments = ["latency_ms_min", "latency_ms_max", "loss", "duplicate"];

// The arguments of js_make_network() and js_impair().
function impairment({latency_ms_min = 20, latency_ms_max = 80, loss = 0, duplicate = 0}) {
  return [whole("latency_ms_min", latency_ms_min), whole("latency_ms_max", latency_ms_max),
          real("loss", loss), real("duplicate", duplicate)];
}

function checked_port(port) { return whole("a port", port, 65535, 1); }

export class SimSocket {
  constructor(network, port) {
    checked_port(port);
    this._network = network;
    this.address = {ip: Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1), port};
    this._socket = network._c._js_make_socket(network._at, port);
    if (this._socket === 0) throw new RangeError(`another socket of the network has port ${port}`);
  }

  get _open() {
    if (this._socket === 0 || this._network._network === 0)
      throw new RangeError("the socket is closed");
    return this._socket;
  }

  close() {
    if (this._socket && this._network._network) this._network._c._js_destroy_socket(this._socket);
    this._socket = 0;
  }
}

export class Network {
  constructor(tern, options) {
    check_options("the network", options, ["seed", ...impairments]);
    const {seed = 1} = options;
    whole("seed", seed, Number.MAX_SAFE_INTEGER);
    this._c = tern._module;
    this._network = this._c._js_make_network(seed, ...impairment(options));
    if (this._network === 0) throw new RangeError("an impairment of the network is out of range");
  }

  get _at() {
    if (this._network === 0) throw new RangeError("the network is closed");
    return this._network;
  }

  // A socket at 127.0.0.1 and the port, for Session.receive() and send().
  make_socket(port) { return new SimSocket(this, port); }

  // Datagrams that are sent later are impaired like this.
  impair(options) {
    check_options("the network", options, impairments);
    if (!this._c._js_impair(this._at, ...impairment(options)))
      throw new RangeError("an impairment of the network is out of range");
  }

  // Datagrams from one port to another are lost, or not any more.
  cut(from, to, cut = true) {
    this._c._js_cut(this._at, checked_port(from), checked_port(to), flag("cut", cut));
  }

  // Delivers what is due.
  advance(now_us) {
    time_us("now_us", now_us);
    if (!this._c._js_advance(this._at, now_us))
      throw new RangeError("the time of the network would go back");
  }

  close() {
    if (this._network) this._c._js_destroy_network(this._network);
    this._network = 0;
  }
}
