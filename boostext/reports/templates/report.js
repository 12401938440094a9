"use strict";
(() => {
  const PAGE = 50;
  const element = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(element(id)?.textContent || "null");
  const make = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  // Texts keep to themselves which way they run.
  const isolated = (text) => make("bdi", { textContent: text });
  const marked = (pieces) =>
    make("div", { className: "text", dir: "auto" },
      ...pieces.map((piece) => (typeof piece === "string" ? piece : make("mark", { textContent: piece[0] }))));

  // Tables that are in the page already: a filter, and heads that sort ----------------------------

  for (const box of document.querySelectorAll("input[data-filters]")) {
    const rows = [...element(box.dataset.filters).tBodies[0].rows];
    const said = element(box.dataset.filters + "-said");
    box.addEventListener("input", () => {
      const wanted = box.value.toLowerCase();
      let count = 0;
      for (const row of rows) {
        const fits = row.textContent.toLowerCase().includes(wanted);
        row.classList.toggle("off", !fits);
        count += fits;
      }
      said.textContent = wanted ? `${count} of ${rows.length} shown` : "";
    });
  }
  for (const head of document.querySelectorAll("table[data-sorts] thead th[data-key]")) {
    const button = make("button", { type: "button", textContent: head.textContent.trim() });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const body = head.closest("table").tBodies[0];
      const place = [...head.parentNode.children].indexOf(head);
      const falling = turn(head, head.dataset.key === "number");
      const value = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent.trim();
      body.append(...[...body.rows].sort((a, b) => falling * compare(value(a), value(b), head.dataset.key)));
    });
  }
  function compare(a, b, kind) {
    return kind === "number" ? Number(a) - Number(b) : String(a).localeCompare(String(b));
  }
  function turn(head, fallsFirst) {
    const before = head.getAttribute("aria-sort");
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    const first = fallsFirst ? "descending" : "ascending";
    const now = before === first ? (fallsFirst ? "ascending" : "descending") : first;
    head.setAttribute("aria-sort", now);
    return now === "ascending" ? 1 : -1;
  }

  // Documents behind a confusion ---------------------------------------------------------------

  const confusions = read("confusion-data");
  for (const button of document.querySelectorAll("button[data-cell]")) {
    button.addEventListener("click", () => {
      const key = button.dataset.cell;
      const [missed, given, count] = confusions.names[key];
      const places = confusions.cells[key];
      const shown = element("behind");
      shown.replaceChildren(
        make("h3", {}, isolated(missed), " was given ", isolated(given)),
        make("p", { className: "quiet small", textContent: `${places.length} of ${count}, the surest mistakes first` }),
        make("ul", { className: "plain" }, ...places.map((place) => {
          const [name, origin, text] = confusions.documents[place];
          return make("li", {}, isolated(name), " ",
            make("span", { className: "quiet small" }, isolated(origin)),
            make("div", { className: "text", dir: "auto", textContent: text }));
        })));
      shown.focus();
    });
  }

  // Outliers -----------------------------------------------------------------------------------

  const data = read("outlier-data");
  if (!data) return;
  const { rows, labels, shown, multi } = data;
  const ticked = new Map(); // row -> set of label numbers
  const chosen = new Map();
  let order = rows.slice(), page = 0;
  const body = element("outliers").tBodies[0];
  const controls = { text: element("o-text"), kind: element("o-kind"), label: element("o-label") };

  const names = (numbers) => numbers.map((number) => shown[number]).join(" + ") || "(none)";
  const haystack = rows.map((row) =>
    [row.name, row.origin, row.kind, names(row.given), names(row.suggested),
      row.says.map((said) => said[0]).join(" "), row.text.flat().join("")].join("\n").toLowerCase());
  const place = new Map(rows.map((row, number) => [row, number]));

  shown.forEach((name, number) => controls.label.append(new Option(name, number)));
  for (const control of Object.values(controls)) {
    // a choice is told as "change" everywhere, as "input" not everywhere
    control.addEventListener(control.tagName === "SELECT" ? "change" : "input", () => { page = 0; draw(); });
  }
  element("o-before").addEventListener("click", () => { page -= 1; draw(); });
  element("o-after").addEventListener("click", () => { page += 1; draw(); });
  element("o-export").addEventListener("click", save);
  element("o-none").addEventListener("click", () => { ticked.clear(); draw(); });

  const KEYS = {
    rank: (row) => row.rank, name: (row) => row.name, kind: (row) => row.kind,
    given: (row) => names(row.given), suggested: (row) => names(row.suggested),
    score: (row) => row.score, margin: (row) => row.margin, weight: (row) => row.weight,
  };
  for (const head of element("outliers").tHead.querySelectorAll("th[data-key]")) {
    const key = KEYS[head.dataset.key], kind = typeof key(rows[0]) === "number" ? "number" : "text";
    head.querySelector("button").addEventListener("click", () => {
      const falling = turn(head, head.dataset.key === "score" || head.dataset.key === "weight");
      order = rows.slice().sort((a, b) => falling * compare(key(a), key(b), kind) || a.rank - b.rank);
      page = 0;
      draw();
    });
  }

  function fitting() {
    const text = controls.text.value.toLowerCase();
    const label = controls.label.value === "" ? null : Number(controls.label.value);
    return order.filter((row) =>
      (!text || haystack[place.get(row)].includes(text)) &&
      (!controls.kind.value || row.kind === controls.kind.value) &&
      (label === null || row.given.includes(label) || row.suggested.includes(label)));
  }

  function draw() {
    const found = fitting();
    page = Math.max(0, Math.min(page, Math.ceil(found.length / PAGE) - 1));
    const first = page * PAGE;
    body.replaceChildren(...found.slice(first, first + PAGE).map(drawn));
    element("o-said").textContent = found.length
      ? `${first + 1} to ${Math.min(first + PAGE, found.length)} of ${found.length}`
      : "no document fits";
    element("o-before").disabled = page === 0;
    element("o-after").disabled = first + PAGE >= found.length;
    tell();
  }
  function tell() {
    element("o-ticked").textContent = `${ticked.size} ticked`;
    element("o-export").disabled = element("o-none").disabled = ticked.size === 0;
  }
  function cell(name, className, ...children) {
    const made = make("td", { className }, ...children);
    made.dataset.name = name;
    return made;
  }
  function drawn(row) {
    const box = make("input", { type: "checkbox", checked: ticked.has(row), disabled: row.id === null });
    box.setAttribute("aria-label", `correct ${row.name}`);
    box.addEventListener("change", () => {
      if (box.checked) ticked.set(row, choice(row)); else ticked.delete(row);
      tell();
    });
    const why = cell("text", "why", marked(row.text));
    if (row.says.length)
      why.append(make("div", { className: "small quiet" },
        "objects: " + row.says.map(([term, votes]) => `${term} ${votes > 0 ? "+" : ""}${votes}`).join(", ")));
    if (row.alike.length)
      why.append(make("div", { className: "small quiet" }, "nearly the same text, other labels: " + row.alike.join(", ")));
    return make("tr", {},
      cell("correct", "", box), cell("rank", "n", String(row.rank)),
      cell("document", "", isolated(row.name), make("div", { className: "small quiet" }, isolated(row.origin))),
      cell("kind", "", row.kind), cell("given", "", isolated(names(row.given))),
      cell("new label", "labels", picker(row, box)),
      cell("doubt", "n", row.score.toFixed(3)), cell("margin", "n", row.margin.toFixed(2)),
      cell("weight", "n", row.weight.toFixed(2)), why);
  }

  // What a document shall be given: the suggestion until somebody chooses.
  function choice(row) {
    if (!chosen.has(row)) {
      const same = row.kind === "agrees" && row.rival >= 0 && !multi;
      chosen.set(row, new Set(same ? [row.rival] : row.suggested));
    }
    return chosen.get(row);
  }
  function picker(row, box) {
    const touched = () => {
      if (row.id !== null) { box.checked = true; ticked.set(row, choice(row)); tell(); }
    };
    if (!multi) {
      const select = make("select", {}, ...labels.map((label, number) =>
        new Option(shown[number], number, false, choice(row).has(number))));
      labels.forEach((label, number) => { select.options[number].disabled = label === null; });
      select.setAttribute("aria-label", `new label of ${row.name}`);
      select.addEventListener("change", () => {
        chosen.set(row, new Set([Number(select.value)]));
        touched();
      });
      return select;
    }
    const near = [...new Set([...row.given, ...row.suggested, ...(row.rival >= 0 ? [row.rival] : []), ...choice(row)])];
    const group = make("div", {}, ...near.map((number) => {
      const one = make("input", { type: "checkbox", checked: choice(row).has(number), disabled: labels[number] === null });
      one.addEventListener("change", () => {
        if (one.checked) choice(row).add(number); else choice(row).delete(number);
        touched();
      });
      return make("label", {}, one, " ", isolated(shown[number]));
    }));
    const more = make("select", {}, new Option("another …", ""), ...shown.map((name, number) => new Option(name, number)));
    more.setAttribute("aria-label", `another label of ${row.name}`);
    more.addEventListener("change", () => {
      if (more.value === "" || labels[more.value] === null) return;
      choice(row).add(Number(more.value));
      touched();
      group.replaceWith(picker(row, box));
    });
    group.append(more);
    return group;
  }

  // RFC 4180; quoted whenever anything could be read otherwise.
  const field = (text) => (/^[A-Za-z0-9_.:/-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`);
  function save() {
    const lines = ["id,label"];
    for (const [row, numbers] of ticked) {
      const given = [...numbers].filter((number) => labels[number] !== null);
      if (!given.length) lines.push(`${field(row.id)},`);
      for (const number of given) lines.push(`${field(row.id)},${field(labels[number])}`);
    }
    const blob = new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" });
    const link = make("a", { href: URL.createObjectURL(blob), download: "corrections.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    element("o-ticked").textContent = `${ticked.size} written to corrections.csv`;
  }
  draw();
})();
