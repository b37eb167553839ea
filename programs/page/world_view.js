// One view: the world as one peer believes it to be.
const flag_claimed = 1, flag_held = 2, flag_player = 4;

// A frame of claimed cubes is dashed, that of the chosen one and of what the hand holds is not.
function draw_frames(context, cubes, unit, chosen) {
  context.strokeStyle = "#1c2430";
  for (const cube of cubes) {
    const is_chosen = cube.object === chosen || (cube.flags & flag_held) !== 0;
    if (!is_chosen && !(cube.flags & flag_claimed)) continue;
    const half = unit / 2 + (is_chosen ? 2 : 1);
    context.lineWidth = is_chosen ? 2 : 1;
    context.setLineDash(is_chosen ? [] : [2, 2]);
    context.strokeRect(cube.x * unit - half, cube.y * unit - half, 2 * half, 2 * half);
  }
  context.setLineDash([]);
}

function draw_cubes(context, cubes, unit) {
  const size = unit * 0.92;
  for (let owner = 0; owner < peer_colors.length; ++owner) {
    context.fillStyle = peer_colors[owner];
    for (const cube of cubes)
      if (cube.owner === owner && !(cube.flags & flag_player))
        context.fillRect(cube.x * unit - size / 2, cube.y * unit - size / 2, size, size);
  }
}

function draw_player(context, player, unit) {
  const x = player.x * unit, y = player.y * unit;
  context.fillStyle = "#fff";
  context.strokeStyle = peer_colors[player.owner];
  context.lineWidth = 3;
  context.beginPath();
  context.arc(x, y, unit * 1.1, 0, 2 * Math.PI);
  context.fill();
  context.stroke();
  context.fillStyle = peer_colors[player.owner];
  context.font = "700 11px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillText((peer_names[player.owner] || "?")[0], x, y + 4);
  context.textAlign = "start";
}

function draw_banner(context, width, height, text, detail, color) {
  context.fillStyle = "rgba(244, 246, 249, 0.93)";
  context.fillRect(0, 0, width, height);
  context.textAlign = "center";
  context.fillStyle = color;
  context.font = "700 20px system-ui, sans-serif";
  context.fillText(text, width / 2, height / 2 - 4);
  context.font = "13px system-ui, sans-serif";
  context.fillText(detail, width / 2, height / 2 + 18);
  context.textAlign = "start";
}

// `chosen` is the object under the mouse, or 0.
function draw_view(canvas, peer, cubes, chosen) {
  const height = Math.round(canvas.clientWidth * room.height / room.width);
  const {context, width} = context_of(canvas, height);
  const unit = width / room.width;
  draw_cubes(context, cubes, unit);
  draw_frames(context, cubes, unit, chosen);
  for (const cube of cubes)
    if (cube.flags & flag_player) draw_player(context, cube, unit);
  if (!peer.alive)
    draw_banner(context, width, height, "killed", "Its process is gone, without a goodbye.",
                "#c62828");
  else if (peer.state === state_cut_off)
    draw_banner(context, width, height, "cut off",
                "No majority is heard: it waits, so that no two worlds arise.", "#a15c00");
  else if (peer.state !== state_open)
    draw_banner(context, width, height, state_texts[peer.state] || "ended",
                "The others send it the world.", "#667085");
}
