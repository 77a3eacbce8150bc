"""A script that finds texts of a page whose contrast is below that of WCAG 2.1, 1.4.3."""

CONTRAST = """
const channel = (part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [red, green, blue] = parts(colour).map((part) => channel(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const behind = (one) => {
  for (; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (parts(colour)[3] !== 0) return colour;
  }
};
const found = {};
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !one.checkVisibility() || one.closest(":disabled, .unused, option")) continue;
  const pair = [light(getComputedStyle(one).color), light(behind(one))].sort();
  const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  if (ratio < 4.5) found[one.className || one.tagName] = ratio;
}
return found;
"""
"""Class of an element -> its contrast, of those below 4.5."""
