"""The page of `boostext suggest -o next.html`: labeled by keyboard, kept, undone and saved."""

import csv
import json
import time

import pytest
from selenium.webdriver.common.keys import Keys

from .conftest import opened, requests_of, run

HOSTILE = "</script><img src=x onerror=alert(1)>\u202e\x1b[31m\"',;{{7*7}} collect call"


@pytest.fixture(scope="module")
def pages(tmp_path_factory, calls):
    """A page of one label a document, and one of several labels; each with hostile texts."""
    folder = tmp_path_factory.mktemp("labeling")
    made = {}
    for kind in ("single", "multi"):
        data, pool = folder / f"{kind}.jsonl", folder / f"{kind}-pool.jsonl"
        rows = [json.loads(line) for line in calls.read_text(encoding="utf-8").splitlines()[:200]]
        for row in rows:
            row["labels"] = row["labels"][: 1 if kind == "single" else 9] or ["Other"]
        rows[0]["labels"] = [HOSTILE]
        rows[1]["labels"] = ["Other"] if kind == "single" else ["Other", "Rate"]
        write(data, rows)
        open_rows = [{"id": f'{row["id"]},"x"', "text": row["text"]} for row in rows[:40]]
        write(pool, [{"id": HOSTILE, "text": HOSTILE * 3}, *open_rows])
        run("train", data, "-o", folder / kind, "--rounds", 40, "-q", "--preset", "paper")
        page = folder / f"{kind}.html"
        run("suggest", folder / kind, pool, "-n", 30, "-o", page, "-q")
        made[kind] = page
    return made


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def keys(driver, *pressed):
    for key in pressed:
        driver.switch_to.active_element.send_keys(key)


def said(driver):
    return driver.find_element("id", "said").text


def saved(folder):
    for _ in range(100):
        if (folder / "labels.csv").exists():
            with (folder / "labels.csv").open(encoding="utf-8", newline="") as lines:
                return list(csv.reader(lines))
        time.sleep(0.1)
    raise AssertionError("nothing was saved")


def test_twenty_documents_are_labeled_by_keyboard_and_learned_from(
    screen, pages, downloads, tmp_path, calls
):
    page = pages["single"]
    driver = opened(screen(), page)
    into = downloads(driver)
    keys(driver, *["1", Keys.ENTER] * 10)
    assert said(driver).startswith("20 of 30 labeled.")
    keys(driver, "u", "2")
    assert said(driver).startswith("20 of 30 labeled.")
    driver.refresh()
    assert said(driver).startswith("20 of 30 labeled.")
    keys(driver, "s")
    head, *rows = saved(into)
    assert head == ["id", "label"]
    assert len(rows) == 20
    pool = page.with_name("single-pool.jsonl")
    ids = {json.loads(line)["id"] for line in pool.read_text(encoding="utf-8").splitlines()}
    assert {row[0] for row in rows} <= ids
    assert driver.get_log("browser") == []
    assert set(requests_of(driver)) <= {page.as_uri(), "data:,"}


def test_labels_that_are_switched_on_are_confirmed_together(screen, pages, downloads):
    driver = opened(screen(), pages["multi"])
    into = downloads(driver)
    for button in driver.find_elements("css selector", "#labels [aria-pressed=true]"):
        button.click()
    keys(driver, "1", "2", Keys.ENTER)
    for button in driver.find_elements("css selector", "#labels [aria-pressed=true]"):
        button.click()
    keys(driver, Keys.ENTER)
    assert said(driver).startswith("2 of 30 labeled.")
    keys(driver, "s")
    _, *rows = saved(into)
    assert len(rows) == 3
    assert sum(label == "" for _, label in rows) == 1


def test_a_label_is_found_by_its_name(screen, pages):
    driver = opened(screen(), pages["single"])
    keys(driver, "/")
    keys(driver, "BILLING")
    shown = [b.text for b in driver.find_elements("css selector", "#labels button")]
    assert shown
    assert all("billing" in text.lower() for text in shown)
    keys(driver, Keys.ENTER)
    assert said(driver).startswith("1 of 30 labeled.")


def test_of_many_labels_the_likely_ones_come_first_and_have_keys(screen, tmp_path):
    data, pool, model, page = (tmp_path / name for name in ("d.jsonl", "p.jsonl", "m", "p.html"))
    rows = [{"id": f"d{n}", "text": f"word{n}", "labels": [f"label {n}"]} for n in range(40)]
    write(data, rows)
    write(pool, [{"id": "new", "text": "word39"}])
    run("train", data, "-o", model, "--rounds", 40, "-q", "--preset", "paper")
    run("suggest", model, pool, "-o", page, "-q")
    driver = opened(screen(), page)
    buttons = driver.find_elements("css selector", "#labels button")
    assert len({button.text for button in buttons}) == 40
    assert "likeliest" in buttons[0].get_attribute("class")
    shown = [len(button.find_elements("css selector", "kbd")) for button in buttons]
    assert shown == [1] * 3 + [0] * 37
    likeliest = buttons[0].text
    keys(driver, "9")
    assert said(driver).startswith("0 of 1 labeled.")
    keys(driver, "1")
    assert said(driver).startswith("1 of 1 labeled.")
    assert driver.find_element("css selector", "[aria-pressed=true]").text == likeliest


@pytest.mark.parametrize("width", [360, 1400])
def test_nothing_is_wider_than_the_window(screen, pages, width):
    driver = opened(screen(width=width), pages["single"])
    wide = driver.execute_script("return document.documentElement.scrollWidth")
    assert wide <= width


def test_hostile_texts_stay_texts(screen, pages):
    driver = opened(screen(), pages["single"])
    for _ in range(29):
        keys(driver, "j")
        assert driver.find_elements("css selector", "#texts img, #labels img") == []
    assert driver.get_log("browser") == []
