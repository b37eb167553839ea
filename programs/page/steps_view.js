// Plays a history step by step: lanes drawn up to a step, what each peer believes, one sentence.
const lane_colors = ["#2f6fe4", "#ee7d1a", "#12a06a", "#9a45d8", "#0ea5b7", "#b45309"];
const message_colors = {CREATE: "#12a06a", MIGRATE: "#d97706", GRANT: "#d97706", DESTROY: "#d32f2f",
                        DEAD: "#d32f2f", CLAIM: "#8b5cf6", UPDATE: "#8a93a0"};
const steps_left = 108, steps_right = 76, steps_top = 44;
const steps_height = 248; // Between the first lane and the last, unless there are many.
const steps_row_min = 50;
const play_ms = 2200;
const steps_shown_max = 20; // A longer history moves by.

function steps_color(history, peer) {
  const lane = history.peers.findIndex((stay) => stay.peer === peer);
  return lane < 0 ? "#8a93a0" : lane_colors[history.peers[lane].lane % lane_colors.length];
}

// The history without the messages, beliefs and acts that are about other objects than this one.
function history_of(history, object) {
  const is_wanted = (one) => one.object === null || one.object === object;
  const names_another = (event) => /\d+\.\d+/.test(event.label || "")
    && !(event.label || "").split(/[^\d.]+/).includes(object);
  const messages = history.messages.filter(is_wanted) // Some were received and never seen sent.
    .map((message) => ({...message, sent: message.sent ?? message.ended}));
  return {...history, messages,
          objects: history.objects.filter(is_wanted),
          events: history.events.filter((event) => !names_another(event))};
}

// The times at which something happens, with 0 before them.
function step_times(history) {
  const times = new Set([0]);
  const add = (time) => time !== null && times.add(time);
  for (const message of history.messages) { add(message.sent); add(message.ended); }
  for (const belief of history.objects) add(belief.from);
  for (const event of history.events) add(event.time);
  return [...times].sort((a, b) => a - b);
}

function lane_name(history, lane) { return history.lanes[lane].replace(" host", ""); }

// A sentence for steps without a note: what the history says about this time.
function step_sentence(history, time) {
  const parts = [];
  for (const event of history.events)
    if (event.time === time)
      parts.push(`${lane_name(history, event.lane)}: ${event.label || event.event}`);
  for (const message of history.messages) {
    const what = message.object ? `${message.message} of ${message.object}` : message.message;
    const to = lane_name(history, message.to), from = lane_name(history, message.from);
    if (message.sent === time) parts.push(`${from} sends ${what} to ${to}`);
    if (message.ended !== time || message.outcome === "in flight") continue;
    const outcome = {received: "receives", ignored: "ignores"}[message.outcome];
    parts.push(outcome ? `${to} ${outcome} ${what} from ${from}` : `${what} to ${to} is lost`);
  }
  return parts.length > 0 ? `${parts.slice(0, 6).join("; ")}.` : "The history begins.";
}

function belief_at(history, lane, object, time) {
  return history.objects.find((belief) => belief.lane === lane && belief.object === object
    && belief.from <= time && (belief.to === null || time < belief.to));
}

function has_crashed(history, lane, time) {
  const last = history.events.filter((event) => event.lane === lane && event.time <= time
    && ["crashed", "left", "started"].includes(event.event)).pop();
  return last !== undefined && last.event !== "started";
}

class StepsView {
  // `stories`: {title, text, history, notes} each; notes has sentences by time.
  constructor(place, stories) {
    this.stories = stories;
    this.place = place;
    this.tabs = stories.map((story, i) => make("button",
      {className: "story", onclick: () => this.choose(i)},
      make("b", {textContent: story.title}), make("span", {textContent: story.text})));
    this.canvas = make("canvas");
    this.sentence = make("div", {className: "sentence"});
    this.back = make("button", {textContent: "\u2039 Back", onclick: () => this.go(this.step - 1)});
    this.next = make("button", {textContent: "Next \u203a", className: "main",
                                onclick: () => this.go(this.step + 1)});
    this.play = make("button", {textContent: "Play", onclick: () => this.toggle_play()});
    this.slider = make("input", {type: "range", min: 0, value: 0,
                                 oninput: () => this.go(Number(this.slider.value))});
    this.count = make("output");
    this.objects = make("select", {onchange: () => this.choose_object(this.objects.value)});
    this.beliefs = make("div", {className: "beliefs"});
    place.append(make("div", {className: "stories"}, ...this.tabs),
                 make("div", {className: "card"}, this.canvas), this.sentence,
                 make("div", {className: "controls"}, this.back, this.next, this.play, this.objects,
                      this.slider, this.count), this.beliefs);
    this.choose(0);
  }

  choose(i) {
    this.stop();
    this.story = this.stories[i];
    const {history} = this.story, broken = history.violation;
    this.tabs.forEach((tab, at) => tab.classList.toggle("chosen", at === i));
    this.beliefs.replaceChildren(...history.lanes.map((name) =>
      make("div", {className: "card belief"}, make("b", {textContent: name}), make("div"))));
    const objects = [...new Set(history.objects.map((one) => one.object))];
    this.objects.replaceChildren(...objects.map((textContent) => make("option", {textContent})));
    this.objects.style.display = objects.length > 1 ? "" : "none";
    this.choose_object(broken && broken.object ? broken.object : objects[0]);
  }

  choose_object(object) {
    this.object = this.objects.value = object;
    this.history = history_of(this.story.history, object);
    this.times = step_times(this.history);
    this.steps = new Map(this.times.map((time, step) => [time, step]));
    this.slider.max = this.times.length - 1;
    this.go(0);
  }

  go(step) {
    this.step = Math.min(Math.max(step, 0), this.times.length - 1);
    this.draw();
  }

  // Objects that live from this time on are ghosts.
  ghost_from() { return this.story.ghost_from || Infinity; }

  toggle_play() {
    if (this.timer) return this.stop();
    if (this.step === this.times.length - 1) this.go(0);
    this.play.textContent = "Stop";
    this.timer = setInterval(() => {
      this.go(this.step + 1);
      if (this.step === this.times.length - 1) this.stop();
    }, play_ms);
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = "Play";
  }

  draw() {
    const time = this.times[this.step], {violation} = this.history;
    const is_wrong = violation !== null && time >= Math.min(violation.time, this.ghost_from());
    const is_last = this.step === this.times.length - 1;
    const note = (this.story.notes || {})[time];
    set_text(this.sentence, note || step_sentence(this.history, time));
    if (is_wrong && !note) this.sentence.append(` ${violation.invariant}: ${violation.text}.`);
    this.sentence.classList.toggle("wrong", is_wrong);
    this.sentence.classList.toggle("right", is_last && violation === null);
    this.slider.value = this.step;
    set_text(this.count, `step ${this.step} of ${this.times.length - 1}`);
    this.back.disabled = this.step === 0;
    this.next.disabled = is_last;
    this.history.lanes.forEach((_, lane) => this.draw_belief(lane, time));
    this.draw_canvas(time);
  }

  draw_belief(lane, time) {
    const card = this.beliefs.children[lane];
    const belief = belief_at(this.history, lane, this.object, time);
    const gone = has_crashed(this.history, lane, time);
    const color = belief && belief.alive ? steps_color(this.history, belief.owner) : "#cbd3dd";
    const is_ghost = !gone && belief && belief.alive && belief.from >= this.ghost_from();
    card.classList.toggle("ghost", Boolean(is_ghost));
    card.style.borderLeftColor = gone ? "#cbd3dd" : color;
    let text = `has never heard of ${this.object}`;
    const had = this.history.objects.some((one) => one.lane === lane && one.object === this.object
      && one.from <= time);
    if (had) text = `has forgotten ${this.object}`;
    if (belief && !belief.alive) text = `remembers that ${this.object} is destroyed`;
    if (belief && belief.alive)
      text = `${this.object} is alive; its owner is peer ${belief.owner}, stamp ${belief.stamp}`;
    if (is_ghost) text += ": a ghost";
    set_text(card.children[1], gone ? "crashed" : text);
  }

  // --- The lanes ---

  draw_canvas(time) {
    if (this.canvas.clientWidth === 0) return; // The tab is hidden.
    const gaps = Math.max(this.history.lanes.length - 1, 1);
    this.row = Math.max(steps_height / gaps, steps_row_min);
    const height = steps_top + this.row * gaps + 40;
    const {context, width} = context_of(this.canvas, height);
    const end = this.times.length - 1 || 1, shown = Math.min(end, steps_shown_max);
    const first = Math.min(Math.max(this.step - shown + 4, 0), end - shown);
    this.x_of = (at) => steps_left + (width - steps_left - steps_right)
      * ((this.steps.get(at) ?? end) - first) / shown;
    const is_shown = (until) => (this.steps.get(until) ?? end) >= first;
    this.y_of = (lane) => steps_top + this.row * lane;
    this.draw_now(context, time, height);
    this.history.lanes.forEach((name, lane) => this.draw_lane(context, name, lane, width));
    context.save();
    context.beginPath();
    context.rect(first > 0 ? steps_left - 10 : 0, 0, width, height);
    context.clip();
    for (const belief of this.history.objects)
      if (belief.from <= time && is_shown(belief.to)) this.draw_period(context, belief, time);
    const labels = this.history.messages
      .filter((one) => one.sent <= time && is_shown(one.ended))
      .map((message) => this.draw_message(context, message, time));
    const taken = []; // Places of labels, which lie above all arrows.
    for (const label of labels) this.draw_label(context, label, taken);
    this.draw_events(context, time, is_shown);
    context.restore();
  }

  draw_now(context, time, height) {
    context.fillStyle = "#eaf1fd";
    context.fillRect(this.x_of(time) - 9, 0, 18, height);
  }

  draw_lane(context, name, lane, width) {
    const y = this.y_of(lane);
    context.fillStyle = lane_colors[lane % lane_colors.length];
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(name, 0, y + 4);
    context.strokeStyle = "#d5dce5";
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(steps_left - 10, y);
    context.lineTo(width - 8, y);
    context.stroke();
  }

  // A thick bar in the colour of the owner; where the object is known as destroyed it is dark.
  draw_period(context, belief, time) {
    const y = this.y_of(belief.lane), end = belief.to === null ? time : Math.min(belief.to, time);
    const x = this.x_of(belief.from);
    context.fillStyle = belief.alive ? steps_color(this.history, belief.owner) : "#3b4554";
    const thick = belief.alive ? 14 : 5;
    context.fillRect(x, y - thick / 2, Math.max(this.x_of(end) - x, 6), thick);
    if (!belief.alive || belief.from < this.ghost_from()) return;
    context.font = "700 13px system-ui, sans-serif";
    context.fillStyle = "#c62828";
    context.fillText("ghost", x, y + 24);
  }

  // Gives the label of the arrow.
  draw_message(context, message, time) {
    const is_over = message.ended !== null && message.ended <= time;
    const x1 = this.x_of(message.sent), y1 = this.y_of(message.from);
    const last = message.ended === null ? this.times[this.times.length - 1] : message.ended;
    const part = is_over || last === message.sent ? 1
      : (this.x_of(time) - x1) / ((this.x_of(last) - x1) || 1);
    const x2 = x1 + (this.x_of(last) - x1) * part;
    const y2 = y1 + (this.y_of(message.to) - y1) * part;
    const ignored = is_over && message.outcome === "ignored";
    const lost = is_over && message.outcome === "lost";
    context.strokeStyle = context.fillStyle = message_colors[message.message] || "#0ea5b7";
    context.globalAlpha = ignored || lost ? 0.45 : 1;
    context.lineWidth = 2;
    context.setLineDash(ignored || lost ? [5, 4] : []);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.setLineDash([]);
    if (lost) draw_cross(context, x2, y2, 5);
    else this.draw_head(context, {x1, y1, x2, y2}, is_over);
    context.globalAlpha = 1;
    const text = message.message + (ignored ? " (ignored)" : lost ? " (lost)" : "");
    return {text, color: context.fillStyle, x1, y1, x2, y2};
  }

  draw_head(context, {x1, y1, x2, y2}, is_over) {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    context.beginPath();
    if (is_over) {
      context.moveTo(x2, y2);
      context.lineTo(x2 - 11 * Math.cos(angle - 0.35), y2 - 11 * Math.sin(angle - 0.35));
      context.lineTo(x2 - 11 * Math.cos(angle + 0.35), y2 - 11 * Math.sin(angle + 0.35));
    } else {
      context.arc(x2, y2, 4, 0, 2 * Math.PI);
    }
    context.fill();
  }

  // Beside the middle of the arrow, or elsewhere along it if another label is there.
  draw_label(context, {text, color, x1, y1, x2, y2}, taken) {
    context.font = "600 11px system-ui, sans-serif";
    const width = context.measureText(text).width + 6;
    for (const part of [0.5, 0.35, 0.65, 0.25, 0.75, 0.18, 0.82]) {
      const x = Math.min(x1 + (x2 - x1) * part + 5, this.canvas.clientWidth - width);
      const y = y1 + (y2 - y1) * part;
      const is_on_lane = this.history.lanes.some((_, lane) => Math.abs(this.y_of(lane) - y) < 17);
      const is_taken = is_on_lane || taken.some((box) => Math.abs(box.y - y) < 15
        && x < box.x + box.width && box.x < x + width);
      if (is_taken) continue;
      taken.push({x, y, width});
      context.fillStyle = "rgba(255, 255, 255, 0.85)";
      context.fillRect(x, y - 8, width, 15);
      context.fillStyle = color;
      context.fillText(text, x + 3, y + 4);
      return;
    }
  }

  draw_events(context, time, is_shown) {
    context.font = "12px system-ui, sans-serif";
    for (const event of this.history.events) {
      if (event.time > time || !is_shown(event.time) || event.event === "duplicated") continue;
      const x = this.x_of(event.time), y = this.y_of(event.lane);
      context.fillStyle = event.event === "crashed" ? "#d32f2f" : "#3d4756";
      if (event.event === "crashed") {
        context.strokeStyle = "#d32f2f";
        context.lineWidth = 3;
        draw_cross(context, x, y, 7);
      }
      const text = (event.label || event.event).replace(/^(create|claim|destroy|crash) \d+/, "$1");
      context.textAlign = x > this.canvas.clientWidth - 80 ? "end" : "center";
      context.fillText(text, x, y - 16);
      context.textAlign = "start";
    }
  }
}
