// Excluded terms, as an option of `boostext train`.
(() => {
  const shown = element("never");
  if (!shown) return;
  const patterns = new Map(); // pattern -> name
  element("term-table").addEventListener("change", (event) => {
    const pattern = event.target.dataset?.never;
    if (pattern === undefined) return;
    if (event.target.checked) patterns.set(pattern, event.target.closest("tr").querySelector("bdi").textContent);
    else patterns.delete(pattern);
    shown.hidden = patterns.size === 0;
    element("never-said").textContent = [...patterns.values()].join(", ");
    const before = shown.dataset.before;
    const all = `^(?:${[...patterns.keys()].join("|")})$`;
    const option = before ? `(?:${before})|${all}` : all;
    element("never-option").textContent = `--drop '${option.replaceAll("'", "'\\''")}'`;
  });
})();
