// tests/page/page.sh does this with the page: it stands before the page's own script. The part of
// the address after ? chooses a picture; without one the whole scenario is played.

function check(holds, text) {
  if (!holds) throw new Error(text);
  console.log(`page: ${text}`);
}

// Plays ticks until the condition holds, for at most so many seconds of the world's time.
function play_until(page, condition, seconds, text) {
  for (let tick = 0; tick < seconds * 60; ++tick) {
    if (condition()) return check(true, `${text} (after ${(tick / 60).toFixed(1)} s)`);
    page.step();
  }
  const state = page.peers.map((peer) => `${state_texts[peer.state]} ${peer.objects}`);
  throw new Error(`${text}; the peers: ${state.join(", ")}`);
}

function play(page, seconds) {
  for (let tick = 0; tick < seconds * 60; ++tick) page.step();
}

function cubes_of(page, lane) {
  return read_cubes(page.module, lane).filter((cube) => !(cube.flags & flag_player));
}

function mouse(page, lane, kind, x, y) {
  const {canvas} = page.views[lane], box = canvas.getBoundingClientRect();
  const unit = canvas.clientWidth / room.width;
  const Kind = kind === "dblclick" ? MouseEvent : PointerEvent;
  canvas.dispatchEvent(new Kind(kind, {clientX: box.left + x * unit, clientY: box.top + y * unit,
                                       pointerId: 1}));
}

function slide(page, name, value) {
  page.sliders[name].value = value;
  page.sliders[name].oninput();
}

const all = [0, 1, 2, 3];
const all_open = (page) => page.peers.every((peer) => peer.open);
const owned_by = (page, object, lane) =>
  all.every((viewer) => page.module._page_owner(viewer, object) === lane);
const find = (page, lane, object) => cubes_of(page, lane).find((cube) => cube.object === object);

function drag_a_cube(page) {
  const cube = cubes_of(page, 1).find((one) => one.owner === 3);
  mouse(page, 1, "pointerdown", cube.x, cube.y);
  for (let i = 0; i <= 60; ++i) {
    mouse(page, 1, "pointermove", cube.x + (24 - cube.x) * i / 60, cube.y + (12 - cube.y) * i / 60);
    page.step();
  }
  play_until(page, () => owned_by(page, cube.object, 1), 5,
             "a cube that Ben drags is Ben's everywhere");
  const is_there = () => all.every((lane) => {
    const {x, y} = find(page, lane, cube.object);
    return Math.hypot(x - 24, y - 12) < 0.5;
  });
  play_until(page, is_there, 5, "and is where Ben holds it in all views");
  page.chosen = {lane: 2, object: cube.object};
  page.explained = "";
  page.show_explanation();
  check(by_id("explain").textContent.includes("to Ben"), "explain() names its owner");
  mouse(page, 1, "pointerup", 24, 12);
}

function create_and_destroy(page) {
  const before = new Set(cubes_of(page, 2).map((cube) => cube.object));
  const at = {x: 24, y: 23.5};
  mouse(page, 2, "dblclick", at.x, at.y);
  page.step();
  const made = cubes_of(page, 2).find((cube) => !before.has(cube.object) && cube.y > 22.9);
  check(made !== undefined, "a double click creates a cube");
  play_until(page, () => all.every((lane) => find(page, lane, made.object)), 5, "all have it");
  mouse(page, 3, "dblclick", made.x, made.y);
  play_until(page, () => all.every((lane) => !find(page, lane, made.object)), 5,
             "a double click of another peer destroys it everywhere");
}

function kill_the_host(page) {
  const cubes = page.peers[0].objects;
  by_id("kill-host").click();
  page.step();
  check(!page.peers[0].alive, "the host is dead");
  const living = [1, 2, 3];
  const next = () => living.every((lane) => page.peers[lane].open && page.peers[lane].host === 1);
  play_until(page, next, 10, "Ben is the host of all others");
  const none = () => living.every((lane) =>
    cubes_of(page, lane).every((one) => one.owner !== 0));
  play_until(page, none, 5, "Ada's cubes have other owners");
  check(page.peers[2].objects === cubes, "no cube is lost");
  page.views[0].kill.click();
  play_until(page, () => all_open(page), 10, "Ada is back");
}

function cut_and_heal(page) {
  play(page, 3); // Until the newcomer has a vote, so that no half has the majority.
  by_id("halves").click();
  play_until(page, () => page.peers.every((peer) => peer.state === state_cut_off), 10,
             "both halves wait");
  play(page, 3);
  by_id("halves").click();
  play_until(page, () => all_open(page), 15, "all go on after the healing");
  page.views[3].cut.click();
  play_until(page, () => page.peers[3].state === state_cut_off, 10, "Dan alone waits");
  check([0, 1, 2].every((lane) => page.peers[lane].open), "the other three go on");
  page.views[3].cut.click();
  play_until(page, () => all_open(page), 15, "Dan is back");
}

function end_equal(page) {
  page.let_walk(false);
  play_until(page, () => page.is_equal && all_open(page), 15, "all digests are equal");
  const counts = page.peers.map((peer) => peer.objects);
  check(counts.every((count) => count === 200), `the cubes are ${counts}`);
  page.let_walk(true);
}

// With Quorum::survivors both halves go on, and one of them joins the other afterwards.
function split_and_meet(page) {
  by_id("quorum").value = "survivors";
  page.begin(11);
  play_until(page, () => all_open(page) && page.peers[0].objects === 200, 10, "a new world begins");
  play(page, 4);
  by_id("halves").click();
  const hosts = () => new Set(page.peers.map((peer) => peer.host)).size;
  play_until(page, () => hosts() === 2 && all_open(page), 10, "both halves go on, with two hosts");
  play(page, 3);
  by_id("halves").click();
  play_until(page, () => hosts() === 1 && all_open(page), 30, "they are one world again");
  page.let_walk(false);
  play_until(page, () => page.is_equal, 15, "all digests are equal");
  page.let_walk(true);
  by_id("quorum").value = "majority";
  page.begin(7);
  play(page, 8);
}

function see_all_steps(steps) {
  stories.forEach((story, i) => {
    steps.choose(i);
    for (let clicks = 0; !steps.next.disabled; ++clicks) {
      steps.next.click();
      if (clicks > 50) throw new Error("the steps do not end");
      if (!story.notes[steps.times[steps.step]]) throw new Error(`${story.title} lacks a note`);
    }
    const is_wrong = steps.sentence.classList.contains("wrong");
    check(is_wrong === (i === 1), `"${story.title}" ends ${is_wrong ? "with a ghost" : "well"}`);
  });
}

// Prints times and checks none: machines differ.
function measure(page) {
  const count = 300, play_ms = [], draw_ms = [];
  for (let i = 0; i < count; ++i) {
    const begin = performance.now();
    page.step();
    const middle = performance.now();
    page.draw();
    for (const {canvas} of page.views) canvas.getContext("2d").getImageData(0, 0, 1, 1);
    play_ms.push(middle - begin);
    draw_ms.push(performance.now() - middle);
  }
  const middle_of = (times) => times.sort((a, b) => a - b)[count >> 1].toFixed(2);
  console.log(`page: measured: ${page.peers[0].objects} cubes, 4 peers, loss `
    + `${page.sliders.loss.value} %: ${middle_of(play_ms)} ms to play a tick, `
    + `${middle_of(draw_ms)} ms to draw it`);
}

// The loop of the page itself, for two seconds of real time.
function play_frames(page) {
  const {now_us, drawn} = page;
  requestAnimationFrame((time) => page.frame(time));
  setTimeout(() => {
    const played_ms = Math.round((page.now_us - now_us) / 1000);
    console.log(`page: measured: ${page.drawn - drawn} frames in 2 s played ${played_ms} ms`);
    console.log(played_ms > 0 && all_open(page) ? "page: passed" : "page: FAILED: it stands still");
  }, 2000);
}

function prepare_picture(page, steps, name) {
  slide(page, "loss", name === "halves" ? 30 : 10);
  if (name === "steps" || name === "steps-end") {
    choose_tab("steps", steps);
    steps.choose(1);
    steps.go(name === "steps" ? 7 : 99);
    return;
  }
  play(page, 11);
  if (name === "dead") by_id("kill-host").click();
  if (name === "halves") by_id("halves").click();
  if (name !== "world") play(page, 3.5);
  if (name === "dead") play_until(page, () => page.is_equal, 10, "the living are equal");
  const cube = cubes_of(page, 2).find((one) => one.owner === 1);
  if (name !== "halves") page.chosen = {lane: 2, object: cube.object};
  page.step();
  page.draw();
  page.show_explanation();
}

window.tern_test = (page, steps) => {
  try {
    page.begin(7);
    const picture = location.search.slice(1);
    if (picture) return prepare_picture(page, steps, picture);
    play_until(page, () => all_open(page) && page.peers.every((peer) => peer.objects === 200), 10,
               "four peers share 200 cubes");
    slide(page, "loss", 20);
    page.let_walk(false); // Players replace cubes, and those that the test has chosen, too.
    drag_a_cube(page);
    create_and_destroy(page);
    page.let_walk(true);
    kill_the_host(page);
    cut_and_heal(page);
    end_equal(page);
    split_and_meet(page);
    see_all_steps(steps);
    choose_tab("world", steps);
    play(page, 2);
    measure(page);
    play_frames(page);
  } catch (error) {
    console.log(`page: FAILED: ${error.message}`);
  }
  return undefined;
};
