"""A headless Chromium, where there is one."""

import json
import os
import shutil
import time
from itertools import islice
from pathlib import Path

import pytest
from click.testing import CliRunner

from boostext.cli import main

FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-threaded-compositing",  # which takes a third more of the processor
)


def _program(*names):
    found = next((path for path in map(shutil.which, names) if path), None)
    if found is None:
        pytest.skip(f"no {names[0]} here; Debian has it as chromium and chromium-driver")
    return found


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """A driver that all tests share: to start one takes longer than most of them."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    chromium, driver = _program("chromium", "google-chrome"), _program("chromedriver")
    options = Options()
    options.binary_location = chromium
    profile = tmp_path_factory.mktemp("profile")
    flags = [*FLAGS, f"--user-data-dir={profile}", "--window-size=1400,900"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium refuses root otherwise
    for flag in flags:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(driver))
    made.set_script_timeout(120)
    yield made
    made.quit()


def seen_on(driver, width, height, dark):
    """The driver, with a screen of this size and colors from now on."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    return driver


@pytest.fixture
def screen(browser):
    """screen(width, height, dark) -> a driver that knows nothing of the tests before."""

    def of(width=1400, height=900, dark=False):
        if browser.current_url.startswith("file:"):  # all files are one place to keep things in
            browser.execute_script("localStorage.clear()")
        browser.get("about:blank")
        browser.get_log("browser"), browser.get_log("performance")
        return seen_on(browser, width, height, dark)

    return of


@pytest.fixture
def downloads(tmp_path):
    """downloads(driver): where it puts files from now on."""

    def into(driver):
        behavior = {"behavior": "allow", "downloadPath": str(tmp_path)}
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", behavior)
        return tmp_path

    return into


def requests_of(driver):
    """Addresses that pages of ours asked for since it was last looked at; a browser's own pages,
    such as that of a new tab, are not ours.
    """
    events = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    return [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and not event["params"]["documentURL"].startswith("chrome")
    ]


SHOWN = "return location.href === arguments[0] && document.readyState === 'complete'"


def opened(driver, page):
    """The page as somebody sees it who comes from elsewhere; a reload would keep what was typed.

    A busy browser may say that it is there before it is.
    """
    driver.get("about:blank")
    driver.get(page.as_uri())
    for _ in range(100):
        if driver.execute_script(SHOWN, page.as_uri()):
            return driver
        time.sleep(0.1)
    raise AssertionError(f"{page} was not shown within ten seconds")


def run(*arguments):
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="session")
def calls(tmp_path_factory):
    """The first sample calls: a browser takes three times as long to draw all of them."""
    sample = Path(__file__).resolve().parents[2] / "sample_data" / "calls.train.jsonl"
    return beginning(sample, tmp_path_factory.mktemp("calls") / "calls.jsonl", 600)


def beginning(data, place, count):
    """The first documents, in a file of their own."""
    with data.open(encoding="utf-8") as lines:
        place.write_text("".join(islice(lines, count)), encoding="utf-8")
    return place


@pytest.fixture(scope="session")
def report(tmp_path_factory, calls):
    """The page of the sample calls."""
    folder = tmp_path_factory.mktemp("report")
    run(
        "train",
        calls,
        "-o",
        folder / "calls.boostext",
        "--rounds",
        100,
        "--report",
        folder,
        "--outliers",
        "weights",
        "-q",
    )
    return folder / "report.html"
