// Swim lanes: the messages and datagrams between the peers in the last second.
const line_kinds = [ // LineKind of lanes.h is the index.
  {name: "other", color: "#c3ccd8"}, {name: "CREATE", color: "#12a06a"},
  {name: "MIGRATE", color: "#d97706"}, {name: "DESTROY", color: "#d32f2f"},
  {name: "CLAIM", color: "#8b5cf6"}, {name: "membership", color: "#0ea5b7"},
  {name: "UPDATE", color: "#7d8ba0"}];
const line_update = 6;
function is_datagram(line) { return line.kind === 0 || line.kind === line_update; }
const end_lost = 3;
const lanes_height = 160, lanes_left = 44, lanes_ms = 1000;

function lane_y(lane) { return 16 + lane * (lanes_height - 32) / (lane_count - 1); }

function fill_legend(element) {
  const [other, ...kinds] = line_kinds;
  for (const {name, color} of [...kinds, other])
    element.append(make("span", {}, make("i", {style: `background:${color}`}), name));
  element.append(make("span", {style: "color:#d32f2f"}, "\u00d7 lost"));
}

function draw_lane_names(context, width, peers) {
  context.font = "600 12px system-ui, sans-serif";
  for (let lane = 0; lane < lane_count; ++lane) {
    const y = lane_y(lane), dead = !peers[lane].alive;
    context.fillStyle = peer_colors[dead ? lane_count : lane];
    context.strokeStyle = "#98a4b5"; // A colour here is the kind of a message.
    context.lineWidth = 1.5;
    context.setLineDash(dead ? [3, 5] : []);
    context.fillText(peer_names[lane], 2, y + 4);
    context.beginPath();
    context.moveTo(lanes_left, y);
    context.lineTo(width - 4, y);
    context.stroke();
  }
  context.setLineDash([]);
}

// All datagrams of a kind in one path, which is much faster than one each.
function draw_datagrams(context, lines, kind, color, x_of, now_ms) {
  context.lineWidth = 1;
  context.strokeStyle = color;
  context.beginPath();
  for (const line of lines) {
    if (line.kind !== kind || line.end === end_lost) continue;
    const end_ms = line.end_ms || now_ms;
    context.moveTo(x_of(line.sent_ms), lane_y(line.from));
    context.lineTo(x_of(end_ms), lane_y(line.to));
  }
  context.stroke();
}

function draw_lost_datagrams(context, lines, x_of) {
  context.strokeStyle = "rgba(211, 47, 47, 0.75)";
  for (const line of lines) {
    if (!is_datagram(line) || line.end !== end_lost) continue;
    const x = x_of(line.sent_ms), from = lane_y(line.from);
    const away = Math.sign(lane_y(line.to) - from) * 12;
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x + 5, from + away);
    context.stroke();
    draw_cross(context, x + 5, from + away, 2.5);
  }
}

function draw_message(context, line, x_of, now_ms, is_chosen) {
  const x1 = x_of(line.sent_ms), x2 = x_of(line.end_ms || now_ms);
  const y1 = lane_y(line.from), y2 = lane_y(line.to);
  context.strokeStyle = context.fillStyle = line_kinds[line.kind].color;
  context.lineWidth = is_chosen ? 3 : 1.6;
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  if (line.end === end_lost) return draw_cross(context, x2, y2, 3);
  if (!line.end_ms) return undefined;
  const angle = Math.atan2(y2 - y1, x2 - x1);
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 7 * Math.cos(angle - 0.4), y2 - 7 * Math.sin(angle - 0.4));
  context.lineTo(x2 - 7 * Math.cos(angle + 0.4), y2 - 7 * Math.sin(angle + 0.4));
  context.fill();
  return undefined;
}

// `chosen` is the object under the mouse, or 0.
function draw_lanes(canvas, lines, peers, now_ms, chosen) {
  const {context, width} = context_of(canvas, lanes_height);
  const x_of = (time_ms) =>
    lanes_left + (width - 4 - lanes_left) * (1 - (now_ms - time_ms) / lanes_ms);
  context.save();
  context.beginPath();
  context.rect(lanes_left, 0, width, lanes_height);
  context.clip();
  draw_datagrams(context, lines, 0, "rgba(110, 125, 148, 0.12)", x_of, now_ms);
  draw_datagrams(context, lines, line_update, "rgba(70, 85, 108, 0.17)", x_of, now_ms);
  draw_lost_datagrams(context, lines, x_of);
  for (const line of lines) {
    if (is_datagram(line) || (line.end_ms && line.end_ms < now_ms - lanes_ms)) continue;
    const is_stuck = !line.end_ms && line.sent_ms < now_ms - lanes_ms; // The path is dead.
    context.globalAlpha = is_stuck || (chosen !== 0 && line.object !== chosen) ? 0.12 : 1;
    draw_message(context, line, x_of, now_ms, chosen !== 0 && line.object === chosen);
  }
  context.restore();
  draw_lane_names(context, width, peers);
}
