"""The documentation: made without a warning, its links lead somewhere, it needs no net.

The site is built into a folder of its own, so a
`make docs` at the same time is not disturbed.
"""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import tables  # noqa: E402

from grader.toolchain import find_nvcc  # noqa: E402
from grader.units import every  # noqa: E402

UNITS = every(ROOT)


class Links(HTMLParser):
    """Every id, every link, and everything that a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(found["id"])
        if found.get("href"):
            (self.links if tag == "a" else self.loads).append(found["href"])
        self.loads += [found[k] for k in ("src", "srcset", "data") if found.get(k)]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """What `make docs` makes, in a folder of its own."""
    out = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going"]
    words += ["-c", "docs", "-b", "html", ".", str(out)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return out


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Links]:
    found = {}
    for path in sorted(site.rglob("*.html")):
        found[path] = Links()
        found[path].feed(path.read_text())
    assert len(found) > len(UNITS)
    return found


def test_every_unit_has_a_page_with_its_header(site):
    for unit in UNITS:
        page = (site / unit.id / "README.html").read_text()
        assert "KERNEL_H" in page, unit.id


def test_a_chapter_shows_its_solution_and_an_exercise_does_not(site):
    for unit in UNITS:
        page = (site / unit.id / "README.html").read_text()
        chapter = unit.kind == "chapter" and unit.solution.name == "solution.cu"
        assert ("Show one way to solve it" in page) == chapter, unit.id


def test_every_link_leads_somewhere(site, pages):
    dead = []
    for page, found in pages.items():
        for link in found.links + found.loads:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)) if parts.path else page
            target = target.resolve()
            if not target.is_file() or not target.is_relative_to(site.resolve()):
                dead.append(f"{page.relative_to(site)}: {link}")
            elif parts.fragment and target in pages:
                known = unquote(parts.fragment) in pages[target].ids
                dead += [] if known else [f"{page.relative_to(site)}: {link}"]
    assert not dead, "\n".join(dead)


def test_nothing_is_loaded_from_elsewhere(site, pages):
    for page, found in pages.items():
        remote = [load for load in found.loads if urlsplit(load).netloc]
        assert not remote, f"{page}: {remote}"
    for style in site.rglob("*.css"):
        text = style.read_text()
        assert "url(http" not in text and "url(//" not in text, style
        assert "@import" not in text or style.name == "styles", style


def test_every_file_of_measurements_is_shown(site):
    page = (site / "docs/measurements.html").read_text()
    for path in (ROOT / "docs/measurements").glob("*.json"):
        assert path.name in page


def test_the_table_of_chapters_is_up_to_date():
    text = (ROOT / "README.md").read_text()
    assert text == tables.readme(text), "python docs/tables.py"
    assert all(f"]({unit.id}/)" in text for unit in UNITS)


def test_a_measurement_becomes_a_table():
    ceilings = {"memcpy": {"gbs": 4000.0, "ratio": 1.05}}
    row = {"step": "v0", "gbs": 4200.4, "ceilings": ceilings}
    other = {"step": "v1", "gbs": 1.0, "ceilings": {}}
    facts = {"date": "2026-01-02", "gpu": "G", "driver": "1", "nvcc": "13", "n": 8}

    lines = tables.measurement(facts | {"rows": [row, other]}, "x.json")

    assert "| `v0` |  | 4,200 | 1.050 (4,000) |" in lines
    assert "| `v1` |  | 1 | - |" in lines


def test_links_of_the_front_page_lead_somewhere():
    for name in ("README.md", "CONTRIBUTING.md"):
        found = tables.re.findall(r"\]\(([^)#]+)", (ROOT / name).read_text())
        assert found
        assert [link for link in found if not (ROOT / link).exists()] == []


def test_the_front_page_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 120


def test_the_examples_compile(tmp_path):
    nvcc = find_nvcc(ROOT).program
    for source in (ROOT / "docs/examples").glob("*.cu"):
        words = [str(nvcc), "-arch=compute_80", "-Werror", "all-warnings", "-c"]
        words += ["-o", str(tmp_path / "x.o"), str(source)]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


# ---- In a browser, with the network off -----------------------------------------


@pytest.fixture
def visit(browser, site):
    """Open a page; a console message or a request to elsewhere fails the test."""
    contexts, said = [], []

    def open_(name, scheme="light", width=1280):
        context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda r: None if local(r.url) else said.append(r.url))
        page.goto(f"{site.as_uri()}/{name}")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


def local(url: str) -> bool:
    return url.startswith(("file:", "data:"))


def test_the_root_leads_to_the_front_page(visit):
    page = visit("index.html")

    page.wait_for_url("**/docs/index.html")

    assert page.locator("h1").inner_text().startswith("CUDA workbook")
    assert page.get_by_text("make chapter1").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chapter_opens_its_solution_on_demand(visit, scheme):
    unit = next(unit for unit in UNITS if unit.kind == "chapter")
    page = visit(f"{unit.id}/README.html", scheme)
    fold = page.locator("details", has_text="Show one way to solve it").last
    code = fold.get_by_text("__global__").first
    assert not code.is_visible()

    fold.locator("summary").click()

    assert code.is_visible()


def test_the_search_finds_a_word(visit):
    page = visit("search.html?q=barrier")

    page.locator("#search-results li a").first.wait_for()

    found = page.locator("#search-results li a").all_inner_texts()
    assert "Counters" in found


@pytest.mark.parametrize("name", ["docs/index", "docs/learners", "docs/measurements"])
def test_a_phone_scrolls_down_only(visit, name):
    page = visit(f"{name}.html", width=375)

    assert page.evaluate("document.documentElement.scrollWidth") <= 375
