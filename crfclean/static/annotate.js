// Keys and pointer -> steps of the labelling session -> the page on the screen.
// Text of pages goes into the document as text (textContent), never as markup.

import { at, element } from "/static/dom.js";
import { callsWith, inOrder, token } from "/static/server.js";

const LABELS = { H: "HEADER", T: "TEXT", O: "OTHER", D: "DOUBT" };
const KNOWN = { h: "HEADER", t: "TEXT", o: "OTHER", d: "DOUBT" }; // from the same block elsewhere
const SAID = { guess: "Guess accepted.", none: "Label removed." };
const EDGE = 28; // pixels from the list's edge where dragging scrolls it
const list = at("blocks");
const view = at("view");

const call = callsWith("Your labels are saved. Start the command again.");
const then = inOrder(fail); // nothing is lost by an error
let pages = []; // their cards
let page = null; // the page on the screen, as the server describes it
let folded = new Map(); // first block of each menu that is folded -> its last block
let rows = [];
let current = 0;
let anchor = 0; // the other end of the range that the next label is for
let alike = null; // or all blocks like the anchor, which it is for
let held = false; // whether both stay while the user moves
let drawn = { labels: "", isChosen: () => false, current: -1 };
let shown = ""; // address of the document in the frame
let loaded = true; // whether the frame has it

// messages

function fail(message) {
  at("error").textContent = message;
  at("error").hidden = false;
}

function say(message) {
  at("status").textContent = message;
  at("error").hidden = true;
}

// steps

const range = () => {
  const last = Math.max(anchor, current);
  return [Math.min(anchor, current), folded.get(last) ?? last];
};
const hasBlocks = () => page && rows.length;

/** A function that says whether the next label is for a block. */
function choice() {
  const [blocks, [first, last]] = [alike, range()];
  return blocks ? (block) => blocks.has(block) : (block) => first <= block && block <= last;
}

/** Label blocks, and go on to the next unlabelled one. */
async function label(name, reach = "blocks") {
  if (!hasBlocks()) return;
  if (["HEADER", "TEXT"].includes(name) && folded.has(current)) {
    unfold();
    return say("The menu is unfolded: label its blocks one by one.");
  }
  if (reach === "blocks" && alike) reach = "alike";
  const one = reach === "alike" ? anchor : current;
  const [first, last] = reach === "blocks" ? range() : [one, one];
  const state = await call(`/api/pages/${page.page}/labels`, { first, last, reach, label: name });
  take(state);
  if (state.next !== null) {
    select(state.next);
    return say(SAID[name] ?? `${name}.`);
  }
  select(last);
  const before = state.card.name;
  if (state.following === null) return say("Everything is labelled.");
  await show(state.following);
  say(`Finished: ${before}.`);
}

/** Begin a range that reaches to the block to which the user moves. */
function beginRange() {
  select(current);
  held = true;
  say("The range reaches to where you move. Esc ends it.");
}

/** Choose all blocks like the current one, also in menus, which are then unfolded. */
async function chooseAlike() {
  if (!hasBlocks()) return;
  select(current);
  alike = new Set(await call(`/api/pages/${page.page}/alike/${current}`));
  held = true;
  for (const [first, last] of [...folded])
    if ([...alike].some((block) => first <= block && block <= last)) folded.delete(first);
  drawFolds();
  say(`${alike.size} blocks alike are chosen for the next label. Esc: only this one.`);
}

/** Undo or redo a step, and go to its first block. */
async function step(name) {
  const state = await call(`/api/${name}`, {});
  if (state.page === null) return say(`Nothing to ${name}.`);
  if (page?.page === state.page) take(state);
  else await show(state.page);
  select(state.block);
  say(name === "undo" ? "Undone." : "Redone.");
}

function nextPage() {
  const following = page ? page.following : pages.findIndex((card) => !card.finished);
  if (following === null || following < 0) return say("Everything is labelled.");
  return show(following);
}

const pageBefore = () => show((number() + pages.length - 1) % pages.length);
const number = () => Number(sessionStorage.getItem("page") ?? 0);

async function leave() {
  at("leave").showModal();
  await new Promise((done) => at("leave").addEventListener("close", done, { once: true }));
  if (at("leave").returnValue !== "leave") return;
  await call("/api/leave", {});
  document.body.replaceChildren(
    element("p", "ended", "Every label is saved. You may close this tab."),
  );
}

/** The first block of the folded menu that a block is in, else the block itself. */
function shownAt(block) {
  for (const [first, last] of folded) if (first <= block && block <= last) return first;
  return block;
}

/** The block so many shown blocks further on. */
function shownBy(count) {
  let block = current;
  for (let step = Math.abs(count); step; step -= 1) {
    block = shownAt(count > 0 ? (folded.get(block) ?? block) + 1 : Math.max(0, block - 1));
  }
  return block;
}

/** Unfold the menu at the current block. */
function unfold() {
  if (!folded.delete(current)) return;
  drawFolds();
  select(current);
}

/** Fold the menu that the current block is in, if its blocks have no other label than OTHER. */
function fold() {
  const menu = (page?.menus ?? []).find(([first, last]) => first <= current && current <= last);
  if (!menu || /[HTD]/i.test(page.labels.slice(menu[0], menu[1] + 1))) return;
  folded.set(...menu);
  drawFolds();
  select(menu[0]);
}

/** Go to the next unlabelled block. */
function seek() {
  if (!hasBlocks()) return;
  const wrapped = page.labels.indexOf(".");
  const found = page.labels.indexOf(".", current + 1);
  if (wrapped < 0) return say("Every block of this page has a label.");
  select(found < 0 ? wrapped : found);
}

/** Go to a block without labelling; with `keep` the range reaches from its anchor to there. */
function select(block, keep = false) {
  if (!hasBlocks()) return;
  current = shownAt(Math.max(0, Math.min(rows.length - 1, block)));
  if (!keep) [anchor, alike, held] = [current, null, false];
  draw();
  rows[current].scrollIntoView({ block: "nearest" });
  mark();
}

const go = (block, event) => select(block, held || event.shiftKey);
const by = (count, event) => go(shownBy(count), event);
const KEYS = {
  h: () => label("HEADER"),
  t: () => label("TEXT"),
  o: () => label("OTHER"),
  d: () => label("DOUBT"),
  H: () => label("HEADER", "run"),
  T: () => label("TEXT", "run"),
  O: () => label("OTHER", "run"),
  D: () => label("DOUBT", "run"),
  v: beginRange,
  a: chooseAlike,
  c: () => document.body.classList.toggle("compact"),
  Enter: () => label("guess"),
  r: () => label("guess", "run"),
  e: () => label("guess", "rest"),
  E: () => label("OTHER", "rest"),
  x: () => label("none"),
  u: () => step("undo"),
  y: () => step("redo"),
  k: (event) => by(-1, event),
  j: (event) => by(1, event),
  g: seek,
  n: nextPage,
  p: pageBefore,
  q: leave,
  "?": () => at("help").showModal(),
  ArrowRight: unfold,
  ArrowLeft: fold,
  ArrowUp: (event) => by(-1, event),
  ArrowDown: (event) => by(1, event),
  PageUp: (event) => by(-10, event),
  PageDown: (event) => by(10, event),
  Home: (event) => go(0, event),
  End: (event) => go(rows.length - 1, event),
  Escape: () => select(current),
};

document.addEventListener("keydown", (event) => {
  const redo = event.key === "r" && event.ctrlKey && !event.metaKey && !event.altKey;
  const action = redo ? KEYS.y : KEYS[event.key];
  const taken = event.metaKey || event.altKey || (event.ctrlKey && !redo);
  if (event.target.closest("select")) return; // its own keys choose
  const pressed = event.target.closest("button, input") && [" ", "Enter"].includes(event.key);
  if (!action || taken || pressed || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  then(() => action(event));
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-key]");
  if (!button) return;
  then(() => KEYS[button.dataset.key](event));
  if (event.detail) list.focus(); // by pointer: the keys are for the blocks again
});

// the pointer: a click goes to a block, dragging chooses a range

const blockAt = (event) => {
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest("#blocks > li");
  return row ? Number(row.id.slice(1)) : null;
};
let dragged = false;

list.addEventListener("pointerdown", (event) => {
  const byHand = event.pointerType === "touch" && !event.target.closest(".chip");
  if (event.button !== 0 || byHand || blockAt(event) === null) return; // a finger scrolls the text
  if (event.target.closest(".fold .chip")) return; // its click unfolds
  dragged = true;
  list.setPointerCapture(event.pointerId);
  go(blockAt(event), event);
});
list.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const box = list.getBoundingClientRect();
  if (event.clientY < box.top + EDGE) list.scrollBy(0, -EDGE);
  if (event.clientY > box.bottom - EDGE) list.scrollBy(0, EDGE);
  const block = blockAt(event);
  if (block !== null && block !== current) select(block, true);
});
for (const end of ["pointerup", "pointercancel"])
  list.addEventListener(end, () => (dragged = false));
list.addEventListener("click", (event) => {
  if (event.target.closest(".fold .chip")) {
    select(blockAt(event));
    return unfold();
  }
  if (event.pointerType === "touch" && !event.target.closest(".chip")) go(blockAt(event) ?? current, event);
});

// the screen

const percent = (share) => `${Math.floor(100 * share)} %`;
const guess = (block) => LABELS[page.guesses[block]];

/** Put a page on the screen, at the first unlabelled block that may belong to its text. */
async function show(wanted) {
  sessionStorage.setItem("page", wanted);
  setPages(false);
  try {
    page = await call(`/api/pages/${wanted}`);
  } catch (error) {
    page = null;
    return empty(error.message);
  }
  document.body.classList.remove("nothing");
  rows = page.texts.map(row);
  folded = new Map(page.menus);
  [current, anchor, alike, held] = [0, 0, null, false];
  drawn = { labels: "", isChosen: () => false, current: -1 };
  list.replaceChildren(...rows);
  drawFolds();
  list.hidden = !rows.length;
  at("empty").hidden = rows.length > 0;
  at("empty").textContent = "There is no text on this page, so there is nothing to label.";
  take(page);
  select(page.next ?? 0);
  mark();
  say(page.truncated ? `Only a part of this page was read (${page.truncated}).` : "");
  list.focus();
}

/** Show why a page cannot be labelled. */
function empty(reason) {
  document.body.classList.add("nothing");
  say("");
  rows = [];
  list.replaceChildren();
  list.hidden = true;
  at("empty").hidden = false;
  at("empty").textContent = reason;
  at("current").replaceChildren();
  drawPages();
  drawName(number(), "");
  at("count").textContent = "";
  at("progress").value = 0;
  list.parentElement.focus();
}

function row(text, block) {
  const made = element("li", "", "");
  made.id = `b${block}`;
  made.setAttribute("role", "option");
  const sure = page.guesses[block] === "." ? "" : percent(page.sure[block]);
  const about = element("span", "about", `${page.tags[block]} ${sure}`);
  if (page.sure[block] < page.unsure && sure) about.classList.add("unsure");
  made.append(element("span", "chip", ""), element("span", "words", text), about);
  return made;
}

/** Take over the state of the page after a step. */
function take(state) {
  const open = state.labels.split(".").length - 1;
  const known = [...state.labels].filter((letter) => letter in KNOWN).length;
  const blocks = state.labels.length;
  pages[state.page] = { ...state.card, labelled: blocks - open };
  page = { ...page, ...state };
  drawName(state.page, page.title);
  const place = `page ${state.page + 1} of ${pages.length}`;
  at("count").textContent = `${place}, ${blocks - open} of ${blocks} blocks labelled${known ? ` (${known} known)` : ""}`;
  at("progress").max = blocks || 1;
  at("progress").value = blocks - open;
  const done = pages.filter((card) => card.finished).length;
  at("total").textContent = `all: ${state.labelled} of ${state.blocks} blocks, ${done} of ${pages.length} pages`;
  draw();
  drawPages();
}

/** Show the title of a page, else its file name. */
function drawName(place, title) {
  const file = pages[place]?.name ?? "";
  at("name").textContent = title || file;
  at("name").title = file;
  document.title = `${title || file} – crfclean annotate`;
}

/** Hide the blocks of folded menus; the first of each stands for all. */
function drawFolds() {
  rows.forEach((made, block) => {
    const last = folded.get(block);
    const texts = page.texts.slice(block, last === undefined ? block + 1 : last + 1);
    made.classList.toggle("fold", last !== undefined);
    made.hidden = shownAt(block) !== block;
    made.children[1].textContent = last === undefined ? texts[0] : `${texts.length} menu blocks: ${texts.join(" · ")}`;
  });
  drawn.labels = ""; // the chips of folds differ
  draw();
}

/** Bring rows up to date: only those that changed. */
function draw() {
  const isChosen = choice();
  rows.forEach((made, block) => {
    const letter = letterAt(block);
    if (letter !== drawn.labels[block]) drawLabel(made, block, letter);
    const chosen = isChosen(block);
    if (chosen !== drawn.isChosen(block)) made.setAttribute("aria-selected", chosen);
  });
  rows[drawn.current]?.classList.remove("current");
  rows[current]?.classList.add("current");
  drawn = { labels: rows.map((_, block) => letterAt(block)).join(""), isChosen, current };
  list.setAttribute("aria-activedescendant", `b${current}`);
  if (rows.length) drawCurrent(...range());
}

/** The label of a block; that of a folded menu is missing as long as one of its blocks has none. */
function letterAt(block) {
  const isOpen = folded.has(block) && page.labels.slice(block, folded.get(block) + 1).includes(".");
  return isOpen ? "." : page.labels[block];
}

function drawLabel(made, block, letter) {
  const given = LABELS[letter];
  const known = KNOWN[letter];
  const text = given ?? (known ? `≈ ${known}` : guess(block) ? `${guess(block)}?` : "–");
  made.dataset.label = given ?? "";
  made.dataset.guess = given ? "" : (known ?? guess(block) ?? "");
  made.firstChild.textContent = `${folded.has(block) ? "▸ " : ""}${text}`;
}

function drawCurrent(first, last) {
  const places = first < last && !alike ? `Blocks ${first + 1} to ${last + 1}` : `Block ${current + 1}`;
  const name = guess(current);
  const guessed = name ? `guess ${name}, ${percent(page.sure[current])} sure` : "no guess";
  at("current").replaceChildren(
    element("b", "", `${places} of ${rows.length}`),
    element("span", "", `<${page.tags[current]}>`),
    element("span", "", guessed),
    element("span", "excerpt", page.texts[current].slice(0, 200)),
  );
}

function drawPages() {
  const wanted = number();
  const made = at("page-list").children;
  pages.forEach((card, place) => {
    const item = made[place] ?? at("page-list").appendChild(pageItem(place));
    const [name, state, sure] = item.firstChild.children;
    const words = card.problem ? "problem" : card.finished ? "✓ done" : `${card.labelled} of ${card.blocks}`;
    if (state.textContent === words && (place === wanted) === item.classList.contains("here")) return;
    name.textContent = card.name;
    state.textContent = words;
    sure.textContent = card.problem ? "" : `${percent(card.certainty)} sure`;
    item.firstChild.title = card.problem;
    item.firstChild.setAttribute("aria-current", place === wanted ? "page" : "false");
    item.className = `${card.problem ? "problem" : card.finished ? "done" : ""}${place === wanted ? " here" : ""}`;
    if (place === wanted) item.scrollIntoView({ block: "nearest" });
  });
}

function pageItem(place) {
  const item = document.createElement("li");
  const button = element("button", "", "");
  button.type = "button";
  button.append(element("span", "file", ""), element("span", "state", ""), element("span", "sure", ""));
  button.addEventListener("click", () => then(() => show(place)));
  item.append(button);
  return item;
}

function setPages(shownNow) {
  document.body.classList.toggle("pages-open", shownNow);
  at("pages-button").setAttribute("aria-expanded", shownNow);
}

// the frame: its document has another origin and no scripts; a fragment marks the block

/** Mark the current block in the frame. */
function mark() {
  if (page) point(`/pages/${page.page}/view?styled=${at("styled").checked}`, `#crf-${current}`);
}

/** Bring the frame to an address; only the fragment changes while the page stays. */
function point(address, fragment = "") {
  if (shown === address && !loaded) return; // `load` marks it
  loaded = shown === address;
  shown = address;
  view.contentWindow.location.replace(new URL(address, location.origin).href + fragment);
}

view.addEventListener("load", () => {
  if (shown && !loaded) {
    loaded = true;
    mark();
  }
});
window.addEventListener("blur", () => {
  // a click into the frame must not take the keys away
  setTimeout(() => document.activeElement === view && list.focus());
});
at("styled").addEventListener("change", mark);
at("zoom").addEventListener("change", () => (view.className = `zoom-${at("zoom").value}`));
at("look-button").addEventListener("click", () => {
  const hidden = document.body.classList.toggle("look-hidden");
  at("look-button").setAttribute("aria-expanded", !hidden);
  at("look-button").textContent = hidden ? "Show page" : "Hide page";
});
at("pages-button").addEventListener("click", () => {
  setPages(!document.body.classList.contains("pages-open"));
});

then(async () => {
  const state = await call("/api/session");
  pages = state.pages;
  const before = Number(sessionStorage.getItem("page") ?? state.begin);
  await show(before < pages.length ? before : state.begin);
  if (!token) fail("This tab is read-only. To label, open the address that crfclean printed.");
});
