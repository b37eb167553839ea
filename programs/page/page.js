// The page: its controls, the loop that plays the world, and what it tells about it.
const tick_us = 16667;
const ticks_max = 4; // One frame plays no more; a slow machine plays in slow motion.
const by_id = (id) => document.getElementById(id);

class Page {
  constructor(module) {
    this.module = module;
    this.speed = 1;
    this.owed_us = 0;
    this.chosen = {lane: 0, object: 0};
    this.walks = true;
    this.sliders = {};
    for (const name of ["loss", "delay", "jitter"]) {
      this.sliders[name] = by_id(name);
      this.sliders[name].oninput = () => this.impair();
    }
    this.views = peer_names.map((name, lane) => this.make_view(name, lane));
    fill_legend(by_id("legend"));
    by_id("kill-host").onclick = () => this.kill_host();
    by_id("halves").onclick = () => this.cut_in_halves(!this.is_halved());
    by_id("walk").onclick = () => this.let_walk(!this.walks);
    by_id("quorum").onchange = () => this.begin();
    by_id("speed").onchange = () => { this.speed = Number(by_id("speed").value); };
    this.begin();
  }

  // A new world, with the network and the quorum that the controls show.
  begin(seed = Math.floor(Math.random() * 0xffffffff)) {
    this.module._page_make(seed, by_id("quorum").value === "survivors");
    this.now_us = 0;
    this.cuts = new Set(); // Each is a pair such as "0 1".
    this.before = null;
    this.disturbed_us = null;
    this.left_host = -1;
    by_id("log").replaceChildren();
    this.say("Ada starts a session; the others join it.");
    this.impair();
    this.let_walk(this.walks);
    this.show_cuts();
    this.last_host = undefined;
    this.equal_us = 0;
    this.look();
  }

  impair() {
    const value = (name) => Number(this.sliders[name].value);
    this.module._page_impair(value("loss") / 100, value("delay"), value("jitter"));
    set_text(by_id("loss-text"), `${value("loss")} %`);
    set_text(by_id("delay-text"), `${value("delay")} ms`);
    set_text(by_id("jitter-text"), `+ ${value("jitter")} ms`);
  }

  let_walk(walks) {
    this.walks = walks;
    this.module._page_let_walk(walks);
    set_text(by_id("walk"), walks ? "Stop players" : "Let them walk");
  }

  // --- The peers and the network ---

  kill(lane) {
    this.say(`${peer_names[lane]} is killed.`, lane);
    if (this.peers[lane].host === lane) this.left_host = this.now_us;
    this.module._page_kill(lane);
    this.disturbed_us = this.now_us;
  }

  revive(lane) {
    this.module._page_revive(lane);
    this.disturbed_us = this.now_us;
  }

  host() { return this.peers.findIndex((peer, lane) => peer.open && peer.host === lane); }

  kill_host() {
    const host = this.host();
    if (host >= 0) this.kill(host);
  }

  cut(lane, other, is_cut) {
    this.module._page_cut(lane, other, is_cut);
    const key = `${Math.min(lane, other)} ${Math.max(lane, other)}`;
    if (is_cut) this.cuts.add(key);
    else this.cuts.delete(key);
  }

  is_isolated(lane) {
    return peer_names.every((_, other) => other === lane
      || this.cuts.has(`${Math.min(lane, other)} ${Math.max(lane, other)}`));
  }

  isolate(lane, is_cut) {
    for (let other = 0; other < lane_count; ++other)
      if (other !== lane) this.cut(lane, other, is_cut);
    const what = is_cut ? "is cut off from the others" : "can reach the others again";
    this.say(`${peer_names[lane]} ${what}.`, lane);
    this.disturbed_us = this.now_us;
    this.show_cuts();
  }

  is_halved() { return this.cuts.size > 0; }

  // The upper two peers and the lower two hear each other no more. Healing ends all cuts.
  cut_in_halves(is_cut) {
    for (let lane = 0; lane < lane_count; ++lane)
      for (let other = lane + 1; other < lane_count; ++other)
        if (!is_cut || (lane < 2 && other >= 2)) this.cut(lane, other, is_cut);
    this.say(is_cut ? "The network is cut between Ben and Cleo."
      : "The network is whole again.");
    this.disturbed_us = this.now_us;
    this.show_cuts();
  }

  show_cuts() {
    const is_cut = this.is_halved();
    set_text(by_id("halves"), is_cut ? "Heal" : "Cut in halves");
    by_id("halves").classList.toggle("on", is_cut);
    by_id("views").classList.toggle("halved", [...this.cuts].sort().join() === "0 2,0 3,1 2,1 3");
  }

  // --- Views ---

  make_view(name, lane) {
    const view = {
      name: make("span", {className: "name", textContent: name}),
      badge: make("span", {className: "badge", textContent: "HOST"}),
      state: make("span", {className: "state"}), digest: make("span", {className: "digest"}),
      kill: make("button"), cut: make("button"), go_on: make("button", {textContent: "go_on()"}),
      canvas: make("canvas")};
    view.name.style.color = view.badge.style.background = peer_colors[lane];
    view.kill.onclick = () => (this.peers[lane].alive ? this.kill(lane) : this.revive(lane));
    view.cut.onclick = () => this.isolate(lane, !this.is_isolated(lane));
    view.go_on.onclick = () => this.module._page_go_on(lane);
    this.listen(view.canvas, lane);
    by_id("views").append(make("div", {className: "card view"},
      make("div", {className: "head"}, view.name, view.badge, view.state, view.go_on, view.cut,
           view.kill), view.canvas, view.digest));
    return view;
  }

  place_of(event, canvas) {
    const unit = canvas.clientWidth / room.width;
    return {x: event.offsetX / unit, y: event.offsetY / unit};
  }

  listen(canvas, lane) {
    const {module} = this;
    let dragged = -1; // The object, 0 for the floor, -1 while the button is up.
    canvas.onpointerdown = (event) => {
      const {x, y} = this.place_of(event, canvas);
      dragged = module._page_cube_at(lane, x, y);
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId); // Not one of a test.
      module._page_drag(lane, dragged, x, y);
    };
    canvas.onpointermove = (event) => {
      const {x, y} = this.place_of(event, canvas);
      const object = dragged > 0 ? dragged : module._page_cube_at(lane, x, y);
      if (object !== 0) this.chosen = {lane, object};
      if (dragged >= 0) module._page_drag(lane, dragged, x, y);
    };
    canvas.onpointerup = canvas.onpointercancel = () => {
      dragged = -1;
      module._page_let_go(lane);
    };
    canvas.ondblclick = (event) => {
      const {x, y} = this.place_of(event, canvas);
      const object = module._page_cube_at(lane, x, y);
      if (object !== 0) module._page_destroy(lane, object);
      else module._page_create(lane, x, y);
    };
  }

  show_head(lane) {
    const peer = this.peers[lane], view = this.views[lane];
    const text = state_texts[peer.state] || "ended";
    const rate = Math.round(peer.bits / 1000);
    const open = `${peer.objects} cubes, owns ${peer.owned}; sends ${rate} kbit/s`;
    set_text(view.state, !peer.alive ? "dead" : peer.open ? open : text);
    set_text(view.digest, peer.open ? `digest ${peer.digest.slice(0, 6)}` : "");
    view.digest.classList.toggle("equal", peer.open && this.is_equal);
    view.badge.style.display = peer.alive && peer.host === lane ? "" : "none";
    const alone = this.peers.filter((other) => other.alive).length === 1;
    const may_go_on = peer.alive && peer.state === state_cut_off && alone;
    view.go_on.style.display = may_go_on ? "" : "none";
    set_text(view.kill, peer.alive ? "Kill" : "Revive");
    view.kill.classList.toggle("main", !peer.alive);
    set_text(view.cut, this.is_isolated(lane) ? "Heal" : "Cut off");
    view.cut.classList.toggle("on", this.is_isolated(lane));
  }

  // --- What happened ---

  say(text, lane = -1) {
    const log = by_id("log"), time = `${(this.now_us / 1e6).toFixed(1)} s`;
    const line = make("span", {textContent: text});
    if (lane >= 0) line.style.color = peer_colors[lane];
    log.prepend(make("li", {}, make("time", {textContent: time}), line));
    while (log.children.length > 5) log.lastChild.remove();
  }

  note_changes() {
    const {peers, before} = this;
    this.before = peers;
    if (!before) return;
    peers.forEach((peer, lane) => {
      const was = before[lane], name = peer_names[lane];
      if (peer.alive && peer.state === state_cut_off && was.state !== state_cut_off)
        this.say(`${name} hears no majority, and waits.`, lane);
      if (peer.open && was.alive && was.state === state_cut_off)
        this.say(`${name} hears enough of the others, and goes on.`, lane);
      if (peer.open && was.alive && was.state < state_open && this.now_us > 3e6)
        this.say(`${name} has joined and has all ${peer.objects} cubes.`, lane);
    });
    const host = this.host();
    if (host < 0 || host === this.last_host) return;
    if (this.last_host !== undefined && this.now_us > 3e6) {
      const later = ((this.now_us - this.left_host) / 1e6).toFixed(1);
      const when = this.left_host >= 0 ? `, ${later} s later` : "";
      this.say(`${peer_names[host]} is the host now${when}.`, host);
    }
    this.left_host = -1;
    this.last_host = host;
  }

  judge() {
    const open = this.peers.filter((peer) => peer.open);
    const living = this.peers.filter((peer) => peer.alive);
    this.is_equal = open.length > 0 && open.length === living.length
      && open.every((peer) => peer.digest === open[0].digest);
    if (this.is_equal) this.equal_us = this.now_us;
    const verdict = by_id("verdict");
    verdict.classList.toggle("equal", this.is_equal);
    verdict.classList.toggle("split", living.some((peer) => peer.state === state_cut_off));
    const ago = ((this.now_us - this.equal_us) / 1e6).toFixed(1);
    if (this.is_equal)
      set_text(verdict, `all ${open.length} digests are equal: ${open[0].digest.slice(0, 6)}`);
    else if (open.length < living.length) {
      const verb = living.some((peer) => peer.state === state_cut_off) ? "wait" : "join";
      set_text(verdict, open.length === 0 && verb === "wait" ? "no part has a majority: all wait"
        : `${living.length - open.length} of ${living.length} peers ${verb}`);
    }
    else set_text(verdict, `the worlds were equal ${ago} s ago`);
    const is_disturbed = this.disturbed_us !== null && this.now_us > this.disturbed_us + 5e5;
    if (!this.is_equal || !is_disturbed) return;
    this.disturbed_us = null;
    this.say(`All ${open.length} digests are equal again.`);
  }

  // The text of explanation() in playground.cpp.
  show_explanation() {
    const {lane, object} = this.chosen;
    if (object === 0) return;
    const text = this.module.UTF8ToString(this.module._page_explain(lane, object));
    if (text === this.explained) return;
    this.explained = text;
    const lines = text.split("\n").filter((line) => line !== "");
    by_id("explain").replaceChildren(...lines.map((line) => {
      const at = peer_names.findIndex((name) => line.startsWith(`${name}: `));
      if (at < 0) return make("div", {className: "asked", textContent: line});
      const name = make("b", {textContent: peer_names[at]});
      name.style.color = peer_colors[at];
      return make("div", {className: "answer"}, name,
                  make("span", {textContent: line.slice(peer_names[at].length + 2)}));
    }));
  }

  // --- The loop ---

  step() {
    this.now_us += tick_us;
    this.module._page_step(this.now_us);
    this.look();
  }

  look() {
    this.module._page_show();
    this.peers = read_peers(this.module);
    this.note_changes();
    this.judge();
  }

  draw() {
    this.views.forEach((view, lane) => {
      this.show_head(lane);
      draw_view(view.canvas, this.peers[lane], read_cubes(this.module, lane), this.chosen.object);
    });
    draw_lanes(by_id("lanes"), read_lines(this.module), this.peers, this.now_us / 1000,
               this.chosen.object);
    this.drawn = (this.drawn || 0) + 1;
    if (this.drawn % 12 === 1) this.show_explanation();
  }

  frame(time_ms) {
    const passed_us = Math.min((time_ms - (this.frame_ms || time_ms)) * 1000, ticks_max * tick_us);
    this.frame_ms = time_ms;
    if (!by_id("world-tab").hidden) {
      this.owed_us += passed_us * this.speed;
      for (; this.owed_us >= tick_us * 0.98; this.owed_us -= tick_us) this.step();
      this.draw();
    }
    requestAnimationFrame((next) => this.frame(next));
  }
}

function choose_tab(name, steps) {
  for (const tab of ["world", "steps"]) {
    by_id(`${tab}-tab`).hidden = tab !== name;
    by_id(`choose-${tab}`).classList.toggle("chosen", tab === name);
  }
  by_id("verdict").style.visibility = name === "world" ? "" : "hidden";
  steps.draw();
}

async function open_page() {
  const steps = new StepsView(by_id("steps-tab"), stories);
  for (const tab of ["world", "steps"])
    by_id(`choose-${tab}`).onclick = () => choose_tab(tab, steps);
  window.onresize = () => steps.draw();
  choose_tab(location.hash === "#steps" ? "steps" : "world", steps);
  const page = new Page(await make_world());
  page.step();
  if (window.tern_test) window.tern_test(page, steps); // tests/page/ plays the page itself.
  else requestAnimationFrame((time) => page.frame(time));
}

open_page();
