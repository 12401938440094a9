// Likely label errors: shows the documents, and saves the decisions.
(() => {
  const data = read("error-data");
  if (!data) return;
  const { rows, labels, shown, multi } = data;
  const SIZE = 6, NEAR = 9;
  const list = element("error-list");
  const controls = ["text", "kind", "label", "state", "order"].map((name) => element(`e-${name}`));
  const [words, kind, label, state, order] = controls;
  const open = new Set(); // the rows whose whole text is shown
  let here = 0, visible = [];

  // Decisions: a map from rows to "fine" or to the indices of the new labels. They are kept in the
  // storage of the browser, by the ids of the documents.
  const decided = new Map();
  const undo = [];
  const key = `boostext-errors-${data.key}`;
  const number = new Map(labels.map((name, place) => [name, place]));
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "{}");
    for (const row of rows) {
      const decision = Object.hasOwn(kept, row.id) ? kept[row.id] : undefined;
      if (decision === "fine") decided.set(row, decision);
      else if (Array.isArray(decision)) decided.set(row, decision.map((name) => number.get(name)).filter((n) => n !== undefined));
    }
  } catch { /* there is no storage, or its content is not valid */ }
  function keep() {
    const kept = {};
    for (const [row, decision] of decided)
      Object.defineProperty(kept, row.id, { value: decision === "fine" ? decision : decision.map((n) => labels[n]), enumerable: true });
    try { localStorage.setItem(key, JSON.stringify(kept)); } catch { /* as above */ }
  }
  function decide(row, decision) {
    if (row.id === null) return;
    undo.push([row, decided.get(row)]);
    if (decision === undefined) decided.delete(row); else decided.set(row, decision);
    keep();
    redraw(row);
    tell();
  }

  const names = (numbers) => numbers.map((n) => shown[n]).join(" + ") || "(none)";
  const offered = (row) => {
    const first = [...row.suggested, ...(row.rival >= 0 ? [row.rival] : []), ...row.given];
    const all = labels.length <= NEAR ? labels.map((_, n) => n) : [];
    return [...new Set([...first, ...all])].filter((n) => labels[n] !== null).slice(0, NEAR);
  };
  function choose(row, n) {
    if (!multi) return decide(row, [n]);
    const decision = decided.get(row);
    const now = new Set(Array.isArray(decision) ? decision : row.given);
    if (now.has(n)) now.delete(n); else now.add(n);
    decide(row, [...now]);
  }

  // Drawing ------------------------------------------------------------------------------------

  const marked = (pieces) =>
    make("div", { className: "text", dir: "auto" }, ...pieces.map((piece) => {
      if (typeof piece === "string") return piece;
      const mark = make("mark", { textContent: piece[0], className: `m${Math.abs(piece[1])}` });
      if (piece[1] < 0) mark.classList.add("against");
      return mark;
    }));
  const button = (text, on, act, hint) => {
    const made = make("button", { type: "button", className: on ? "on" : "" }, ...(hint ? [make("kbd", { textContent: hint }), " "] : []), text);
    made.setAttribute("aria-pressed", String(on));
    made.addEventListener("click", act);
    return made;
  };
  function evidence(row) {
    const most = Math.max(...[...row.for, ...row.against].map((evidence) => Math.abs(evidence[1])), 0.01);
    const side = (evidence, name) => evidence.length
      ? [make("li", { className: `small ${name}` }, name === "for" ? "for the label: " : "against it: ",
          ...evidence.flatMap(([term, votes], n) => {
            const bar = make("span", { className: `strength w${Math.ceil(5 * Math.abs(votes) / most)}` });
            bar.setAttribute("aria-hidden", "true");
            return [n ? ", " : "", isolated(term), ` ${Math.abs(votes).toFixed(2)} `, bar];
          }))] : [];
    return make("ul", { className: "plain evidence" }, ...side(row.for, "for"), ...side(row.against, "against"));
  }
  function deciding(row) {
    const decision = decided.get(row);
    const now = Array.isArray(decision) ? decision : [];
    const group = make("div", { className: "deciding" });
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", `label of ${row.name}`);
    if (row.id === null) {
      group.append("The id is too long for a file of corrections.");
      return group;
    }
    group.append(...offered(row).map((n, place) =>
      button(isolated(shown[n]), now.includes(n), () => choose(row, n), String(place + 1))));
    if (labels.length > NEAR) {
      const more = make("select", {}, new Option("another label …", ""),
        ...shown.map((name, n) => new Option(now.includes(n) ? `✓ ${name}` : name, n)));
      more.setAttribute("aria-label", `another label of ${row.name}`);
      more.addEventListener("change", () => { if (more.value !== "" && labels[more.value] !== null) choose(row, Number(more.value)); });
      group.append(more);
      const far = now.filter((n) => !offered(row).includes(n));
      if (far.length) group.append(make("span", { className: "small" }, isolated(names(far))));
    }
    group.append(button("label is correct", decision === "fine", () => decide(row, decision === "fine" ? undefined : "fine"), "f"));
    return group;
  }
  function drawn(row) {
    const decision = decided.get(row);
    const whole = open.has(row);
    const text = make("div", { className: "reading" }, marked(whole && row.whole.length ? row.whole : row.text));
    if (row.whole.length) {
      const more = button(whole ? "less" : "whole text", whole, () => unfold(row));
      more.setAttribute("aria-expanded", String(whole));
      more.removeAttribute("aria-pressed");
      text.append(more);
    }
    text.append(evidence(row));
    if (row.alike.length)
      text.append(make("details", { className: "small" }, make("summary", { textContent: "Nearly the same text with other labels" }),
        make("div", { className: "beside" },
          make("div", {}, make("p", {}, isolated(row.name), ": ", isolated(names(row.given))), marked(row.text)),
          ...row.alike.map((other) => make("div", {}, make("p", {}, isolated(other.name), ": ", isolated(names(other.labels))),
            make("div", { className: "text", dir: "auto", textContent: other.text }))))));
    const item = make("li", { className: "error", tabIndex: -1 },
      make("div", { className: "which" },
        make("div", {}, `${row.rank}. `, isolated(row.name)),
        make("div", { className: "small quiet" }, isolated(row.origin)),
        make("div", { className: "small" }, `score ${row.score.toFixed(3)}, ${row.kind}`),
        make("div", { className: "small quiet", textContent: `margin ${row.margin.toFixed(2)}, weight ${row.weight.toFixed(2)}` }),
        make("div", { className: "given" }, make("span", { className: "small quiet" }, "given "), isolated(names(row.given))),
        deciding(row)),
      text);
    item.classList.toggle("done", decision !== undefined);
    item.dataset.row = row.rank;
    return item;
  }
  function redraw(row) {
    const place = visible.indexOf(row);
    if (place < 0) return;
    const old = list.children[place];
    const inside = old.contains(document.activeElement);
    const buttons = [...old.querySelectorAll("button, select")];
    const at = buttons.indexOf(document.activeElement);
    const made = drawn(row);
    old.replaceWith(made);
    if (inside) ([...made.querySelectorAll("button, select")][at] ?? made).focus();
    point(here);
  }
  function unfold(row) {
    if (open.has(row)) open.delete(row); else open.add(row);
    redraw(row);
  }

  // Filters, order, pages ------------------------------------------------------------------------

  const haystack = new Map(rows.map((row) => [row,
    [row.name, row.origin, row.kind, names(row.given), names(row.suggested),
      ...row.for.map((evidence) => evidence[0]), ...row.against.map((evidence) => evidence[0]),
      (row.whole.length ? row.whole : row.text).map((piece) => (typeof piece === "string" ? piece : piece[0])).join("")]
      .join("\n").toLowerCase()]));
  const ORDERS = {
    score: (a, b) => a.rank - b.rank, weight: (a, b) => b.weight - a.weight,
    margin: (a, b) => a.margin - b.margin, name: (a, b) => a.name.localeCompare(b.name),
    given: (a, b) => names(a.given).localeCompare(names(b.given)),
  };
  shown.forEach((name, n) => label.append(new Option(name, n)));
  function fitting() {
    const wanted = words.value.toLowerCase(), n = Number(label.value);
    return rows.filter((row) =>
      (!wanted || haystack.get(row).includes(wanted)) &&
      (!kind.value || row.kind === kind.value) &&
      (label.value === "" || row.given.includes(n) || row.suggested.includes(n)) &&
      (!state.value || decided.has(row) === (state.value === "done")))
      .sort((a, b) => ORDERS[order.value](a, b) || a.rank - b.rank);
  }
  let found = [];
  const pages = pager(element("e-pager"), SIZE, (first, size) => {
    visible = found.slice(first, first + size);
    list.replaceChildren(...visible.map(drawn));
    here = 0;
    return found.length;
  });
  function draw() { found = fitting(); pages.show(0); tell(); }
  for (const control of controls)
    control.addEventListener(control.tagName === "SELECT" ? "change" : "input", draw);

  // Keys -----------------------------------------------------------------------------------------

  function point(place) {
    here = place;
    [...list.children].forEach((item, n) => item.classList.toggle("here", n === here));
  }
  function go(step) {
    const focused = document.activeElement === list.children[here];
    const next = focused || step < 0 ? here + step : here;
    if (next >= visible.length) { if (pages.page() * SIZE + SIZE < found.length) { pages.show(pages.page() + 1); focus(0); } return; }
    if (next < 0) { if (pages.page()) { pages.show(pages.page() - 1); focus(visible.length - 1); } return; }
    focus(next);
  }
  function focus(place) {
    point(place);
    list.children[place]?.focus({ preventScroll: true });
    list.children[place]?.scrollIntoView({ block: "nearest" });
  }
  list.addEventListener("focusin", (event) => {
    const place = [...list.children].indexOf(event.target.closest("li.error"));
    if (place >= 0) point(place);
  });
  const KEYS = {
    j: () => go(1), k: () => go(-1), w: () => unfold(visible[here]),
    f: () => decide(visible[here], "fine"),
    Enter: () => decide(visible[here], visible[here].suggested),
    u: () => {
      const [row, before] = undo.pop() ?? [];
      if (!row) return;
      if (before === undefined) decided.delete(row); else decided.set(row, before);
      keep();
      redraw(row);
      tell();
    },
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !visible.length) return;
    const at = event.target;
    if (at.matches?.("input, select, textarea") || (event.key === "Enter" && at.matches?.("button, a, summary"))) return;
    const inList = list.contains(at);
    if (!inList && !["j", "k"].includes(event.key)) return;
    const n = Number(event.key);
    if (n >= 1 && n <= 9) {
      const numbers = offered(visible[here]);
      if (n <= numbers.length) choose(visible[here], numbers[n - 1]);
    } else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
    else return;
    event.preventDefault();
  });

  // Saving ---------------------------------------------------------------------------------------

  function tell() {
    const fine = [...decided.values()].filter((decision) => decision === "fine").length;
    element("e-said").textContent = `${decided.size - fine} corrected, ${fine} confirmed`;
    element("e-save").disabled = element("e-none").disabled = decided.size === 0;
  }
  // RFC 4180; a field is quoted if it has any unusual character.
  const field = (text) => (/^[A-Za-z0-9_.:/-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`);
  element("e-save").addEventListener("click", () => {
    const lines = ["id,label,decision"];
    const write = (id, given, decision) => {
      for (const name of given.length ? given : [null])
        lines.push(`${field(id)},${name === null ? "" : field(name)},${decision}`);
    };
    const mine = new Set([...decided.keys()].map((row) => row.id));
    for (const [id, ...given] of data.before) if (!mine.has(id)) write(id, given, "before");
    for (const [row, decision] of decided) {
      const numbers = decision === "fine" ? row.given : decision;
      write(row.id, numbers.map((n) => labels[n]).filter((name) => name !== null), decision === "fine" ? "fine" : "corrected");
    }
    const blob = new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" });
    const link = make("a", { href: URL.createObjectURL(blob), download: "corrections.csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    tell();
    element("e-said").textContent += "; saved as corrections.csv";
  });
  element("e-none").addEventListener("click", () => { decided.clear(); undo.length = 0; keep(); draw(); });
  draw();
})();
