// A view of a page -> the page in a sandbox, with the reasons for the chosen block.
// Text of pages goes into this document as text (textContent), never as markup. The page itself
// stands in a frame of another origin; it sends numbers of blocks and names of keys, nothing else.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const frame = document.createElement("iframe");
  let view = null;
  let current = -1;
  let first = 0; // the block to begin with

  function element(tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }

  const percent = (share) => (share > 0.995 ? "over 99 %" : share < 0.005 ? "under 1 %" : `${Math.round(100 * share)} %`);
  const post = (message) => frame.contentWindow?.postMessage(message, "*");

  function show(newView) {
    view = newView;
    current = -1;
    first = 0;
    at("why").hidden = true;
    at("title").textContent = view.title || view.url || "A page without a title";
    at("summary").replaceChildren(
      `${view.kept.toLocaleString("en")} of ${view.total.toLocaleString("en")} blocks kept, ` +
        `score ${view.score.toFixed(3)} `,
      element("span", "aside", "(expected F1). Select a block to see why."),
    );
    at("notes").replaceChildren(...view.notes.map((note) => element("li", "", note)));
    at("notes").hidden = !view.notes.length;
    frame.srcdoc = view.page;
    if (!frame.isConnected) at("frame-box").append(frame);
  }

  /** Choose a block; `open` shows its reasons. */
  function choose(number, { open = true, scroll = true } = {}) {
    if (!view || !view.blocks.length) return;
    current = Math.max(0, Math.min(view.blocks.length - 1, number));
    post({ select: current, scroll });
    if (open || !at("why").hidden) explain(view.blocks[current]);
  }

  function explain(block) {
    at("why").hidden = false;
    at("why").className = block.kept ? "kept" : "dropped";
    at("verdict").textContent = block.kept ? "Kept" : "Dropped";
    if (block.kind) at("verdict").textContent += ` · ${kindOf(block)}`;
    const meter = document.createElement("meter");
    meter.value = block.probability;
    meter.setAttribute("aria-label", "probability that it belongs to the text");
    at("meter-line").replaceChildren(`${percent(block.probability)} likely to belong to the text`, meter);
    at("words").textContent = block.text;
    list("because", block.because);
    list("but", block.but);
    at("size").textContent = `<${block.tag}>, ${block.size}.`;
    at("figures").replaceChildren(...block.figures.map(figure));
    at("xpath").textContent = block.xpath;
    at("figures-part").hidden = !block.figures.length;
    at("why").scrollTop = 0;
  }

  /** A block's kind with its probability, and the likeliest if that is another one. */
  function kindOf(block) {
    const said = `${block.kind} (${percent(block.kind_probability)})`;
    if (block.likely_kind === block.kind) return said;
    return `${said}, rather ${block.likely_kind} (${percent(block.likely_kind_probability)})`;
  }

  function list(id, words) {
    at(id).replaceChildren(...words.map((text) => element("li", "", text)));
    at(id).hidden = at(`${id}-line`).hidden = !words.length;
  }

  function figure([feature, value, weight]) {
    const row = document.createElement("tr");
    const sign = weight > 0 ? "+" : "−";
    row.append(
      element("td", "", feature),
      element("td", "", String(value)),
      element("td", weight > 0 ? "for" : "against", `${sign}${Math.abs(weight).toFixed(2)}`),
    );
    return row;
  }

  /** Move from the current block, or to the first one. */
  const move = (by, settings) => choose(current < 0 ? first : current + by, settings);

  function close() {
    at("why").hidden = true;
  }

  const KEYS = {
    ArrowDown: () => move(1, { open: false }),
    ArrowUp: () => move(-1, { open: false }),
    Home: () => choose(0, { open: false }),
    End: () => choose(view.blocks.length - 1, { open: false }),
    Enter: () => move(0),
    Escape: close,
  };

  addEventListener("message", ({ data, source, origin }) => {
    if (source === frame.contentWindow) fromFrame(data);
    else if (source === parent && parent !== window && origin === location.origin) show(data);
  });

  function fromFrame(data) {
    if (data.ready) post({ kinds: at("kinds").checked, styled: at("styled").checked });
    if (data.ready && current >= 0) choose(current, { open: false });
    else if (data.ready) post({ reveal: view.blocks.findIndex((block) => block.kept) });
    if (data.revealed < view.blocks.length) first = data.revealed;
    if (Number.isInteger(data.clicked)) choose(data.clicked, { scroll: false });
    if (Object.hasOwn(KEYS, data.key ?? "")) KEYS[data.key]();
    if (data.selected === current && data.visible === false) {
      at("size").textContent = `${at("size").textContent.split(" The page hides")[0]} The page hides this block.`;
    }
  }

  document.addEventListener("keydown", (event) => {
    const isControl = event.target.closest("button, input, summary");
    if (!Object.hasOwn(KEYS, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isControl && event.key === "Enter") return;
    event.preventDefault();
    KEYS[event.key]();
  });
  at("before").addEventListener("click", () => move(-1));
  at("after").addEventListener("click", () => move(1));
  at("close").addEventListener("click", close);
  at("kinds").addEventListener("change", () => post({ kinds: at("kinds").checked }));
  at("styled").addEventListener("change", () => post({ styled: at("styled").checked }));

  frame.setAttribute("sandbox", "allow-scripts"); // another origin; its policy allows one script
  frame.title = "The page with kept and dropped blocks";
  frame.referrerPolicy = "no-referrer";
  if (at("data")) show(JSON.parse(at("data").textContent));
  else parent.postMessage({ overlay: "ready" }, location.origin);
})();
