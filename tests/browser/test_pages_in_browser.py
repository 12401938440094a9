"""Every page in a real browser: usable by all, harmless with any text, silent on the network."""

import json
from importlib.resources import files

import pytest

from .conftest import beginning, opened, requests_of, run
from .test_report_in_browser import BREAKOUT, find, press

WebDriverWait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which finds what some people cannot read or use."""
    package = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    return (files(package) / "axe.min.js").read_text(encoding="utf-8")


def pages_of(folder, data, *options):
    """Every kind of page, of two models of the data."""
    models = [folder / "a.boostext", folder / "b.boostext"]
    for model, rounds in zip(models, (3, 20), strict=True):
        run("train", data, "-o", model, "--rounds", rounds, *options, "-q")
    run("inspect", models[1], data, "-o", folder, "--source", "weights")
    run("export", models[1], "--to", "html", "-o", folder / "export.html")
    run("compare", *models, data, "-o", folder / "compare.html")
    found = run("predict", models[1], beginning(data, folder / "few.jsonl", 40), "--output", "html")
    (folder / "predict.html").write_text(found, encoding="utf-8")
    names = ("report.html", "export.html", "compare.html", "predict.html")
    return {name: folder / name for name in names}


@pytest.fixture(scope="module")
def pages(tmp_path_factory, calls):
    folder = tmp_path_factory.mktemp("pages")
    return pages_of(folder, beginning(calls, folder / "calls.jsonl", 150))


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    labels = ['<b>"bold"</b>', "</script>", "__proto__"]
    rows = [
        {
            "id": f"{n}{BREAKOUT}\u202e",
            "text": f"word{n % 3} {BREAKOUT} {{{{ 7 * 7 }}}} \u202e ก็",
            "labels": [labels[(n + (n < 6)) % 3]],
        }
        for n in range(60)
    ]
    data = folder / "data.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    return pages_of(folder, data)


NAMES = ("report.html", "export.html", "compare.html", "predict.html")
SERIOUS = """
const done = arguments[arguments.length - 1];
const options = {resultTypes: ["violations"], ...arguments[0]};
axe.run(document, options).then((found) => done(found.violations
    .filter((v) => ["serious", "critical"].includes(v.impact))
    .map((v) => [v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120) + n.failureSummary)])));
"""


OF_COLORS = {"runOnly": ["color-contrast", "link-in-text-block"]}


# Where it is dark, nothing but the colors is different.
@pytest.mark.parametrize(("dark", "rules"), [(False, {}), (True, OF_COLORS)], ids=["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_everybody_can_read_and_use_it(screen, pages, axe, name, dark, rules):
    driver = opened(screen(dark=dark), pages[name])
    if name in ("report.html", "export.html"):
        find(driver, "#box textarea")[0].send_keys("collect call")
        WebDriverWait(driver, 30).until(lambda d: find(d, "#box-scores tbody tr"))
    if name == "report.html":  # what is folded counts as well, and what is decided
        driver.execute_script("document.querySelectorAll('details').forEach((d) => d.open = true)")
        press(driver, find(driver, ".deciding button")[0])
    driver.execute_script(axe)
    assert driver.execute_async_script(SERIOUS, rules) == []


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_stay_texts_on_every_page(screen, hostile_pages, name):
    driver = opened(screen(), hostile_pages[name])
    scripts = len(find(driver, "script"))
    for area in find(driver, "textarea"):
        area.send_keys("word1 <b>x</b> </script>")
        WebDriverWait(driver, 30).until(lambda d: find(d, "#box-scores tbody tr"))
    driver.execute_script("""
        document.querySelectorAll('details').forEach((d) => d.open = true);
        document.querySelectorAll('button').forEach((b) => b.click());
    """)
    assert driver.execute_script("return window.pwned === undefined")
    assert find(driver, "img") == []
    assert len(find(driver, "script")) == scripts
    asked = {url for url in requests_of(driver) if not url.startswith("blob:")}  # files to save
    assert asked <= {hostile_pages[name].as_uri(), "data:,"}
    assert [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"] == []


@pytest.fixture
def predictions(screen, pages):
    return opened(screen(), pages["predict.html"])


def shown(driver):
    return [item for item in find(driver, "body > article") if item.is_displayed()]


def test_predictions_come_by_pages_with_a_filter_and_an_index(predictions):
    driver = predictions
    assert len(shown(driver)) == 10
    assert "1 to 10 of 40" in find(driver, "#d-pager")[0].text
    find(driver, "#d-text")[0].send_keys("call-0023")
    assert [item.text.split("\n")[0] for item in shown(driver)] == ["call-0023"]
    find(driver, "#d-text")[0].clear()
    find(driver, "#d-text")[0].send_keys("collect")
    assert all("collect" in item.get_property("textContent").lower() for item in shown(driver))
    press(driver, find(driver, "details.small summary")[0])
    entry = find(driver, "#d-index button")[12]
    name = entry.text
    press(driver, entry)
    assert driver.switch_to.active_element.text.startswith(name)


def test_only_documents_with_other_labels_are_shown(predictions):
    driver = predictions
    press(driver, find(driver, "#d-wrong")[0])
    assert shown(driver)
    for item in shown(driver):
        given = item.find_element("css selector", ".labels").text
        wanted = item.find_element("css selector", ".labels + p").text
        assert set(given.split(" + ")) != set(wanted.removeprefix("in the data: ").split(" + "))


def test_a_page_of_many_documents_is_small_and_soon_there(screen, tmp_path):
    """20,000 documents: below 2 MB, and ready within a second of the browser's own work."""
    words = [f"w{n}" for n in range(400)]
    lines = []
    for n in range(20_000):
        text = " ".join(words[(n * k * 7919 + k) % 400] for k in range(1, 12))
        label = f"l{int(text.split()[0][1:]) % 20 if n % 50 else n % 20}"
        lines.append(json.dumps({"id": f"d{n}", "text": text * 3, "labels": [label]}) + "\n")
    (tmp_path / "data.jsonl").write_text("".join(lines), encoding="ascii")
    run(
        "train",
        tmp_path / "data.jsonl",
        "-o",
        tmp_path / "m",
        "--letters",
        0,
        "--rounds",
        30,
        "--report",
        tmp_path,
        "--outliers",
        "weights",
        "-q",
    )
    page = tmp_path / "report.html"
    assert page.stat().st_size < 2_000_000
    driver = screen()
    driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    before = cpu(driver)
    opened(driver, page)
    assert len(find(driver, "#error-list li")) == 6
    assert cpu(driver) - before < 1.0  # of the processor, which others may be using too


def cpu(driver):
    """Seconds that the page's own work has taken."""
    metrics = driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return {row["name"]: row["value"] for row in metrics}["TaskDuration"]
