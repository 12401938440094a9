// Prediction with a boostext model: the tokenizer, the search for terms, and the sums of votes.
//
// Character classes come from the table of the model (Unicode 14.0), not from the JavaScript
// engine. A document is a text, or an object {texts: {field: text}, attributes: {column: value},
// scored: {column: {word: value}}}.

// Decodes a model from JSON that is compressed by gzip and encoded by base64.
async function unpacked(data) {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function predictor(model) {
  const PIECE = 1024, YES = 2, NO = 1, UNKNOWN = 0;

  // Characters ---------------------------------------------------------------------------------

  const table = new Uint8Array(0x110000).fill("o".charCodeAt(0));
  for (const [letter, ranges] of Object.entries(model.classes))
    for (const range of ranges.split(" ")) {
      const [first, last] = range.split("-").map((digits) => parseInt(digits, 16));
      table.fill(letter.charCodeAt(0), first, (last ?? first) + 1);
    }
  const classOf = (char) => String.fromCharCode(table[char.codePointAt(0)]);
  const classes = (chars) => chars.map(classOf).join("");
  // Letters and marks that the engine knows but the table does not were added to Unicode later.
  const isNewer = (char) => char > "\x7f" && classOf(char) === "o" && /[\p{L}\p{M}\p{N}]/u.test(char);
  const isHalf = (char) => char.length === 1 && char >= "\ud800" && char <= "\udfff";

  // Normal form: see boostext/features/normalize.py ----------------------------------------------

  const SYLLABLE = /^(?:[\u1100-\u1112][\u1161-\u1175]|[\uac00-\ud7a3\u1161-\u1175][\u11a8-\u11c2])$/;
  function starts(chars) {
    const found = [];
    let before = "";
    chars.forEach((char, i) => {
      let joins = i > 0;
      if (char !== "\xad") {
        joins = "mk".includes(classOf(char)) || SYLLABLE.test(before + char);
        before = char;
      }
      if (i === 0 || !joins) found.push(i);
    });
    return found;
  }
  function pieces(chars) {
    const found = [];
    let start = 0;
    while (chars.length - start > PIECE) {
      const ahead = chars.slice(start, start + 2 * PIECE);
      const blank = ahead.findIndex((char, i) => i >= PIECE && " \t\r\n".includes(char));
      const stop = blank >= 0 ? blank : starts(ahead).find((place) => place >= PIECE) ?? ahead.length;
      found.push(ahead.slice(0, stop));
      start += stop;
    }
    found.push(chars.slice(start));
    return found;
  }
  function normalPiece(chars, lower) {
    const parts = [""];
    for (const char of chars) {
      if (char === "\xad") continue;
      if (isNewer(char)) parts.push(char, "");
      else parts[parts.length - 1] += isHalf(char) ? "\ufffd" : char;
    }
    return parts.map((part, n) => {
      if (n % 2) return part;
      const composed = part.normalize("NFC");
      return lower ? composed.toLowerCase().normalize("NFC") : composed;
    }).join("");
  }
  const isAscii = (text) => /^[\x00-\x7f]*$/.test(text);
  // Returns the characters of the normal form, and where each begins and ends in the original text.
  function aligned(text, lower) {
    const chars = isAscii(text) ? text.split("") : Array.from(text);
    if (isAscii(text)) return { chars: (lower ? text.toLowerCase() : text).split(""), source: chars, begins: null };
    const cut = pieces(chars);
    const normal = Array.from(cut.map((piece) => normalPiece(piece, lower)).join(""));
    const places = () => {
      const begins = [], ends = [];
      let at = 0;
      for (const piece of cut) {
        const bounds = [...starts(piece), piece.length];
        for (let g = 0; g + 1 < bounds.length; g++) {
          const group = piece.slice(bounds[g], bounds[g + 1]);
          for (const _ of normalPiece(group, lower)) {
            begins.push(at + bounds[g]);
            ends.push(at + bounds[g + 1]);
          }
        }
        at += piece.length;
      }
      return { begins, ends };
    };
    return { chars: normal, source: chars, places };
  }

  // Tokens: see boostext/features/tokenizer.py -----------------------------------------------------

  const WORDS = /w(?:[wmkxj]*[wmkx])?|[sx](?:[mkxj]*[mkx])?/g;
  const WORDS_AND_MARKS = /w(?:[wmkxj]*[wmkx])?|[sx](?:[mkxj]*[mkx])?|p(?:[mkxj]*[mkx])?/g;
  const BLANK = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/;
  // [token, first, last + 1] in the normal form
  function* spans(chars, field) {
    if (field.analyzer === "char") {
      let stop = 0, i = 0;
      while (i < chars.length) {
        if (BLANK.test(chars[i])) { i += 1; continue; }
        yield [" ", stop ? stop : i, i];
        for (; i < chars.length && !BLANK.test(chars[i]); i++) yield [chars[i], i, i + 1];
        stop = i;
      }
      if (stop) yield [" ", stop, stop];
      return;
    }
    const letters = classes(chars).replaceAll("ks", "kx");
    for (const match of letters.matchAll(field.punctuation ? WORDS_AND_MARKS : WORDS)) {
      const stop = match.index + match[0].length;
      yield [chars.slice(match.index, stop).join(""), match.index, stop];
    }
  }
  function tokens(text, field) {
    const normal = aligned(text, field.lowercase);
    const found = [...spans(normal.chars, field)].filter(([token]) => !field.stops.has(token));
    return { normal, found, words: found.map(([token]) => token) };
  }

  // Terms: a trie of tokens, searched from each token of a text ----------------------------------------

  const node = () => ({ term: -1, steps: new Map() });
  const fields = model.fields.map((field) => ({
    ...field, stops: new Set(field.stop_words), roots: new Map(), asked: [], alone: new Set(), numbers: new Map(),
  }));
  const byName = new Map(fields.map((field) => [field.name, field]));
  function offsetsOf(term, field) {
    const [low, high] = field.ngrams;
    if (field.expert === "icsi-sparse" && term.length === 2) {
      const all = [];
      for (let span = Math.max(low, 2); span <= high; span++) all.push([0, span - 1]);
      return all;
    }
    return [term.flatMap((token, place) => (token === null ? [] : [place]))];
  }
  function addTerm(name, term, atLeast, place) {
    const field = byName.get(name);
    const key = JSON.stringify(term);
    if (!field.numbers.has(key)) {
      const t = field.asked.push([]) - 1;
      field.numbers.set(key, t);
      if (field.expert === "full" && field.ngrams[1] > 1 && term.length === 1) field.alone.add(t);
      const held = term.filter((token) => token !== null);
      for (const offsets of held.length ? offsetsOf(term, field) : []) {
        if (!field.roots.has(held[0])) field.roots.set(held[0], node());
        let here = field.roots.get(held[0]);
        for (let n = 1; n < held.length; n++) {
          const step = offsets[n] - offsets[n - 1];
          if (!here.steps.has(step)) here.steps.set(step, new Map());
          const nodes = here.steps.get(step);
          if (!nodes.has(held[n])) nodes.set(held[n], node());
          here = nodes.get(held[n]);
        }
        here.term = t;
      }
    }
    field.asked[field.numbers.get(key)].push([atLeast, place]);
  }
  // Calls seen(term, positions of its tokens) for every occurrence.
  function walk(words, field, seen) {
    words.forEach((word, i) => {
      const root = field.roots.get(word);
      const ahead = root ? [[root, [i]]] : [];
      while (ahead.length) {
        const [here, places] = ahead.pop();
        if (here.term >= 0) seen(here.term, places);
        const at = places[places.length - 1];
        for (const [step, nodes] of here.steps) {
          const next = nodes.get(words[at + step]);
          if (next) ahead.push([next, [...places, at + step]]);
        }
      }
    });
  }

  const categories = [], numbers = [], always = [];
  model.conditions.forEach(([kind, ...asked], place) => {
    if (kind === "term") addTerm(asked[0], asked[1], asked[2], place);
    else if (kind === "category") categories.push([place, ...asked]);
    else if (kind === "number") numbers.push([place, ...asked]);
    else always.push(place);
  });
  // A number used as a category is written as Python writes it.
  function category(value) {
    if (typeof value !== "number") return value ?? null;
    if (Number.isNaN(value)) return null;
    if (Number.isInteger(value)) return BigInt(value).toString();
    const text = Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
    return text.replace(/e([+-])(\d)$/, "e$10$2");
  }

  // Scores ---------------------------------------------------------------------------------------

  const whole = (document) =>
    typeof document === "string" ? { texts: { [fields[0].text]: document } } : document;
  const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);
  function blocks(document) {
    const yes = [...always], unknown = [];
    for (const field of fields) {
      const { words } = tokens(own(document.texts, field.text) ?? "", field);
      const counts = new Map();
      walk(words, field, (t) => counts.set(t, (counts.get(t) ?? 0) + 1));
      for (const [t, count] of counts)
        if (words.length === 1 || !field.alone.has(t))
          for (const [atLeast, place] of field.asked[t]) if (count >= atLeast) yes.push(place);
    }
    for (const [place, column, wanted] of categories) {
      const value = category(own(document.attributes, column));
      if (value === wanted) yes.push(place);
      else if (value === null && model.unknown_categories) unknown.push(place);
    }
    const words = new Map(Object.entries(document.scored ?? {}).flatMap(([name, held]) =>
      Object.entries(held).map(([word, value]) => [`${name}:${word}`, value])));
    for (const [place, column, threshold] of numbers) {
      const given = own(document.attributes, column);
      const value = given === undefined ? words.get(column) : given;
      if (typeof value !== "number" || Number.isNaN(value)) unknown.push(place);
      else if (value >= threshold) yes.push(place);
    }
    const rising = (a, b) => a - b;
    return { yes: yes.sort(rising), unknown: unknown.sort(rising) };
  }
  const add = (a, b) => a.map((value, j) => value + b[j]);
  const total = (places, delta) => places.reduce((sum, place) => add(sum, delta[place]), model.base.map(() => 0));
  function scores(document) {
    const { yes, unknown } = blocks(whole(document));
    let sums = add(model.base, total(yes, model.yes));
    if (model.unknown) sums = add(sums, total(unknown, model.unknown));
    const met = new Set(yes), open = new Set(unknown);
    const block = (place) => (met.has(place) ? YES : open.has(place) ? UNKNOWN : NO);
    for (const [literals, place, votes] of model.guarded)
      if (literals.every(([asked, wanted]) => block(asked) === wanted)) sums = add(sums, votes[block(place)]);
    const votes = model.code.length ? decoded(sums) : sums;
    return known ? add(known.scores(whole(document)), votes) : votes;
  }
  // Scores of labels from the scores of the columns of an output code. Source: Schapire & Singer
  // 1999, Figure 3.
  function decoded(sums) {
    const rows = model.code.map((row) => [...row].map((sign) => (sign === "+" ? 1 : -1)));
    if (model.decoding === "hamming")
      return rows.map((row) => -(row.length - row.reduce((sum, sign, j) => sum + sign * Math.sign(sums[j]), 0)) / 2);
    const most = Math.max(...sums.map(Math.abs));
    return rows.map((row) =>
      -(Math.log(Math.max(row.reduce((sum, sign, j) => sum + Math.exp(-sign * sums[j] - most), 0), 1e-300)) + most));
  }
  function given(found) {
    const likely = model.curves.length ? probabilitiesOf(found) : found;
    if (!model.multilabel) {
      const better = (a, b) => likely[b] - likely[a] || found[b] - found[a] || a - b;
      return [model.labels[found.map((_, j) => j).sort(better)[0]]];
    }
    if (model.thresholds.length) return model.labels.filter((_, j) => found[j] > model.thresholds[j]);
    return model.labels.filter((_, j) => likely[j] > (model.curves.length ? 0.5 : 0));
  }
  const predict = (document) => given(scores(document));

  const sigmoid = (odds) => { const small = Math.exp(-Math.abs(odds)); return odds >= 0 ? 1 / (1 + small) : small / (1 + small); };
  function onCurve(curve, score) {
    if ("slope" in curve) return sigmoid(curve.slope * score + curve.intercept);
    const after = curve.scores.findIndex((place) => place > score);
    if (after === 0) return curve.probabilities[0];
    if (after < 0) return curve.probabilities[curve.probabilities.length - 1];
    const rise = (curve.probabilities[after] - curve.probabilities[after - 1]) / (curve.scores[after] - curve.scores[after - 1]);
    return rise * (score - curve.scores[after - 1]) + curve.probabilities[after - 1];
  }
  // Returns the probability of each label, or null if scores cannot be converted.
  const probabilities = (document) => probabilitiesOf(scores(document));
  function probabilitiesOf(found) {
    if (!model.curves.length) return model.link ? found.map((f) => sigmoid(model.link * f)) : null;
    const each = model.curves.map((curve, j) => onCurve(curve, found[j]));
    if (model.multilabel) return each;
    const powers = each.map((probability, j) => probability ** model.curves[j].power);
    const all = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => (all > 0 ? power / all : 1 / powers.length));
  }

  // Prior knowledge, which computes the scores f_0: see boostext/knowledge/probabilities.py --------------

  function knowledge(prior) {
    const terms = predictor({ ...prior.found_by, classes: model.classes });
    const old = prior.old && predictor({ ...prior.old, classes: model.classes });
    const [low, least] = prior.least;
    const between = (value, from, to) => Math.min(Math.max(value, from), to);
    function meets([any, all, none], met) {
      const holds = (term) => term.some((place) => met.has(place));
      return (!any.length || any.some(holds)) && all.every(holds) && !none.some(holds);
    }
    function start(document) {
      const before = old?.probabilities(document);
      if (!before) return prior.start;
      const found = prior.columns.map((column) => (column < 0 ? 1 / prior.columns.length : before[column]));
      return found.map((probability) => between(probability, least, 1 - low));
    }
    // Returns probabilities whose sum is 1, none of them less than the minimum.
    function keptApart(odds) {
      const greatest = Math.max(...odds);
      const powers = odds.map((value) => Math.exp(value - greatest));
      const all = powers.reduce((sum, power) => sum + power, 0);
      const found = powers.map((power) => power / all), fallen = new Set();
      for (let kept = found; ; ) {
        const more = kept.map((_, j) => j).filter((j) => kept[j] < least && !fallen.has(j));
        if (!more.length) return kept.map((probability) => Math.min(probability, 1 - low));
        more.forEach((j) => fallen.add(j));
        const rest = found.reduce((sum, probability, j) => (fallen.has(j) ? sum : sum + probability), 0);
        const scale = (1 - least * fallen.size) / Math.max(rest, 1e-300);
        kept = found.map((probability, j) => (fallen.has(j) ? least : probability * scale));
      }
    }
    function scores(document) {
      const met = new Set(terms.blocks(document).yes);
      let odds = start(document).map((probability) => Math.log(probability) - (model.multilabel ? Math.log1p(-probability) : 0));
      prior.rules.forEach(([when, unless], r) => {
        if (meets(when, met) && !(unless.length && meets(unless, met))) odds = add(odds, prior.evidence[r]);
      });
      const found = model.multilabel
        ? odds.map((value) => between(1 / (1 + Math.exp(-value)), low, 1 - low))
        : keptApart(odds);
      return found.map((probability) => prior.scale * ((Math.log(probability) - Math.log1p(-probability)) / model.link));
    }
    return { scores };
  }
  const known = model.prior ? knowledge(model.prior) : null;

  // Returns where the terms with votes on a label occur: [first, last + 1, votes], in characters of
  // each text.
  function explain(document, label) {
    const j = model.labels.indexOf(label), read = whole(document), found = {};
    for (const field of fields) {
      const text = own(read.texts, field.text) ?? "";
      const { normal, found: held, words } = tokens(text, field);
      const { begins, ends } = normal.places?.() ?? {};
      const marks = [];
      walk(words, field, (t, places) => {
        if (words.length > 1 && field.alone.has(t)) return;
        const votes = model.code.length ? 0 : model.yes[field.asked[t][0][1]][j];
        if (votes) for (const place of places) {
          const [, first, stop] = held[place];
          if (stop > first) marks.push([begins ? begins[first] : first, ends ? ends[stop - 1] : stop, votes]);
        }
      });
      (found[field.text] ??= { chars: normal.source, marks: [] }).marks.push(...marks);
    }
    return found;
  }
  return { blocks, labels: model.labels, fields: [...new Set(fields.map((field) => field.text))], scores, probabilities, probabilitiesOf, predict, explain, given };
}
