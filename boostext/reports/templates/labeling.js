"use strict";
(() => {
  const KEYS = "123456789abcdefghilmnopqrtvwxyz"; // j, k, s and u have other functions
  const element = (id) => document.getElementById(id);
  const make = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const { key, multi, labels, short, rows } = JSON.parse(element("data").textContent);
  const shown = (label) => short[label] ?? labels[label];
  // With more labels than keys, only the likely ones have keys, and come first.
  const many = labels.length > KEYS.length;
  const STORE = `boostext-labeling-${key}`;

  // Map from the index of a document to the indices of its labels; its order is used for undo.
  let labeled = new Map(), place = 0, kept = true;
  let chosen = new Set(); // labels that are turned on for the current document, if it may have several
  try {
    const before = JSON.parse(localStorage.getItem(STORE) || "null");
    if (before) {
      labeled = new Map(before.labeled.filter(([i, given]) => rows[i] && given.every((j) => j in labels)));
      place = Math.min(before.place, rows.length - 1);
    }
  } catch { kept = false; }

  function keep() {
    try {
      localStorage.setItem(STORE, JSON.stringify({ labeled: [...labeled], place }));
    } catch { kept = false; }
  }

  function draw() {
    const row = rows[place];
    element("name").replaceChildren(`${place + 1} of ${rows.length}: `, make("bdi", { textContent: row.name }));
    element("texts").replaceChildren(...row.texts.flatMap(([name, pieces]) => [
      ...(name ? [make("h3", {}, make("bdi", { textContent: name }))] : []),
      make("div", { className: "text", dir: "auto" }, ...pieces.map((piece) => typeof piece === "string"
        ? piece : make("mark", { textContent: piece[0], className: piece[1] < 0 ? "against" : "" }))),
    ]));
    element("reasons").replaceChildren(...(row.reasons.length ? ["Reasons: "] : []),
      ...row.reasons.flatMap(([term, votes, label], number) => [number ? ", " : "",
        make("bdi", { textContent: term }), ` ${votes > 0 ? "+" : ""}${votes} `, make("bdi", { textContent: shown(label) })]));
    chosen = new Set(labeled.get(place) ?? (multi ? row.given : []));
    drawLabels();
    tell();
  }

  function drawLabels() {
    const row = rows[place], wanted = element("find").value.toLowerCase();
    const probabilities = new Map(row.likely);
    const first = new Set(many ? [...probabilities.keys(), ...chosen] : []);
    const others = [...labels.keys()].filter((number) => !first.has(number));
    const order = [...first, ...others], withKeys = many ? order.slice(0, row.likely.length) : order;
    element("labels").replaceChildren(...order.flatMap((number) => {
      if (wanted && !labels[number].toLowerCase().includes(wanted)) return [];
      const probability = probabilities.get(number), pressed = KEYS[withKeys.indexOf(number)];
      const button = make("button", { type: "button" },
        ...(pressed ? [make("kbd", { textContent: pressed }), " "] : []),
        make("bdi", { textContent: shown(number) }),
        ...(probability == null ? [] : [make("span", { className: "probability small", textContent: `${Math.round(100 * probability)} %` })]));
      button.dataset.label = number;
      button.setAttribute("aria-pressed", String(chosen.has(number)));
      button.classList.toggle("likeliest", row.likely[0][0] === number);
      button.addEventListener("click", () => choose(number));
      return [button];
    }));
  }

  function tell(more = "") {
    element("progress").value = labeled.size;
    element("undo").disabled = element("save").disabled = labeled.size === 0;
    element("before").disabled = place === 0;
    element("after").disabled = place === rows.length - 1;
    const warning = kept ? "" : " This browser does not store the labels: save them before you close the page.";
    element("said").textContent = `${labeled.size} of ${rows.length} labeled.${more}${warning}`;
  }

  function choose(number) {
    element("find").value = "";
    if (multi) {
      if (chosen.has(number)) chosen.delete(number); else chosen.add(number);
      drawLabels();
    } else {
      give([number]);
    }
  }
  function give(numbers) {
    labeled.delete(place); // it becomes the last one, for undo
    labeled.set(place, numbers);
    go(nextOpen());
  }
  // Returns the next document without a label, continuing at the beginning; the current one if all
  // documents are labeled.
  function nextOpen() {
    for (let step = 1; step < rows.length; step += 1) {
      const next = (place + step) % rows.length;
      if (!labeled.has(next)) return next;
    }
    return place;
  }
  function go(next) {
    place = Math.max(0, Math.min(next, rows.length - 1));
    keep();
    draw();
    if (document.activeElement === document.body || element("labels").contains(document.activeElement)) element("name").focus();
  }
  function accept() {
    if (multi) give([...chosen].sort((a, b) => a - b));
    else if (labeled.has(place)) go(nextOpen());
    else give([rows[place].likely[0][0]]);
  }
  function undo() {
    const last = [...labeled.keys()].pop();
    if (last === undefined) return;
    labeled.delete(last);
    go(last);
    tell(" The last label was removed.");
  }

  // RFC 4180; a field is quoted if it has any unusual character.
  const field = (text) => (/^[A-Za-z0-9_.:/-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`);
  function save() {
    const lines = ["id,label"];
    for (const [i, numbers] of [...labeled].sort((a, b) => a[0] - b[0])) {
      if (!numbers.length) lines.push(`${field(rows[i].id)},`);
      for (const number of numbers) lines.push(`${field(rows[i].id)},${field(labels[number])}`);
    }
    const link = make("a", {
      href: URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" })),
      download: "labels.csv",
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    tell(" Saved as labels.csv.");
  }

  const STEPS = { j: () => go(place + 1), k: () => go(place - 1), u: undo, s: save, "/": () => element("find").focus() };
  for (const [id, step] of Object.entries({ before: STEPS.k, after: STEPS.j, accept, undo, save }))
    element(id).addEventListener("click", step);
  element("find").addEventListener("input", drawLabels);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const finding = event.target === element("find");
    if (finding && event.key === "Enter") {
      const first = element("labels").querySelector("button");
      if (element("find").value && first) { event.target.blur(); choose(Number(first.dataset.label)); }
      return;
    }
    if (finding && event.key === "Escape") { event.target.value = ""; event.target.blur(); drawLabels(); return; }
    if (finding || (event.key === "Enter" && event.target.closest("button, summary"))) return;
    const step = event.key === "Enter" ? accept : STEPS[event.key.toLowerCase()];
    const index = event.key.length === 1 ? KEYS.indexOf(event.key.toLowerCase()) : -1;
    const number = many ? rows[place].likely[index]?.[0] : index;
    if (step) step();
    else if (number >= 0 && number < labels.length) choose(number);
    else return;
    event.preventDefault();
  });
  draw();
})();
