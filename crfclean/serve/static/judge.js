// Keys and buttons -> steps of an audit -> the block that is to be judged.
// Text of pages goes into the document as text (textContent), never as markup.

const ANSWERS = { true: "It belongs to the text.", false: "It does not belong to the text.", null: "" };
const at = (id) => document.getElementById(id);
const token = keepToken();
let queue = Promise.resolve();

/** The token from the address, which is then shown without it; kept for reloads of this tab. */
function keepToken() {
  const given = new URLSearchParams(location.search).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", "/");
  }
  return sessionStorage.getItem("token") ?? "";
}

/** Ask the server, or tell it a key; an error has the message to show. */
async function call(path, step) {
  const headers = { "content-type": "application/json", "x-crfclean-token": token };
  const request = step ? { method: "POST", headers, body: JSON.stringify(step) } : {};
  const answer = await fetch(path, request).catch(() => {
    throw new Error("crfclean has ended. Every judgement is saved; the same command goes on.");
  });
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  throw new Error(text);
}

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

/** Do one thing after the other, in the order of the keys; errors are shown. */
function then(action) {
  queue = queue.then(action).catch((error) => (at("message").textContent = error.message));
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
