// A page and settings -> POST /extract, once a tagger -> its blocks, the reasons, the clean text.
// Text of pages goes into the document as text (textContent), never as markup.

import { at, element } from "/static/dom.js";
import { colouredWords, marksOf, pictureOf } from "/static/pictures.js";
import { callsWith, token } from "/static/server.js";

const REASONS = 6; // features shown of a block
const PAUSE = 150; // milliseconds without a change before the server is asked
const MEDIA = {
  json: "application/json",
  jsonl: "application/jsonl",
  md: "text/markdown",
  html: "text/html",
  tei: "application/tei+xml",
};

const call = callsWith("Start the command again.");
let options = null; // what the server offers
let page = null; // the page on the screen, as requests name it
let name = "page"; // of downloads
let found = {}; // side -> the answer of /extract
let reasons = {}; // side -> promise of the reasons of each block
let marks = new Map(); // of the blocks of the side whose picture is drawn
let drawn = ""; // the key of the picture on the screen, which keeps what is open in it
let rows = []; // what is drawn: key, blocks by side, elements
let asked = null; // the request under way
let view = null; // the page with kept and dropped blocks, once the server has sent it
let viewed = ""; // what `view` was made with
let timer = 0;

/** The request of a side. */
function requestOf(side, more = {}) {
  const box = part(side);
  const own = box.querySelector(".own");
  return {
    ...page,
    tagger: box.querySelector(".name").value,
    threshold: own.checked ? Number(box.querySelector(".threshold").value) : null,
    as: box.querySelector(".convention").value,
    ...(box.querySelector(".convention").disabled ? {} : { within: at("within").value, drop: at("drop").value }),
    formats: [at("format").value],
    blocks: true,
    picture: true,
    ...shows(),
    evidence: true,
    ...more,
  };
}

/** The switches of the formats, by name. */
function shows() {
  const boxes = [...at("switches").querySelectorAll("input")];
  return Object.fromEntries(boxes.map((box) => [box.name, box.checked]));
}

// the page to clean

const READERS = { url: readUrl, file: readFile, html: readHtml };

async function readUrl() {
  const url = at("url").value.trim();
  name = stem(url.split(/[?#]/)[0]);
  return { url };
}

/** Clean the page that comes with crfclean, unless another one was submitted meanwhile. */
async function cleanExample() {
  const answer = await fetch("/static/example.html");
  const html = await answer.text();
  if (page) return;
  [page, name] = [{ html }, "example"];
  await update();
}

/** The field that has the page; a field that is filled in empties the others. */
const source = () => Object.keys(READERS).find((field) => at(field).value) ?? "html";

function emptyOthers(event) {
  for (const field of Object.keys(READERS)) if (field !== event.target.id) at(field).value = "";
}

async function readFile() {
  const file = at("file").files[0];
  if (file.size * 4 > options.max_bytes * 3 - 4096) {
    throw new Error(`The file has ${file.size.toLocaleString("en")} bytes: too large for this server.`);
  }
  name = stem(file.name);
  return { base64: await base64(file) };
}

async function readHtml() {
  const html = at("html").value;
  if (!html.trim()) throw new Error("Enter an address or paste the HTML of a page.");
  name = "page";
  return { html: html.toWellFormed?.() ?? html };
}

function base64(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => fail(new Error("The browser cannot read the file."));
    reader.readAsDataURL(file);
  });
}

/** A name for downloads from a path: its last part without endings. */
function stem(path) {
  const last = path.replace(/\/+$/, "").split("/").pop().replace(/(\.[a-z]{2,5}){1,2}$/i, "");
  return last.replace(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 80) || "page";
}

async function submit() {
  show(null);
  try {
    page = await READERS[source()]();
  } catch (error) {
    return show(error);
  }
  found = {};
  rows = [];
  reasons = {};
  if (PHONE.matches) at("ask-part").firstElementChild.focus();
  foldForm();
  await update();
}

// cleaning

const part = (side) => document.querySelector(`.tagger[data-side=${side}]`);
const comparing = () => at("compare").checked;
const sides = () => (comparing() ? ["a", "b"] : ["a"]);

function soon() {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
}

/** Clean the page with the settings as they are, and draw it. */
async function update() {
  clearTimeout(timer);
  if (!page) return;
  asked?.abort();
  const mine = (asked = new AbortController());
  busy(true);
  try {
    if (page.url && !page.html && !page.base64) await settle(mine.signal);
    const wanted = sides();
    const answers = await Promise.all(
      wanted.map((side) => call("/extract", requestOf(side), mine.signal)),
    );
    if (mine !== asked) return;
    found = Object.fromEntries(wanted.map((side, place) => [side, answers[place]]));
    show(null);
    draw();
  } catch (error) {
    if (error.name !== "AbortError") show(error);
  } finally {
    if (mine === asked) busy(false);
  }
}

/** Keep the HTML of a fetched page, so that a changed setting does not fetch it again. */
async function settle(signal) {
  const answer = await call("/extract", requestOf("a"), signal);
  page = { url: answer.url, html: answer.html };
}

function busy(is) {
  document.body.classList.toggle("busy", is);
  if (is) at("status").textContent = "Cleaning …";
}

function show(error) {
  at("error").textContent = error?.message ?? "";
  at("error").hidden = !error;
  if (error) at("status").textContent = "";
}

// drawing

function draw() {
  at("result").hidden = false;
  document.body.classList.toggle("comparing", comparing());
  at("by-difference").hidden = at("text-of").hidden = !comparing();
  const paired = pairs();
  const same = rows.length === paired.length && rows.every((row, at) => row.key === paired[at].key);
  if (same) rows.forEach((row, at) => Object.assign(row, paired[at]));
  else {
    rows = paired.map(row);
    at("blocks").replaceChildren(...rows.map((one) => one.item));
  }
  drawText();
  drawMetadata();
  drawPicture();
  filter();
  at("status").textContent = summary();
  drawView();
}

// the page with kept and dropped blocks, drawn by a frame of ours, in which it has another origin

/** Ask for the page of the side whose text is shown, and show it. */
async function drawView() {
  const { formats, ...settings } = requestOf(textSide(), {
    view: true,
    blocks: false,
    picture: false,
    metadata: false,
    evidence: false,
  });
  const key = JSON.stringify(settings);
  if (key === viewed) return;
  viewed = key;
  try {
    const answer = await call("/extract", { ...settings, formats: [] }, asked?.signal);
    if (key !== viewed) return;
    view = answer.view;
    showView();
  } catch (error) {
    viewed = "";
    if (error.name !== "AbortError") show(error);
  }
}

function showView() {
  if (view) at("view").contentWindow.postMessage(view, location.origin);
}

/** The blocks of both sides in the page's order, those of the same element and text together. */
function pairs() {
  const lists = sides().map((side) => named(found[side].blocks));
  const [ours, theirs] = lists;
  const key = comparing() ? "ab" : "a";
  if (!theirs) return ours.map(([id, a]) => ({ key: `${key} ${id}`, a }));
  const behind = new Set(theirs.map(([id]) => id));
  const merged = [];
  let next = 0;
  for (const [id, a] of ours) {
    if (behind.has(id)) {
      while (next < theirs.length && theirs[next][0] !== id) {
        const [other, b] = theirs[next++];
        merged.push({ key: `${key} b ${other}`, b });
      }
    }
    const b = theirs[next]?.[0] === id ? theirs[next++][1] : undefined;
    merged.push({ key: `${key} a ${id}`, a, b });
  }
  for (const [other, b] of theirs.slice(next)) merged.push({ key: `${key} b ${other}`, b });
  return merged;
}


/** Blocks with keys that are the same on both sides: element, text, and which of several such. */
function named(blocks) {
  const seen = new Map();
  return blocks.map((block) => {
    const key = `${block.xpath} ${block.text}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return [`${key} ${seen.get(key)}`, block];
  });
}

const isKept = (block) => Boolean(block) && block.label !== "OTHER";
const differs = (one) => comparing() && (one.a?.label ?? "") !== (one.b?.label ?? "");

/** The elements of a row. */
function row(given) {
  const item = element("li");
  const details = element("details");
  const head = element("summary");
  const block = given.a ?? given.b;
  const verdicts = Object.fromEntries(sides().map((side) => [side, element("span", "verdict")]));
  head.append(
    ...Object.values(verdicts),
    element("span", "what"),
    element("span", "words", block.text),
  );
  details.append(head, element("div", "why"));
  item.append(details);
  const [what, words] = [head.querySelector(".what"), head.querySelector(".words")];
  const made = { ...given, item, details, verdicts, what, words };
  details.addEventListener("toggle", () => drawWhy(made));
  return made;
}

function drawRow(one) {
  for (const side of sides()) drawVerdict(one.verdicts[side], side, one[side]);
  const kept = isKept(one.a) || isKept(one.b);
  const block = [one.a, one.b].find(isKept) ?? one.a ?? one.b;
  one.what.replaceChildren(element("span", "tag", `<${block.tag}>`));
  if (block.type) one.what.append(element("span", "kind", kindOf(block)));
  if (block.kind !== block.type) one.what.append(element("span", "is", block.kind));
  drawMarks(one);
  one.item.className = differs(one) ? "different" : kept ? "kept" : "dropped";
  if (one.details.open) drawWhy(one);
}

/** Draw the marks of the picture at a block: chips, and words coloured by text. */
function drawMarks(one) {
  const block = one[textSide()];
  const { chips = [], pieces = [] } = (block && marks.get(block.index)) ?? {};
  for (const { className, text, title } of chips) {
    const chip = element("span", className, text);
    if (title) chip.title = title;
    one.what.append(chip);
  }
  const text = (one.a ?? one.b).text;
  if (pieces.length) one.words.replaceChildren(...colouredWords(text, pieces));
  else one.words.textContent = text;
}

function drawVerdict(box, side, block) {
  const chip = element("b", "chip", block?.label ?? "no block");
  chip.dataset.label = block?.label ?? "";
  const parts = [element("span", "side", `${side.toUpperCase()} `), chip];
  if (block) {
    const score = element("span", "score", block.probability.toFixed(3));
    const meter = element("meter");
    meter.value = block.probability;
    meter.title = "probability to belong to the text";
    score.append(meter);
    parts.push(score);
    const note = block.steps.length
      ? `${block.steps.at(-1).kept ? "kept" : "dropped"} by post-analysis`
      : block.almost
        ? "almost kept"
        : "";
    if (note) parts.push(element("span", "note", note));
  }
  box.replaceChildren(...parts);
}

function filter() {
  const wanted = document.querySelector("[name=show]:checked").value;
  const fits = {
    all: () => true,
    kept: (one) => isKept(one.a) || isKept(one.b),
    different: (one) => differs(one) || !comparing(),
  }[wanted];
  let shown = 0;
  for (const one of rows) {
    one.item.hidden = !fits(one);
    shown += !one.item.hidden;
  }
  at("none").hidden = shown > 0;
}

function summary() {
  const parts = sides().map((side) => {
    const answer = found[side];
    const blocks = answer.blocks.length + answer.left_out;
    const what = [`${answer.kept} of ${blocks} blocks kept`, `score ${answer.score.toFixed(3)}`];
    if (answer.status !== "ok") what.push(answer.status);
    if (answer.presence && answer.presence !== "visible") {
      what.push([answer.presence, answer.presence_reason].filter(Boolean).join(": "));
    }
    if (answer.truncated) what.push(`truncated (${answer.truncated})`);
    if (answer.left_out) what.push(`${answer.left_out} blocks not shown`);
    return (comparing() ? `${side.toUpperCase()}: ` : "") + what.join(", ");
  });
  const example = name === "example" ? "Example: " : "";
  const title = example + (found.a.title ? `“${found.a.title.slice(0, 200)}”: ` : "");
  const different = comparing() ? `; ${rows.filter(differs).length} different` : "";
  return `${title}${parts.join("; ")}${different}.`;
}

// why

/** Fill the reasons of an open row, asking for those of the whole page once. */
async function drawWhy(one) {
  if (!one.details.open) return;
  const box = one.details.querySelector(".why");
  const place = element("p", "path");
  const block = [one.a, one.b].find(isKept) ?? one.a ?? one.b;
  place.append(element("code", "", block.xpath), likely(block), ...standing(block));
  const wanted = sides().filter((side) => one[side]);
  box.replaceChildren(place, ...wanted.map((side) => why(side, one[side], null)));
  try {
    const weighed = await Promise.all(wanted.map(reasonsOf));
    if (!one.details.open || wanted.some((side) => !one[side])) return;
    const parts = wanted.map((side, place) =>
      why(side, one[side], weighed[place][one[side].index] ?? []),
    );
    box.replaceChildren(place, ...parts);
  } catch (error) {
    show(error);
  }
}

/** The reasons of a side's blocks, which depend on the tagger alone. */
function reasonsOf(side) {
  const tagger = part(side).querySelector(".name").value;
  if (reasons[side]?.tagger !== tagger) {
    const known = options.taggers.find((one) => one.name === tagger).reasons;
    const asks = { reasons: known ? REASONS : 0, formats: [], picture: false, evidence: false };
    const answers = call("/extract", requestOf(side, asks)).then((answer) =>
      Object.fromEntries(answer.blocks.map((block) => [block.index, block.reasons])),
    );
    answers.catch(() => delete reasons[side]);
    reasons[side] = { tagger, answers };
  }
  return reasons[side].answers;
}

/** Why a block was kept or dropped: null for reasons that are still to come. */
function why(side, block, weighed) {
  const box = element("div");
  const verb = isKept(block) ? "kept" : "dropped";
  const whose = comparing() ? `${side.toUpperCase()}: ` : "";
  box.append(element("h3", "", `${whose}${verb} as ${block.label}, ${rule(side, block)}`));
  if (block.steps.length) {
    const list = element("ul");
    for (const one of block.steps) {
      const did = one.kept ? "keeps it" : "drops it";
      list.append(element("li", "", `post-analysis, ${one.step}: ${did} (${options.steps[one.step]})`));
    }
    box.append(list);
  }
  if (!weighed) box.append(element("p", "note", "Loading the reasons …"));
  else if (weighed.length) box.append(table(weighed));
  else box.append(element("p", "note", "This tagger reports no features."));
  return box;
}

function rule(side, block) {
  const box = part(side);
  const chance = `probability ${block.probability.toFixed(3)}`;
  const convention = box.querySelector(".convention").value;
  const as = convention === "auto" ? "" : `, as ${convention}`;
  if (!box.querySelector(".own").checked) return `${chance}, by the tagger’s own rule${as}`;
  const least = Number(box.querySelector(".threshold").value).toFixed(2);
  return `${chance}, threshold ${least}${as}`;
}

function table(weighed) {
  const made = element("table");
  const head = element("tr");
  head.append(...["feature", "value", "weight"].map((text) => element("th", "", text)));
  made.append(head);
  for (const one of weighed) {
    const line = element("tr");
    const sign = one.weight > 0 ? "for" : "against";
    const weight = `${one.weight > 0 ? "+" : "−"}${Math.abs(one.weight).toFixed(2)} ${sign}`;
    line.append(
      element("td", "", one.feature),
      element("td", "", String(one.value)),
      element("td", sign, weight),
    );
    made.append(line);
  }
  return made;
}

// the part that a block became

/** A block's kind with its probability, and the likeliest if that is another one. */
function likely(block) {
  const parts = [`${block.kind} ${Math.round(100 * block.kind_probability)} %`];
  if (block.likely_kind !== block.kind)
    parts.push(`rather ${block.likely_kind} ${Math.round(100 * block.likely_kind_probability)} %`);
  return element("span", "note", `Kind: ${parts.join(", ")}. `);
}

/** The part that a block became, in a word or two: "heading 2", "cell 3, 1", "item 4", "code python". */
function kindOf(block) {
  const { facts, type } = block;
  if (facts.row) return `${facts.header ? "header" : "cell"} ${facts.row}, ${facts.column}`;
  if (type === "heading") return `heading ${facts.level ?? ""}`;
  if (type === "codeblock") return `code ${facts.language ?? ""}`;
  if (facts.depth && ["item", "paragraph"].includes(type)) return `item ${facts.number ?? "•"}`;
  return type;
}

/** All facts of a block, and the place of its words in its element. */
function standing(block) {
  if (!block.type) return [];
  const facts = Object.entries(block.facts).map(([fact, value]) => `${fact} ${value}`);
  const places = block.place.slice(0, 5).map((one) => `${one.path} ${one.start}–${one.end}`);
  if (block.place.length > 5) places.push(`${block.place.length - 5} more`);
  const became = element("span", "note", `Became: ${[block.type, ...facts].join(", ")}. `);
  const place = element("span", "note", `Characters: ${places.join("; ")}.`);
  place.title = "characters of the element’s own text, without white space";
  return [became, place];
}

// the metadata of the page

const METADATA = {
  title: "Title",
  authors: "Authors",
  published: "Published",
  modified: "Modified",
  language: "Language",
  page_type: "Type",
  site: "Site",
  address: "Address",
  description: "Description",
  tags: "Tags",
  categories: "Categories",
  image: "Image",
  licence: "Licence",
};
const MOST_VALUES = 20; // values of a name that are drawn

function drawMetadata() {
  const metadata = found[textSide()]?.evidence;
  at("metadata-part").hidden = !metadata;
  if (!metadata) return;
  const lines = [];
  for (const [key, label] of Object.entries(METADATA)) {
    const values = [metadata[key]].flat().filter(Boolean).slice(0, MOST_VALUES);
    if (!values.length) continue;
    const box = element("dd");
    box.append(...values.map(key === "page_type" ? typeOf : metadataValue));
    lines.push(element("dt", "", label), box);
  }
  at("metadata").replaceChildren(...lines);
  if (!lines.length) at("metadata").append(element("p", "note", "The page states no metadata."));
}

/** A value with its probability and source, and a link to its block. */
function metadataValue(one) {
  const box = element("div", "value");
  box.append(element("span", "what-it-is", one.text), chance(one.probability));
  const there = one.xpath ? rowAt(one.xpath) : null;
  const row = there ?? rows.find((other) => (other.a ?? other.b).text === one.text);
  if (row) {
    const jump = element("button", "jump", one.source);
    jump.type = "button";
    jump.title = there ? `show the block at ${one.xpath}` : "show the block with the same text";
    jump.addEventListener("click", () => jumpTo(row));
    box.append(jump);
  } else {
    const from = element("span", "from", one.source);
    from.title = one.xpath;
    box.append(from);
  }
  return box;
}

/** The types of the page that are likely at all, the likeliest first. */
function typeOf(one) {
  const box = element("div", "value");
  const others = Object.entries(one.probabilities)
    .filter(([type, share]) => type !== one.name && share >= 0.05)
    .sort((a, b) => b[1] - a[1])
    .map(([type, share]) => `${type} ${share.toFixed(2)}`);
  box.append(
    element("span", "what-it-is", one.name),
    chance(one.probabilities[one.name]),
    element("span", "from", others.length ? `or ${others.join(", ")}` : "model"),
  );
  return box;
}

function chance(probability) {
  const box = element("span", "chance", probability.toFixed(2));
  const meter = element("meter");
  meter.value = probability;
  meter.title = "probability that it is right";
  box.append(meter);
  return box;
}

const WHOLE = /^\/html\[1\](\/(body|head)\[1\])?$/; // no block's own element

/** Draw the texts, roles or posts that the tagger finds, and mark the blocks. */
function drawPicture() {
  const answer = found[textSide()];
  const jump = (index) => {
    const row = rows.find((one) => one[textSide()]?.index === index);
    if (row) jumpTo(row);
  };
  const picture = pictureOf(answer, jump);
  at("picture-part").hidden = !picture;
  if (picture) {
    const whose = comparing() ? ` (${textSide().toUpperCase()})` : "";
    at("picture-title").textContent = picture.title + whose;
    at("picture-summary").textContent = picture.summary;
  }
  if (picture && picture.key !== drawn) at("picture").replaceChildren(...picture.parts);
  drawn = picture?.key ?? "";
  marks = marksOf(answer);
  rows.forEach(drawRow);
}

/** The row of an element: its own, one inside it, or the block that it is a part of. */
function rowAt(xpath) {
  if (WHOLE.test(xpath)) return null;
  const paths = rows.map((one) => (one.a ?? one.b).xpath);
  const tests = [
    (path) => path === xpath,
    (path) => path.startsWith(`${xpath}/`),
    (path) => xpath.startsWith(`${path}/`) && !WHOLE.test(path),
  ];
  for (const test of tests) {
    const place = test === tests[2] ? paths.findLastIndex(test) : paths.findIndex(test);
    if (place >= 0) return rows[place];
  }
  return null;
}

/** Show a row, whatever the filter says, and open it. */
function jumpTo(row) {
  at("blocks-list").open = true;
  if (row.item.hidden) {
    document.querySelector("[name=show][value=all]").checked = true;
    filter();
  }
  row.details.open = true;
  row.item.scrollIntoView({ block: "center" });
  row.details.firstChild.focus({ preventScroll: true });
}

// the text

const textSide = () => (comparing() ? at("side").value : "a");
const text = () => found[textSide()]?.texts[at("format").value] ?? "";

function drawText() {
  at("text").textContent = text();
}

async function copy() {
  try {
    await navigator.clipboard.writeText(text());
  } catch {
    getSelection().selectAllChildren(at("text")); // pages from other machines may not
    document.execCommand("copy");
  }
  at("status").textContent = "Copied.";
}

function download() {
  const format = at("format").value;
  const media = `${MEDIA[format] ?? "text/plain"};charset=utf-8`;
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text()], { type: media }));
  link.download = `${name}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  at("status").textContent = `Downloaded ${link.download}.`;
}

// settings

function drawSettings() {
  part("b").hidden = !comparing();
  document.body.classList.toggle("comparing", comparing());
  for (const box of document.querySelectorAll(".tagger")) {
    const model = options.taggers.find((one) => one.name === box.querySelector(".name").value);
    const own = box.querySelector(".own");
    own.disabled = box.querySelector(".threshold").disabled = !model.threshold;
    if (!model.threshold) own.checked = false;
    const convention = box.querySelector(".convention");
    convention.disabled = !model.conventions;
    if (!model.conventions) convention.value = "auto";
    box.querySelector("output").textContent = Number(box.querySelector(".threshold").value).toFixed(2);
    box.querySelector(".slide").classList.toggle("unused", !own.checked);
  }
}

/** Apply a changed setting. */
function set(event) {
  const box = event.target.closest(".tagger");
  if (event.target === at("file")) return void (event.type === "change" && submit());
  if (event.type === "input" && event.target.matches(".css")) return; // half a selector is none
  if (event.target.matches(".threshold")) box.querySelector(".own").checked = true;
  drawSettings();
  soon();
}

function choices(select, values) {
  select.replaceChildren(...values.map((value) => new Option(value, value)));
}

/** The checkbox of a switch. */
function switchOf(option) {
  const label = element("label");
  const box = element("input");
  box.type = "checkbox";
  box.name = option.name;
  box.checked = option.on;
  label.title = option.help;
  label.append(box, ` ${option.name.replace("_", " ")}`);
  return label;
}

/** Move between the blocks shown. */
function move(event) {
  const head = event.target.closest?.("summary");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!head || !step) return;
  event.preventDefault();
  const heads = rows.filter((one) => !one.item.hidden).map((one) => one.details.firstChild);
  heads[heads.indexOf(head) + step]?.focus();
}

function drop(event) {
  at("ask").classList.remove("dragged");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  at("file").files = event.dataTransfer.files;
  emptyOthers({ target: at("file") });
  submit();
}

function listen() {
  at("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  for (const field of Object.keys(READERS)) at(field).addEventListener("input", emptyOthers);
  PHONE.addEventListener("change", foldForm);
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return; // text goes where it is dropped
    event.preventDefault();
    at("ask").classList.add("dragged");
  });
  document.addEventListener("dragleave", () => at("ask").classList.remove("dragged"));
  document.addEventListener("drop", drop);
  window.addEventListener("message", ({ data, source }) => {
    if (source === at("view").contentWindow && data.overlay === "ready") showView();
  });
  for (const kind of ["input", "change"]) at("settings").addEventListener(kind, set);
  at("filter").addEventListener("change", filter);
  at("format").addEventListener("change", soon);
  at("side").addEventListener("change", () => {
    drawText();
    drawMetadata();
    drawPicture();
    drawView();
  });
  at("copy").addEventListener("click", copy);
  at("download").addEventListener("click", download);
  at("blocks").addEventListener("keydown", move);
}

const PHONE = matchMedia("(max-width: 40rem)");

/** On a phone the text comes first: the form is closed until it is needed. */
function foldForm() {
  at("ask-part").open = !PHONE.matches;
}

async function start() {
  foldForm();
  try {
    options = await call("/options");
  } catch (error) {
    return show(error);
  }
  const names = options.taggers.map((one) => one.name);
  for (const box of document.querySelectorAll(".tagger")) {
    choices(box.querySelector(".name"), names);
    choices(box.querySelector(".convention"), options.conventions);
    if (box.dataset.side === "b") box.querySelector(".name").value = names[1] ?? names[0];
  }
  if (names.length === 1) part("b").querySelector(".own").checked = true; // something to compare
  choices(at("format"), options.formats);
  at("switches").append(...options.switches.map(switchOf));
  at("url").disabled = !options.fetching;
  if (!options.fetching) {
    at("url-hint").textContent =
      "To fetch pages, start crfclean serve --allow-fetch. Without it, paste the HTML or drop a file.";
  }
  drawSettings();
  listen();
  await cleanExample().catch(show);
}

start();
