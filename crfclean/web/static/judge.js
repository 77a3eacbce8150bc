// Keys and buttons -> steps of an audit -> the block to judge, beside its page.
// Text of pages goes into the document as text (textContent), never as markup.

import { at, element } from "/static/dom.js";
import { callsWith, inOrder, token } from "/static/server.js";

const ANSWERS = { true: "It belongs to the text.", false: "It does not belong to the text.", null: "" };
const call = callsWith("Your judgements are saved. Start the command again.");
const then = inOrder((message) => (at("message").textContent = message));

/** Show the state that the server sends. */
function show(state) {
  at("message").textContent = state.message;
  drawPage(state);
  at("page").textContent = [state.title, state.url].filter(Boolean).join(" · ");
  at("block").textContent = state.text;
  at("block").className = { true: "text", false: "other", null: "" }[state.answer];
  at("answer").textContent = ANSWERS[state.answer];
  at("count").textContent = `block ${state.number} of ${state.blocks}, ${state.judged} judged`;
  at("progress").max = state.blocks;
  at("progress").value = state.judged;
}

/** Show the block among its neighbours, in the middle of what is seen. */
function drawPage({ above, text, below }) {
  const block = element("p", "here", text);
  const lines = (texts) => texts.map((line) => element("p", "", line));
  at("neighbours").replaceChildren(...lines(above), block, ...lines(below));
  const middle = block.offsetTop - (at("around").clientHeight - block.offsetHeight) / 2;
  at("around").scrollTop = Math.min(middle, block.offsetTop - 32);
}

function press(key) {
  then(async () => {
    const state = await call("/api/key", { key });
    if (state.left) at("message").textContent = "Saved. crfclean prints the figures where you started it.";
    else show(state);
  });
}

const NAMES = { ArrowUp: "up", ArrowDown: "down", Home: "home", End: "end" };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = NAMES[event.key] ?? event.key;
  if (!"toxuykjgq".includes(key) && !NAMES[event.key]) return;
  event.preventDefault();
  press(key);
});
for (const button of document.querySelectorAll("button[data-key]")) {
  button.addEventListener("click", () => press(button.dataset.key));
}

then(async () => {
  show(await call("/api/judging"));
  if (!token) at("message").textContent = "This tab is read-only. To judge, open the address that crfclean printed.";
});
