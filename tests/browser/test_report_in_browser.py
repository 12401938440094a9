"""report.html in a real browser: what a reader does with it, and what a hostile text cannot do."""

import csv
import json
import re
import time

import pytest

from boostext.corpus.corrections import read_corrections

from .conftest import opened, requests_of, run

WebDriverWait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait
WIDTHS = (360, 768, 1400)


def find(driver, selector):
    return driver.find_elements("css selector", selector)


def until(found):
    """What is found, once it is there: a busy machine may draw late."""
    for _ in range(100):
        if result := found():
            return result
        time.sleep(0.1)
    raise AssertionError("nothing was found within ten seconds")


def press(driver, element):
    """Click where the bar on top does not cover it."""
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()


def errors(driver):
    return find(driver, "#error-list li.error")


def names(driver):
    return [item.text.split("\n")[0].split(". ", 1)[1] for item in errors(driver)]


def number(item, label):
    """After a word of an item: `doubt 0.988` gives 0.988."""
    return float(re.search(rf"{label} (-?[0-9.]+)", item.text)[1])


def choices(item):
    return item.find_elements("css selector", ".deciding button")


def decide(driver, place, choice):
    """Press the button of a choice, the last for "label is correct"."""
    press(driver, choices(errors(driver)[place])[choice])


def saved(folder):
    """The file of corrections, once it is there."""
    for _ in range(100):
        if (folder / "corrections.csv").exists():
            return folder / "corrections.csv"
        time.sleep(0.1)
    raise AssertionError("nothing was saved")


@pytest.fixture
def driver(screen, report):
    return opened(screen(), report)


def test_the_page_asks_for_nothing_but_itself_and_complains_of_nothing(driver, report):
    for button in find(driver, "thead button, .pager button, summary"):
        if button.is_displayed() and button.is_enabled():
            press(driver, button)
    assert set(requests_of(driver)) <= {report.as_uri(), "data:,"}
    assert driver.get_log("browser") == []


def test_errors_come_in_several_orders(driver):
    assert len(until(lambda: errors(driver))) == 6
    for place, word, sign in ((1, "weight", -1), (2, "margin", 1)):
        find(driver, "#e-order option")[place].click()
        values = [sign * number(item, word) for item in errors(driver)]
        assert values == sorted(values)
    find(driver, "#e-order option")[3].click()
    assert names(driver) == sorted(names(driver))


def test_a_reload_shows_all_errors_again(driver):
    find(driver, "#e-text")[0].send_keys("no such words in any document")
    find(driver, "#e-state option")[2].click()
    assert errors(driver) == []
    driver.refresh()
    assert len(until(lambda: errors(driver))) == 6
    assert find(driver, "#e-text")[0].get_attribute("value") == ""


def test_errors_are_filtered_by_words_kind_and_label(driver):
    find(driver, "#e-text")[0].send_keys("collect")
    assert errors(driver)
    for item in errors(driver):
        assert "collect" in item.text.lower()
    find(driver, "#e-text")[0].clear()
    find(driver, "#e-text")[0].send_keys("no such words in any document")
    assert errors(driver) == []
    assert "no matches" in find(driver, "#e-pager")[0].text
    find(driver, "#e-text")[0].clear()
    find(driver, "#e-text")[0].send_keys("a")
    find(driver, "#e-kind option")[1].click()
    kind = find(driver, "#e-kind")[0].get_attribute("value")
    assert errors(driver)
    assert all(f", {kind}\n" in item.text for item in errors(driver))


def test_two_mended_and_one_fine_are_saved_and_learned_from(driver, downloads, calls, tmp_path):
    folder = downloads(driver)
    ids = names(driver)[:3]
    for place, choice in ((0, 0), (1, 1), (2, -1)):
        decide(driver, place, choice)
    assert "2 corrected, 1 confirmed" in find(driver, "#e-said")[0].text
    press(driver, find(driver, "#e-save")[0])
    with saved(folder).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["id"] for row in rows} == set(ids)
    assert {row["id"]: row["decision"] for row in rows}[ids[2]] == "fine"
    read = read_corrections(str(folder / "corrections.csv")).labels
    with calls.open(encoding="utf-8") as file:
        before = {row["id"]: tuple(row["labels"]) for row in map(json.loads, file)}
    assert set(read[ids[2]]) == set(before[ids[2]])
    assert set(read[ids[0]]) != set(before[ids[0]])
    run(
        "train",
        calls,
        "-o",
        tmp_path / "m.boostext",
        "--rounds",
        5,
        "--labels-from",
        folder / "corrections.csv",
        "--report",
        tmp_path / "r",
        "--outliers",
        "weights",
        "-q",
    )
    with (tmp_path / "r" / "outliers.tsv").open(encoding="utf-8") as file:
        listed = {row["id"] for row in csv.DictReader(file, delimiter="\t")}
    assert len(listed) == 597
    assert not listed & set(ids)


def test_errors_are_decided_by_keyboard_alone_and_kept(driver, report):
    body = find(driver, "body")[0]
    body.send_keys("j")
    key = lambda *keys: driver.switch_to.active_element.send_keys(*keys)  # noqa: E731
    assert driver.switch_to.active_element == errors(driver)[0]
    key("f")  # the first is fine
    key("j")
    key("\ue007")  # Enter: the second takes the suggestion
    key("j")
    key("1")  # the third too, by its number; taken back again
    key("u")
    key("j")
    key("k")
    assert driver.switch_to.active_element == errors(driver)[2]
    assert "1 corrected, 1 confirmed" in find(driver, "#e-said")[0].text
    done = [item.get_attribute("class").split().count("done") for item in errors(driver)[:3]]
    assert done == [1, 1, 0]
    opened(driver, report)  # the browser keeps them
    assert "1 corrected, 1 confirmed" in find(driver, "#e-said")[0].text
    find(driver, "#e-state option")[2].click()
    assert len(errors(driver)) == 2


def test_decisions_stay_through_ordering_and_paging(driver):
    decide(driver, 0, -1)
    pages = find(driver, "#e-pager button")
    pages[1].click()
    assert "7 to 12" in find(driver, "#e-pager")[0].text
    find(driver, "#e-pager button")[0].click()
    assert "done" in errors(driver)[0].get_attribute("class")
    press(driver, find(driver, "#e-none")[0])
    assert "0 corrected, 0 confirmed" in find(driver, "#e-said")[0].text


def test_the_command_that_learns_again_is_whole(driver, report):
    command = until(lambda: find(driver, "#e-command"))[0].text
    assert command.startswith("boostext train --rounds 100 ")
    assert "calls.jsonl" in command
    assert command.endswith("--labels-from corrections.csv")


def test_a_term_is_argued_with(driver):
    more = find(driver, "#term-table td.more summary")[0]
    press(driver, more)
    about = find(driver, "#term-table .about")[0].text
    for words in ("votes if it occurs", "labels of its documents:", "call-"):
        assert words in about
    for box in find(driver, "#term-table input[data-never]")[:2]:
        press(driver, box)
    option = find(driver, "#never-option")[0].text
    assert re.fullmatch(r"--drop '\^\(\?:[^|]+\|[^|]+\)\$'", option)


def test_a_text_is_labeled_as_it_is_typed(driver, report):
    """The labels and scores are those that the model gives, and the words are marked."""
    text = "i would like to make a collect call"
    find(driver, "#box textarea")[0].send_keys(text)
    WebDriverWait(driver, 30).until(lambda d: find(d, "#box-scores tbody tr"))
    said = json.loads(
        run("predict", report.parent / "calls.boostext", "--document", text, "--proba")
    )
    given = [row for row in find(driver, "#box-scores tr") if "predicted" in row.text]
    assert [row.text.split()[0] for row in given] == said["labels"]
    best = find(driver, "#box-scores tbody td")[0].text
    assert float(best) == pytest.approx(max(said["scores"].values()), abs=6e-4)
    assert "collect" in [mark.text for mark in find(driver, "#box-marked mark:not(.against)")]


def test_sections_fold_and_links_open_them(driver):
    section = find(driver, "#terms > details")[0]
    press(driver, find(driver, "#terms > details > summary")[0])
    assert not section.get_property("open")
    press(driver, find(driver, 'nav a[href="#terms"]')[0])
    assert section.get_property("open")


def test_one_label_shows_its_terms(driver):
    shown = [a for a in find(driver, "#labels article") if a.is_displayed()]
    assert len(shown) == 1
    press(driver, find(driver, "#label-table a")[3])
    chosen = [a for a in find(driver, "#labels article") if a.is_displayed()]
    assert len(chosen) == 1
    assert chosen != shown


def test_the_page_is_short(driver):
    assert driver.execute_script("return document.documentElement.scrollHeight") <= 8000


def test_a_confusion_shows_its_documents(driver):
    button = find(driver, "#confusion table.grid button[data-cell]")[0]
    press(driver, button)
    behind = find(driver, "#behind")[0]
    assert "predicted as" in behind.text
    assert "call-" in behind.text
    assert driver.switch_to.active_element == behind


def test_terms_are_filtered_and_sorted(driver):
    find(driver, 'input[data-filters="term-table"]')[0].send_keys("collect")
    shown = find(driver, "#term-table tbody tr")
    assert shown
    assert all("collect" in row.get_property("textContent").lower() for row in shown)
    head = find(driver, '#term-table th[data-key="number"] button')[-1]
    press(driver, head)
    values = [float(cell.text) for cell in find(driver, '#term-table td[data-name="precision"]')]
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
def test_nothing_overlaps_or_sticks_out(screen, report, width, dark):
    driver = opened(screen(width, 800, dark), report)
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width
    # wide tables scroll inside their own box, and no text lies over another
    overlaps = driver.execute_script("""
        const cells = [...document.querySelectorAll(
            'h2, h3, dt, dd, #error-list li:nth-child(-n+5) > div, .tools label, .tools button')]
            .filter((e) => e.checkVisibility() && e.textContent.trim());
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
        "train",
        data,
        "-o",
        folder / "m.boostext",
        "--rounds",
        20,
        "--report",
        folder,
        "--outliers",
        "weights",
        "--token-pattern",
        r"\S+",
        "-q",
    )
    return folder / "report.html"


def test_a_hostile_text_stays_text(screen, hostile):
    assert hostile.stat().st_size < 2_000_000
    driver = opened(screen(), hostile)
    for button in find(driver, "button[data-cell]"):
        driver.execute_script("arguments[0].click()", button)
    assert driver.execute_script("return window.pwned === undefined")
    assert len(find(driver, "script")) == 3
    assert find(driver, "img") == []
    assert set(requests_of(driver)) <= {hostile.as_uri(), "data:,"}
    assert driver.get_log("browser") == []
    assert len(errors(driver)) == 6


def test_corrections_of_hostile_ids_come_back_as_they_were(screen, hostile, downloads):
    driver = opened(screen(), hostile)
    folder = downloads(driver)
    # the planted ones come first, and an id that is too long cannot be decided
    for _ in range(2):
        for item in errors(driver):
            if choices(item):
                press(driver, choices(item)[-1])
        press(driver, find(driver, "#e-pager button")[1])
    press(driver, find(driver, "#e-save")[0])
    read = read_corrections(str(saved(folder))).labels
    assert set(IDS) <= set(read)
    assert set().union(*read.values()) <= {'<b>"bold"</b>', "</script>", "a|b, c"}
