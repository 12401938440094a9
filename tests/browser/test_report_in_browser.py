"""report.html in a real browser: what a reader does with it, and what a hostile text cannot do."""

import csv
import json
import time

import pytest

from boostext.corpus.corrections import read_corrections

from .conftest import requests_of, run

WIDTHS = (360, 768, 1400)


def opened(driver, page):
    driver.get(page.as_uri())
    return driver


def find(driver, selector):
    return driver.find_elements("css selector", selector)


def press(driver, element):
    """Click where the bar on top does not cover it."""
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def column(driver, name):
    return [cell.text for cell in find(driver, f'#outliers td[data-name="{name}"]')]


def saved(folder):
    """The file of corrections, once it is there."""
    for _ in range(100):
        if (folder / "corrections.csv").exists():
            return folder / "corrections.csv"
        time.sleep(0.1)
    raise AssertionError("nothing was saved")


@pytest.fixture(scope="module")
def driver(start_browser, report):
    return opened(start_browser(), report)


@pytest.fixture(autouse=True)
def fresh(request, report):
    if "driver" in request.fixturenames:
        opened(request.getfixturevalue("driver"), report)


def test_the_page_asks_for_nothing_but_itself_and_complains_of_nothing(start_browser, report):
    driver = opened(start_browser(), report)
    for button in find(driver, "#outliers thead button"):
        button.click()
    assert set(requests_of(driver)) <= {report.as_uri(), "data:,"}
    assert driver.get_log("browser") == []


def test_outliers_sort_by_each_head_both_ways(driver):
    doubt = find(driver, '#outliers th[data-key="score"] button')[0]
    doubt.click()
    falling = [float(text) for text in column(driver, "doubt")]
    assert len(falling) == 50
    assert falling == sorted(falling, reverse=True)
    doubt.click()
    rising = [float(text) for text in column(driver, "doubt")]
    assert rising == sorted(rising)
    assert rising[0] < falling[0]
    head = find(driver, '#outliers th[data-key="score"]')[0]
    assert head.get_attribute("aria-sort") == "ascending"


def test_outliers_are_filtered_by_words_kind_and_label(driver):
    find(driver, "#o-text")[0].send_keys("collect")
    texts = column(driver, "text")
    assert texts
    for row in find(driver, "#outliers tbody tr"):
        assert "collect" in row.text.lower()
    find(driver, "#o-text")[0].clear()
    find(driver, "#o-text")[0].send_keys("no such words in any document")
    assert column(driver, "text") == []
    assert "no document fits" in find(driver, "#o-said")[0].text
    find(driver, "#o-text")[0].clear()
    find(driver, "#o-text")[0].send_keys("a")
    find(driver, "#o-kind option")[1].click()
    kind = find(driver, "#o-kind")[0].get_attribute("value")
    assert set(column(driver, "kind")) == {kind}


def test_three_ticked_rows_are_saved_and_learned_from(driver, downloads, calls, tmp_path):
    folder = downloads(driver)
    boxes = find(driver, '#outliers td[data-name="correct"] input')[:3]
    ids = [row.text.split("\n")[0] for row in find(driver, '#outliers td[data-name="document"]')]
    for box in boxes:
        press(driver, box)
    assert "3 ticked" in find(driver, "#o-ticked")[0].text
    press(driver, find(driver, "#o-export")[0])
    with saved(folder).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"] for row in rows} == set(ids[:3])
    out = run(
        "train", calls, "-o", tmp_path / "m.boostext", "--rounds", 5, "--labels-from",
        folder / "corrections.csv",
    )  # fmt: skip
    assert (tmp_path / "m.boostext").exists()
    assert "error" in out or "5 rules" in out
    given = {row["id"]: set() for row in rows}
    for row in rows:
        given[row["id"]].add(row["label"])
    read = read_corrections(str(folder / "corrections.csv")).labels
    assert {name: set(labels) for name, labels in read.items()} == given


def test_ticks_stay_through_sorting_and_paging(driver):
    find(driver, '#outliers td[data-name="correct"] input')[0].click()
    find(driver, "#o-after")[0].click()
    assert "51 to 100" in find(driver, "#o-said")[0].text
    find(driver, "#o-before")[0].click()
    assert find(driver, '#outliers td[data-name="correct"] input')[0].is_selected()
    assert "1 ticked" in find(driver, "#o-ticked")[0].text


def test_a_confusion_shows_its_documents(driver):
    button = find(driver, "#confusion table.grid button[data-cell]")[0]
    press(driver, button)
    behind = find(driver, "#behind")[0]
    assert "was given" in behind.text
    assert "call-" in behind.text
    assert driver.switch_to.active_element == behind


def test_terms_are_filtered_and_sorted(driver):
    find(driver, 'input[data-filters="term-table"]')[0].send_keys("collect")
    shown = [row for row in find(driver, "#term-table tbody tr") if row.is_displayed()]
    everything = find(driver, "#term-table tbody tr")
    assert 0 < len(shown) < len(everything)
    head = find(driver, '#term-table th[data-key="number"] button')[-1]
    press(driver, head)
    values = [
        float(cell.text)
        for cell in find(driver, '#term-table tr:not(.off) td[data-name="precision"]')
    ]
    assert values == sorted(values, reverse=True)


def test_everything_can_be_reached_by_keyboard(driver):
    """Whatever can be pressed is a real button, link or field, and has a name."""
    nameless = driver.execute_script("""
        return [...document.querySelectorAll('button, a[href], input, select, summary')]
            .filter((e) => !e.textContent.trim() && !e.ariaLabel && !e.labels?.length)
            .map((e) => e.outerHTML.slice(0, 100));
    """)
    assert nameless == []
    pressed = driver.execute_script("return document.querySelectorAll('[onclick]').length")
    assert pressed == 0
    assert find(driver, "main h2")
    for table in find(driver, "main table thead"):
        assert table.find_elements("css selector", "th[scope]")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overlaps_or_sticks_out(start_browser, report, width, dark):
    driver = opened(start_browser(width, 800, dark), report)
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    # wide tables scroll inside their own box, and no text lies over another
    overlaps = driver.execute_script("""
        const cells = [...document.querySelectorAll(
            'h2, h3, dt, dd, #outliers tbody tr:nth-child(-n+5) td, .tools label, .tools button')]
            .filter((e) => e.offsetParent && e.textContent.trim());
        const boxes = cells.map((e) => [e, e.getBoundingClientRect()]);
        const found = [];
        for (const [a, p] of boxes) for (const [b, q] of boxes) {
            if (a === b || a.contains(b) || b.contains(a)) continue;
            const w = Math.min(p.right, q.right) - Math.max(p.left, q.left);
            const h = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
            const named = [a, b].map((e) => e.outerHTML.slice(0, 80));
            if (w > 1.5 && h > 1.5) found.push(named);
        }
        return found;
    """)
    assert overlaps == []
    background = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    shade = sum(int(part) for part in background.strip("rgb()").split(",")) / 3
    assert (shade < 80) is dark


# Hostile documents ---------------------------------------------------------------------------

BREAKOUT = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
IDS = ('a,"b"', "=1+1", "line\nbreak", "x' onclick='window.pwned=3", "\u202eturned", "u\u2028v")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A page of documents whose texts, ids and labels try to be more than that."""
    folder = tmp_path_factory.mktemp("hostile")
    labels = ['<b>"bold"</b>', "</script>", "a|b, c"]
    rows = []
    for n in range(60):
        id = IDS[n] if n < len(IDS) else f"d{n}"
        text = f"word{n % 3} {BREAKOUT} {{{{ 7 * 7 }}}} \u202e \x00 ' \" &amp; <!-- ก็"
        wrong = n < len(IDS)
        rows.append({"id": id, "text": text, "labels": [labels[(n + wrong) % 3]]})
    rows.append({"id": "long", "text": "word0 " + "x" * 10_000_000, "labels": [labels[0]]})
    rows.append({"id": "i" * 1_000_000, "text": "word1 and more", "labels": [labels[0]]})
    data = folder / "hostile.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    run(
        "train", data, "-o", folder / "m.boostext", "--rounds", 20, "--report", folder,
        "--outliers", "weights", "--token-pattern", r"\S+", "-q",
    )  # fmt: skip
    return folder / "report.html"


def test_a_hostile_text_stays_text(start_browser, hostile):
    assert hostile.stat().st_size < 2_000_000
    driver = opened(start_browser(), hostile)
    for button in find(driver, "button[data-cell]"):
        driver.execute_script("arguments[0].click()", button)
    assert driver.execute_script("return window.pwned === undefined")
    assert len(find(driver, "script")) == 3
    assert find(driver, "img") == []
    assert set(requests_of(driver)) <= {hostile.as_uri(), "data:,"}
    assert driver.get_log("browser") == []
    assert len(find(driver, "#outliers tbody tr")) == 50


def test_corrections_of_hostile_ids_come_back_as_they_were(start_browser, hostile, downloads):
    driver = opened(start_browser(), hostile)
    folder = downloads(driver)
    # all rows: the planted ones come first, and an id that is too long cannot be ticked
    for box in find(driver, '#outliers td[data-name="correct"] input:not([disabled])'):
        press(driver, box)
    press(driver, find(driver, "#o-export")[0])
    read = read_corrections(str(saved(folder))).labels
    assert set(IDS) <= set(read)
    assert set().union(*read.values()) <= {'<b>"bold"</b>', "</script>", "a|b, c"}
