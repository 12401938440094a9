// Documents with pages, a filter and an index. Runs when the whole page has been loaded.
document.addEventListener("DOMContentLoaded", () => {
  const SIZE = 10, LISTED = 300;
  const articles = [...document.querySelectorAll("body > article")];
  const tools = element("document-tools");
  if (articles.length < 2) return;
  tools.hidden = false;
  for (const why of document.querySelectorAll("article > details")) why.open = false;
  const box = element("d-text"), wrong = element("d-wrong"), index = element("d-index");
  if (articles.some((article) => article.dataset.wrong)) wrong.parentNode.hidden = false;
  const words = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
  let fitting = articles;
  const pages = pager(element("d-pager"), SIZE, (first, size) => {
    const shown = new Set(fitting.slice(first, first + size));
    for (const article of articles) article.hidden = !shown.has(article);
    return fitting.length;
  });
  function listed(article, place) {
    const link = make("button", { type: "button" }, isolated(article.querySelector("h2").textContent));
    link.addEventListener("click", () => {
      pages.show(Math.floor(place / SIZE));
      article.scrollIntoView();
      article.focus();
    });
    const labels = [...article.querySelectorAll(".labels bdi")].map((label) => label.textContent).join(" + ");
    return make("li", {}, link, " ", make("span", { className: article.dataset.wrong ? "against" : "quiet" }, isolated(labels)));
  }
  function fit() {
    const wanted = box.value.toLowerCase();
    fitting = articles.filter((article) =>
      (!wanted || words.get(article).includes(wanted)) && (!wrong.checked || article.dataset.wrong));
    index.replaceChildren(...fitting.slice(0, LISTED).map(listed),
      ...(fitting.length > LISTED ? [make("li", { textContent: `and ${fitting.length - LISTED} more` })] : []));
    pages.show(0);
  }
  box.addEventListener("input", fit);
  wrong.addEventListener("change", fit);
  fit();
});
