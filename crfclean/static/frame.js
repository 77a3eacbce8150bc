// The only script of the page view, inside its sandbox: it sends the numbers of blocks that are
// clicked and the keys that move, and marks the block that it is told.
"use strict";
const KEYS = ["ArrowDown", "ArrowUp", "Enter", "Escape", "Home", "End"];
const send = (message) => parent.postMessage(message, "*"); // numbers and names of keys only
const numberOf = (mark) => Number(mark.dataset.crf ?? mark.id.slice(4));
const marksOf = (number) =>
  document.querySelectorAll(`[id="crf-${Number(number)}"], [data-crf="${Number(number)}"]`);

function select(number, scroll) {
  for (const mark of document.querySelectorAll("[data-crf-current]")) {
    mark.removeAttribute("data-crf-current");
  }
  const marks = [...marksOf(number)];
  for (const mark of marks) mark.setAttribute("data-crf-current", "");
  const seen = marks.find((mark) => mark.getClientRects().length);
  if (seen && scroll) seen.scrollIntoView({ block: "center" });
  send({ selected: Number(number), visible: Boolean(seen) });
}

/** Boxes that stay in place while the page scrolls would cover it. */
function unpin() {
  for (const box of [...document.body.querySelectorAll("*")].slice(0, 20000)) {
    if (["fixed", "sticky"].includes(getComputedStyle(box).position)) {
      box.style.setProperty("position", "static", "important");
    }
  }
}

/** Scroll to a block that stands below what is seen, as the text does below long menus. */
function reveal(number) {
  const seen = [...marksOf(number)].find((mark) => mark.getClientRects().length);
  if (!seen || seen.getBoundingClientRect().top < 0.9 * innerHeight) return;
  seen.scrollIntoView({ block: "center" });
  send({ revealed: Number(number) });
}

function setStyled(on) {
  for (const sheet of document.styleSheets) {
    if (!sheet.ownerNode.hasAttribute("data-view")) sheet.disabled = !on;
  }
  for (const box of document.querySelectorAll(on ? "[data-style]" : "[style]")) {
    if (on) box.setAttribute("style", box.dataset.style);
    else box.dataset.style = box.getAttribute("style");
    box.removeAttribute(on ? "data-style" : "style");
  }
  document.documentElement.classList.toggle("crf-plain", !on);
}

addEventListener("message", ({ data, source }) => {
  if (source !== parent) return;
  if ("select" in data) select(data.select, data.scroll);
  if ("reveal" in data) reveal(data.reveal);
  if ("kinds" in data) document.documentElement.classList.toggle("crf-kinds", data.kinds);
  if ("styled" in data) setStyled(data.styled);
});
addEventListener("DOMContentLoaded", () => {
  unpin();
  send({ ready: true });
});
addEventListener("click", (event) => {
  event.preventDefault();
  const mark = event.target.closest?.("[data-crf-paint]");
  if (mark) send({ clicked: numberOf(mark) });
});
addEventListener("keydown", (event) => {
  if (!KEYS.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  send({ key: event.key });
});
