// A click on the head of a column sorts the rows of its table: upwards, downwards, and as they were.
// Filters hide the parts of another language pair, and the columns of another beam width, than the
// chosen ones, but not on paper. Without this script the page has the same content, and no buttons.
"use strict";
(() => {
  const ORDERS = ["ascending", "descending", null];
  const FACTORS = { k: 1e3, M: 1e6, G: 1e9 };

  /** What a cell says, without the remark on it. */
  function said(cell) {
    const copy = cell.cloneNode(true);
    copy.querySelectorAll(".remark").forEach(remark => remark.remove());
    return copy.textContent.trim();
  }

  /** The number that a text begins with, as “−1.25”, “< 0.001”, “1,000”, “5e-05” or “1.77M”, or
      the seconds of a time, as “59.9 s”, “4:05 min” or “13:20 h”; or NaN. */
  function numberOf(text) {
    const time = /^(\d+):(\d\d) (min|h)/.exec(text);
    if (time) return (60 * Number(time[1]) + Number(time[2])) * (time[3] === "h" ? 60 : 1);
    const found = /^<?\s*([+−-]?)([\d,]*\.?\d+(?:e[+-]\d+)?)(?:([kMG])(?![a-z]))?/.exec(text);
    if (!found) return NaN;
    const size = Number(found[2].replaceAll(",", "")) * (FACTORS[found[3]] ?? 1);
    return found[1] === "" || found[1] === "+" ? size : -size;
  }

  /** Numbers by size, other texts by alphabet after them, and cells without a value at the end. */
  function compare(left, right, direction) {
    const empty = [left, right].map(text => text === "" || text === "–");
    if (empty[0] || empty[1]) return empty[0] - empty[1];
    const [one, other] = [numberOf(left), numberOf(right)];
    if (Number.isNaN(one) !== Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other);
    return direction * (Number.isNaN(one) ? left.localeCompare(right) : one - other);
  }

  function sortable(table) {
    const body = table.tBodies[0];
    const made = [...body.rows];
    if (made.length < 2) return;
    const heads = table.tHead.querySelectorAll("th[data-column]");
    for (const head of heads) {
      const place = Number(head.dataset.column);
      const button = document.createElement("button");
      button.type = "button";
      button.title = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = ORDERS.indexOf(head.getAttribute("aria-sort"));
        const order = ORDERS[(before + 1) % ORDERS.length];
        heads.forEach(other => other.removeAttribute("aria-sort"));
        const rows = [...made];
        if (order) {
          head.setAttribute("aria-sort", order);
          const direction = order === "ascending" ? 1 : -1;
          rows.sort((a, b) => compare(said(a.cells[place]), said(b.cells[place]), direction));
        }
        body.append(...rows);
      });
    }
  }

  /** Take the elements away whose `data-NAME` is not `value`, and what would hold nothing then;
      bring all of them back if `value` is empty. */
  function choose(name, value) {
    const parts = `[data-${name}]`;
    for (const element of document.querySelectorAll(parts))
      element.classList.toggle("away", value !== "" && element.dataset[name] !== value);
    for (const whole of document.querySelectorAll("main table, main aside, main section")) {
      const all = [...whole.querySelectorAll(parts)];
      const nothing = all.length > 0 && all.every(element => element.classList.contains("away"));
      whole.classList.toggle(`no-${name}`, nothing);
    }
  }

  const filters = document.querySelector(".filters");
  if (filters?.elements.length) {
    filters.hidden = false;
    filters.addEventListener("change", event => choose(event.target.name, event.target.value));
    filters.addEventListener("submit", event => event.preventDefault()); // Enter in a choice
  }

  document.querySelectorAll("main table").forEach(sortable);

  // On paper nothing can be opened: tables and lists that are folded are open there.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details[id]:not([open])")];
    folded.forEach(each => (each.open = true));
  });
  addEventListener("afterprint", () => folded.forEach(each => (each.open = false)));
})();
