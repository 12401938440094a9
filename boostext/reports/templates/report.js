"use strict";
// Functions for all parts of the page: elements, tables with pages, and sections that open.

const element = (id) => document.getElementById(id);
const read = (id) => JSON.parse(element(id)?.textContent || "null");
const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
// <bdi> isolates the direction of a text from that of its surroundings.
const isolated = (text) => make("bdi", { textContent: text });

// Buttons for pages of rows: turn(first, size) draws a page and returns the number of all rows.
function pager(place, size, turn) {
  let page = 0;
  const said = make("span", { className: "small quiet" });
  said.setAttribute("role", "status");
  const before = make("button", { type: "button", textContent: "previous" });
  const after = make("button", { type: "button", textContent: "next" });
  const show = (wanted) => {
    page = Math.max(0, wanted);
    let count = turn(page * size, size);
    if (page && page * size >= count) {
      page = Math.max(0, Math.ceil(count / size) - 1);
      count = turn(page * size, size);
    }
    const first = page * size;
    said.textContent = count ? `${first + 1} to ${Math.min(first + size, count)} of ${count}` : "no matches";
    before.disabled = page === 0;
    after.disabled = first + size >= count;
    before.hidden = after.hidden = count <= size;
  };
  before.addEventListener("click", () => show(page - 1));
  after.addEventListener("click", () => show(page + 1));
  place.replaceChildren(before, " ", after, " ", said);
  return { show, page: () => page };
}

function compare(a, b, kind) {
  return kind === "number" ? Number(a) - Number(b) : String(a).localeCompare(String(b));
}

// Tables of the page: add pages, a filter, and headings that sort.
for (const table of document.querySelectorAll("table[data-page]")) {
  const body = table.tBodies[0];
  let rows = [...body.rows], fitting = rows;
  const place = make("p", { className: "pager" });
  (table.closest(".scroll") ?? table).after(place);
  const pages = pager(place, Number(table.dataset.page), (first, size) => {
    body.replaceChildren(...fitting.slice(first, first + size));
    return fitting.length;
  });
  const box = document.querySelector(`input[data-filters="${table.id}"]`);
  const fit = () => {
    const wanted = (box?.value ?? "").toLowerCase();
    fitting = wanted ? rows.filter((row) => row.textContent.toLowerCase().includes(wanted)) : rows;
    pages.show(0);
  };
  box?.addEventListener("input", fit);
  for (const head of table.querySelectorAll("thead th[data-key]")) {
    const button = make("button", { type: "button", textContent: head.textContent.trim() });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const at = [...head.parentNode.children].indexOf(head);
      const falls = turned(head, head.dataset.key === "number");
      const value = (row) => row.cells[at].textContent.trim();
      rows = rows.slice().sort((a, b) => falls * compare(value(a), value(b), head.dataset.key));
      fit();
    });
  }
  fit();
}

// Returns 1 for ascending order and -1 for descending; a second click reverses the order.
function turned(head, fallsFirst) {
  const before = head.getAttribute("aria-sort");
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  const first = fallsFirst ? "descending" : "ascending";
  const now = before === first ? (fallsFirst ? "ascending" : "descending") : first;
  head.setAttribute("aria-sort", now);
  return now === "ascending" ? 1 : -1;
}

// Only one article of a choice is shown. Links to articles and to closed sections open them.
for (const choice of document.querySelectorAll(".choice"))
  [...choice.children].forEach((article, number) => { article.hidden = number > 0; });
function reveal(id) {
  const target = element(id);
  if (!target) return;
  if (target.parentNode.classList.contains("choice"))
    for (const other of target.parentNode.children) other.hidden = other !== target;
  const folded = target.querySelector(":scope > details") ?? target.closest("details");
  if (folded) folded.open = true;
}
for (const link of document.querySelectorAll('a[href^="#"]'))
  link.addEventListener("click", () => reveal(link.getAttribute("href").slice(1)));
if (location.hash) reveal(location.hash.slice(1));

for (const button of document.querySelectorAll("button[data-copies]")) {
  button.addEventListener("click", async () => {
    const source = element(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "copied";
    } catch { // the browser does not allow copying, so the text is selected for Ctrl-C
      getSelection().selectAllChildren(source);
      button.textContent = "selected";
    }
  });
}

// Documents behind a confusion ---------------------------------------------------------------

const confusions = read("confusion-data");
document.addEventListener("click", (event) => {
  const key = event.target.closest?.("button[data-cell]")?.dataset.cell;
  if (!key) return;
  const [missed, given, count] = confusions.names[key];
  const places = confusions.cells[key];
  const shown = element("behind");
  shown.replaceChildren(
    make("h3", {}, isolated(missed), " predicted as ", isolated(given)),
    make("p", { className: "quiet small", textContent: `${places.length} of ${count}, the most confident errors first` }),
    make("ul", { className: "plain" }, ...places.map((place) => {
      const [name, origin, text] = confusions.documents[place];
      return make("li", {}, isolated(name), " ",
        make("span", { className: "quiet small" }, isolated(origin)),
        make("div", { className: "text", dir: "auto", textContent: text }));
    })));
  shown.focus();
});
