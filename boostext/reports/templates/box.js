// Text field with the labels and scores of the text, and marked words, updated as you type.
(() => {
  const box = element("box");
  if (!box) return;
  const MOST = 12;
  const names = read("box-names");
  const said = element("box-said");
  let ready = null;
  const number = (control) => (control.value === "" ? null : Number(control.value));
  function document_() {
    const texts = {}, attributes = {};
    for (const area of box.querySelectorAll("[data-field]"))
      Object.defineProperty(texts, names.fields[area.dataset.field], { value: area.value, enumerable: true });
    for (const control of box.querySelectorAll("[data-category], [data-number]")) {
      const [column, values] = names.columns[control.dataset.category ?? control.dataset.number];
      const value = values.length ? values[control.value] ?? null : number(control);
      if (value !== null) Object.defineProperty(attributes, column, { value, enumerable: true });
    }
    return { texts, attributes };
  }
  // The votes of overlapping marks are added. Combining marks stay with their letters.
  function marked({ chars, marks }) {
    const votes = new Float64Array(chars.length);
    for (const [first, last, vote] of marks) for (let i = first; i < last; i++) votes[i] += vote;
    const most = votes.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
    const strength = (vote) => Math.sign(vote) * Math.ceil(3 * Math.abs(vote) / most);
    const parts = [];
    for (let i = 0, from = 0; i < chars.length; i++) {
      if (i + 1 < chars.length && strength(votes[i + 1]) === strength(votes[from])) continue;
      const text = chars.slice(from, i + 1).join(""), level = strength(votes[from]);
      parts.push(level ? make("mark", { textContent: text, className: `m${Math.abs(level)}${level < 0 ? " against" : ""}` }) : text);
      from = i + 1;
    }
    return parts;
  }
  function draw() {
    const document = document_();
    const scores = ready.scores(document), probabilities = ready.probabilitiesOf(scores);
    const given = new Set(ready.given(scores));
    const rank = probabilities ?? scores;
    const order = scores.map((_, j) => j).sort((a, b) => rank[b] - rank[a] || scores[b] - scores[a]);
    const most = Math.max(...scores.map(Math.abs)) || 1;
    const shown = order.filter((j, place) => place < MOST || given.has(ready.labels[j]));
    element("box-scores").querySelector("tbody").replaceChildren(...shown.map((j) => {
      const is = given.has(ready.labels[j]);
      const bar = make("span", { className: `strength w${Math.ceil(5 * Math.abs(scores[j]) / most) || 1} ${scores[j] < 0 ? "against" : "for"}` });
      const head = make("th", { scope: "row" }, isolated(names.labels[j]), ...(is ? [" ", make("strong", { textContent: "predicted" })] : []));
      return make("tr", { className: is ? "is-given" : "" }, head, make("td", { className: "n", textContent: scores[j].toFixed(3) }),
        make("td", {}, bar), make("td", { className: "n", textContent: probabilities ? probabilities[j].toFixed(3) : "" }));
    }));
    const best = ready.labels[order[0]];
    const told = Object.values(ready.explain(document, best)).filter((text) => text.chars.length);
    element("box-marked").replaceChildren(...told.flatMap((text, n) => (n ? ["\n", ...marked(text)] : marked(text))));
    element("box-marked").hidden = told.length === 0;
    element("box-scores").hidden = false;
    said.textContent = `${[...given].length ? "" : "No label is predicted. "}Marked words have votes on `;
    said.append(isolated(names.labels[order[0]]));
  }
  let asked = 0;
  box.addEventListener("input", async () => {
    const mine = ++asked;
    if (!ready) {
      said.textContent = "Loading the model …";
      try { ready ??= predictor(await unpacked(read("box-data").data)); } catch {
        said.textContent = "This browser cannot decompress the model; use a browser from 2023 or later.";
        return;
      }
    }
    if (mine === asked) draw();
  });
})();
