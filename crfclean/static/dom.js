// Small parts of the page. Text becomes text (textContent), never markup.

export const at = (id) => document.getElementById(id);

/** A new element with a class and a text. */
export function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

/** A button that looks like a link, or plain text where there is nowhere to go. */
export function jumpButton(text, title, go) {
  if (!go) return element("span", "from", text);
  const made = element("button", "jump", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", go);
  return made;
}

/** "1 post", "2 posts". */
export const plural = (count, noun) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
