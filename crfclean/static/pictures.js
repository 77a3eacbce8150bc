// The coherent texts, roles or posts that a tagger finds.
// An answer of /extract -> the picture above the blocks, and the marks of each block.

import { element, jumpButton, plural } from "/static/dom.js";

const TONES = 8; // colours; those of neighbouring texts differ, and every text has its number
const SHORT_LEGEND = 12; // texts, the largest, that the legend has at first
const MOST_REMOVED = 20; // candidates of a step that are drawn

const TITLES = { segments: "Coherent texts", roles: "Roles and rules", thread: "Posts" };
const DRAW = { segments: drawTexts, roles: drawRoles, thread: drawThread };

/** The field of an answer that has a picture; undefined for a tagger with labels only. */
const fieldOf = (answer) => Object.keys(DRAW).find((field) => answer?.[field]);

/** Title, summary, parts and key of the picture, null if there is none; `jump(index)` shows a block.
    Pictures with the same key are the same. */
export function pictureOf(answer, jump) {
  const field = fieldOf(answer);
  if (!field) return null;
  const key = field + JSON.stringify(answer[field]);
  return { title: TITLES[field], key, ...DRAW[field](answer, jump) };
}

/** Index of a block -> its marks: `chips` (class and text) and `pieces` (text number and words). */
export function marksOf(answer) {
  const field = fieldOf(answer);
  return field ? MARKS[field](answer[field]) : new Map();
}

const toneOf = (number) => `tone-${number % TONES}`;

function marksAt(marks, index) {
  if (!marks.has(index)) marks.set(index, { chips: [], pieces: [] });
  return marks.get(index);
}

const MARKS = {
  segments(texts) {
    const marks = new Map();
    texts.forEach((one, number) => {
      for (const part of one.parts) {
        const mark = marksAt(marks, part.block);
        mark.pieces.push({ number, tone: toneOf(number), text: part.text });
      }
    });
    for (const mark of marks.values()) {
      const numbers = mark.pieces.map((piece) => piece.number + 1);
      const many = numbers.length > 1;
      const text = many ? `texts ${numbers[0]}–${numbers.at(-1)}` : `text ${numbers[0]}`;
      mark.chips.push({ className: `mark ${many ? "several" : toneOf(numbers[0] - 1)}`, text });
    }
    return marks;
  },
  roles(roles) {
    const marks = new Map();
    const mark = (index, className, text, title = "") => {
      marksAt(marks, index).chips.push({ className: `mark ${className}`, text, title });
    };
    for (const index of roles.heading?.blocks ?? []) mark(index, "heading", "main heading");
    for (const index of roles.article?.blocks ?? []) mark(index, "article", "main article");
    for (const index of roles.comments) mark(index, "comment", "comment");
    for (const step of roles.steps.filter((one) => one.system === "parts of the article")) {
      for (const one of step.removed) mark(one.block, "removed", `removed: ${step.rule}`, one.why);
    }
    return marks;
  },
  thread(thread) {
    const marks = new Map();
    thread.posts.forEach((post, number) => {
      for (const index of post.blocks) {
        const chip = { className: `mark ${toneOf(number)}`, text: `post ${number + 1}` };
        marksAt(marks, index).chips.push(chip);
      }
    });
    return marks;
  },
};

/** The words of a block, coloured by coherent text; null if they don't fit the text. */
export function colouredWords(text, pieces) {
  const words = [];
  let start = 0;
  for (const piece of pieces) {
    const end = endOf(text, start, piece.text);
    const span = element("span", `piece ${piece.tone}`, text.slice(start, end));
    span.title = `text ${piece.number + 1}`;
    words.push(span);
    start = end;
  }
  if (start < text.length) words.push(text.slice(start));
  return words;
}

/** Where the characters of a piece end in a text; white space doesn't count. */
function endOf(text, start, piece) {
  let left = piece.replace(/\s/g, "").length;
  let end = start;
  while (end < text.length && left > 0) left -= /\s/.test(text[end++]) ? 0 : 1;
  while (end < text.length && /\s/.test(text[end])) end += 1;
  return end;
}

// coherent texts

function drawTexts(answer, jump) {
  const texts = answer.segments.map((one, number) => ({ ...one, number }));
  const bySize = [...texts].sort((a, b) => b.size - a.size || a.number - b.number);
  const list = element("ol", "legend");
  list.append(...bySize.slice(0, SHORT_LEGEND).map((one) => legendItem(one, jump)));
  const parts = [list];
  if (texts.length > SHORT_LEGEND) {
    const more = element("button", "", `Show all ${texts.length} texts`);
    more.type = "button";
    more.addEventListener("click", () => {
      const rest = bySize.slice(SHORT_LEGEND).map((one) => legendItem(one, jump));
      list.append(...rest);
      more.remove();
      rest[0].querySelector("button, span").focus();
    });
    parts.push(more);
  }
  const kept = texts.filter((one) => one.kept).length;
  const summary = `${plural(texts.length, "text")}, ${kept} kept or partly kept; largest first`;
  return { summary, parts };
}

function legendItem(one, jump) {
  const item = element("li", toneOf(one.number));
  const first = one.parts[0];
  const facts = [
    plural(one.size, "character"),
    `${Math.round(one.link_share * 100)} % in links`,
    one.kept ? `${one.kept} of ${plural(one.blocks, "block")} kept` : plural(one.blocks, "block"),
  ];
  const go = first && (() => jump(first.block));
  const number = jumpButton(`text ${one.number + 1}`, `show its first block, at ${one.xpath}`, go);
  item.append(element("i", "swatch"), number, element("span", "facts", facts.join(", ")));
  item.append(element("span", "start", first?.text ?? ""));
  return item;
}

// roles

function drawRoles(answer, jump) {
  const { heading, article, comments, pictures, steps } = answer.roles;
  const list = element("dl", "conclusions");
  const conclude = (name, className, value, index) => {
    const box = element("dd", className);
    const go = index === undefined ? null : () => jump(index);
    box.append(jumpButton(value, "show its first block", go));
    list.append(element("dt", "", name), box);
  };
  const found = (one) => (one ? `${one.text} — ${one.xpath}` : "none");
  conclude("Main heading", "heading", found(heading), heading?.blocks[0]);
  conclude("Main article", "article", found(article), article?.blocks[0]);
  conclude("Comments", "comment", plural(comments.length, "block"), comments[0]);
  conclude("Pictures", "", plural(pictures.length, "picture"));
  const trace = element("ol", "trace");
  trace.append(...steps.map((step) => stepItem(step, jump)));
  const parts = [list, element("h3", "", "Rules, in order of application"), trace];
  return { summary: plural(steps.length, "step"), parts };
}

function stepItem(step, jump) {
  const item = element("li");
  const details = element("details");
  const head = element("summary");
  const counts = `${step.removed_count} removed, ${step.left} left`;
  head.append(element("b", "", step.system), `: ${step.rule} `, element("span", "facts", counts));
  const list = element("ul");
  for (const one of step.removed.slice(0, MOST_REMOVED)) {
    const line = element("li");
    const go = one.block === null ? null : () => jump(one.block);
    line.append(jumpButton(one.text || one.xpath, one.xpath, go), element("span", "why-not", one.why));
    list.append(line);
  }
  const more = step.removed_count - Math.min(step.removed.length, MOST_REMOVED);
  if (more) list.append(element("li", "note", `and ${more} more`));
  details.append(head, list);
  item.append(details);
  return item;
}

// posts

function drawThread(answer, jump) {
  const { topic, status, posts, postsWithoutWords } = answer.thread;
  if (!posts.length) {
    const note = element("p", "note", "No posts found. This is probably not a forum page.");
    return { summary: status, parts: [note] };
  }
  const depths = [];
  const list = element("ol", "posts");
  posts.forEach((post, number) => {
    depths.push(post.replyTo === null ? 0 : depths[post.replyTo] + 1);
    list.append(postItem(post, number, depths[number], jump));
  });
  const facts = [plural(posts.length, "post")];
  if (postsWithoutWords) facts.push(`${postsWithoutWords} without own words`);
  const parts = topic ? [element("p", "topic", topic.name), list] : [list];
  return { summary: facts.join(", "), parts };
}

const DEEPEST = 4; // levels of answers that are set in

function postItem(post, number, depth, jump) {
  const item = element("li", `entry ${toneOf(number)} depth-${Math.min(depth, DEEPEST)}`);
  const head = element("p", "entry-head");
  const go = post.blocks.length ? () => jump(post.blocks[0]) : null;
  head.append(jumpButton(`post ${number + 1}`, `show its first block, at ${post.xpath}`, go));
  head.append(element("b", "author", post.author?.name ?? "no author"), dateOf(post));
  if (post.first) head.append(element("span", "from", "opens the thread"));
  if (post.replyTo !== null) head.append(element("span", "from", `replies to post ${post.replyTo + 1}`));
  item.append(head, ...post.quotes.map((text) => element("blockquote", "", text)));
  item.append(element("div", post.text ? "own" : "own note", post.text || "no words besides quotes"));
  return item;
}

/** The date as it was read, and as it is written on the page. */
function dateOf(post) {
  const { datePublished: read, dateRaw: written, dateCertainty: certainty } = post;
  const made = element("span", "date", read ?? written ?? "no date");
  made.title = [written && `on the page: ${written}`, certainty].filter(Boolean).join("; ");
  return made;
}
