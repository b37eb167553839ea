// All parts of the page share these: names and colours, canvases, and the memory of the module.
const peer_names = ["Ada", "Ben", "Cleo", "Dan"];
const peer_colors = ["#2f6fe4", "#ee7d1a", "#12a06a", "#9a45d8", "#8a93a0"]; // The last: nobody.
const state_texts = ["starting", "joining", "open", "cut off", "leaving", "left", "unreachable"];
const state_open = 2, state_cut_off = 3;
const room = {width: 48, height: 25};
const lane_count = 4;

function make(tag, options = {}, ...children) {
  const element = Object.assign(document.createElement(tag), options);
  element.append(...children);
  return element;
}

// Sets the text only if it is another: a browser lays the page out anew for each.
function set_text(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The context of a canvas with the pixels of this screen, whose units are those of the page.
function context_of(canvas, height) {
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return {context, width};
}

function draw_cross(context, x, y, size) {
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x - size, y + size);
  context.lineTo(x + size, y - size);
  context.stroke();
}

// The structs of exports.cpp and lanes.h. Memory may move when it grows, so views are made anew.
function views_of(module) {
  const buffer = module.HEAPU8.buffer;
  return {words: new Uint32Array(buffer), floats: new Float32Array(buffer),
          doubles: new Float64Array(buffer)};
}

function read_peers(module) {
  const {words} = views_of(module), first = module._page_peers() >> 2;
  return peer_names.map((_, lane) => {
    const at = first + 10 * lane;
    const [alive, state, host, objects, owned, low, high, bits, claims] =
      words.subarray(at, at + 9);
    const digest = high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
    return {alive: alive !== 0, state, host, objects, owned, digest, bits, claims,
            open: alive !== 0 && state === state_open};
  });
}

function read_cubes(module, lane) {
  const {words, floats, doubles} = views_of(module);
  const at = module._page_cubes(lane), cubes = [];
  for (let i = 0, count = module._page_cube_count(lane); i < count; ++i) {
    const word = (at >> 2) + 8 * i;
    cubes.push({object: doubles[(at >> 3) + 4 * i], x: floats[word + 2], y: floats[word + 3],
                owner: words[word + 4], flags: words[word + 5], age_ms: floats[word + 6]});
  }
  return cubes;
}

function read_lines(module) {
  const {words, doubles} = views_of(module);
  const at = module._page_lines(), lines = [];
  for (let i = 0, count = module._page_line_count(); i < count; ++i) {
    const double = (at >> 3) + 6 * i, word = (at >> 2) + 12 * i + 6;
    lines.push({sent_ms: doubles[double], end_ms: doubles[double + 1], object: doubles[double + 2],
                from: words[word], to: words[word + 1], kind: words[word + 2],
                end: words[word + 3]});
  }
  return lines;
}
