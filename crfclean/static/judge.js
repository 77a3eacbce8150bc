// Keys and buttons -> steps of an audit -> the block that is to be judged.
// Text of pages goes into the document as text (textContent), never as markup.

import { at } from "/static/dom.js";
import { callsWith, inOrder, token } from "/static/server.js";

const ANSWERS = { true: "It belongs to the text.", false: "It does not belong to the text.", null: "" };
const call = callsWith("Every judgement is saved; the same command goes on.");
const then = inOrder((message) => (at("message").textContent = message));

/** Show the state that the server tells. */
function show(state) {
  for (const name of ["before", "after", "message"]) at(name).textContent = state[name];
  at("page").textContent = [state.title, state.url].filter(Boolean).join(" · ");
  at("block").textContent = state.text;
  at("block").className = { true: "text", false: "other", null: "" }[state.answer];
  at("answer").textContent = ANSWERS[state.answer];
  at("count").textContent = `block ${state.number} of ${state.blocks}, ${state.judged} judged`;
  at("progress").max = state.blocks;
  at("progress").value = state.judged;
}

function press(key) {
  then(async () => {
    const state = await call("/api/key", { key });
    if (state.left) at("message").textContent = "Saved. The figures are where crfclean was started.";
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
  if (!token) at("message").textContent = "This tab can only look. To judge, open the address that crfclean printed.";
});
