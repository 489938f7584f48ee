"""The report's text: whole, escaped, small, without a script or a network."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from grader.report import progress_report
from grader.result import from_json, to_json
from grader.store import Store

VOID = {"meta", "link", "br", "img", "input", "hr", "rect", "circle", "path"}


class Page(HTMLParser):
    """Fails on tags that do not match; collects what is there."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def count(self, tag):
        return sum(found == tag for found, _ in self.tags)


@pytest.fixture
def html(toy):
    toy.run("check", "1", "--device", "emulator")
    toy.solve("chapters/01_first", first_v1="slow")
    toy.run("check", "1", "--device", "emulator")
    done = toy.run("report")
    assert done.exit_code == 0, done.output
    return (toy.root / "build/report.html").read_text()


def test_it_is_one_small_file_without_network_or_script(html):
    page = Page(html)

    assert len(html.encode()) < 1_000_000
    assert page.count("script") == page.count("img") == page.count("iframe") == 0
    assert not re.search(r'(?:src|href)="(?!#|data:,)', html)
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert not any(key.startswith("on") for _, a in page.tags for key in a)
    (policy,) = [a["content"] for t, a in page.tags if "http-equiv" in a]
    assert policy.startswith("default-src 'none';")


def test_it_has_landmarks_headings_and_named_tables(html):
    page = Page(html)

    assert page.count("main") == page.count("h1") == page.count("header") == 1
    assert ("a", {"class": "skip", "href": "#content"}) in page.tags
    assert all(a.get("scope") for t, a in page.tags if t == "th")
    for tag, attributes in page.tags:
        if tag == "svg":
            assert attributes["role"] == "img" and attributes["aria-label"]
        if "scroll" in (attributes.get("class") or "").split():
            assert attributes["tabindex"] == "0" and attributes["aria-label"]


def test_it_shows_printf_counters_budgets_source_and_history(html):
    assert "hello from &lt;b&gt;thread&lt;/b&gt; 0" in html
    assert "4,480, budget up to 100" in html
    assert html.count("<svg") >= 2
    assert "first_v1: shared load conflicts" in html
    assert "2 unsolved" in html


PAYLOADS = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 1234*4321 }}{% raw %}",
    "</pre></table></style><svg onload=alert(1)>",
    "\x1b[2J\x00\u202egnp.exe",
]


def _inject(
    value, payload, skip=("verdict", "outcome", "device", "at", "unit", "name")
):
    if isinstance(value, dict):
        return {k: v if k in skip else _inject(v, payload) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_inject(item, payload) for item in value]
    return value + payload if isinstance(value, str) else value


@pytest.mark.parametrize("payload", PAYLOADS)
def test_nothing_in_any_field_becomes_markup(toy, payload):
    toy.solve("chapters/01_first", first_v0="wrong", first_v1="slow")
    toy.run("check", "1", "--device", "emulator")
    store = Store(toy.root / ".workbook/progress.sqlite3")
    plain = store.latest("chapters/01_first")
    assert plain is not None
    before = Page(progress_report(toy.root, store))

    store.add(from_json(_inject(json.loads(json.dumps(to_json(plain))), payload)))
    text = progress_report(toy.root, store)

    after = Page(text)
    for tag in ("script", "img", "iframe", "style", "a"):
        assert after.count(tag) == before.count(tag), tag
    assert not any(key.startswith("on") for _, a in after.tags for key in a)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", text)
    assert str(1234 * 4321) not in text  # nothing evaluated the template's braces


def test_it_stays_small_with_long_sources_and_many_attempts(toy):
    toy.solve("chapters/01_first", first_v1="slow")
    path = toy.kernel("chapters/01_first")
    path.write_text(
        path.read_text() + "// a line of the learner's own, a long one\n" * 5000
    )
    for _ in range(30):
        toy.run("check", "1", "--device", "emulator")

    store = Store(toy.root / ".workbook/progress.sqlite3")
    assert len(progress_report(toy.root, store).encode()) < 1_000_000


def test_both_devices_stand_side_by_side(toy, monkeypatch):
    toy.solve("chapters/01_first")
    toy.run("check", "1", "--device", "emulator")
    monkeypatch.setattr("grader.toolchain.gpu_name", lambda: "Toy GPU")
    done = toy.run("check", "1", "--device", "auto")
    assert "Toy GPU, a real GPU" in done.output.splitlines()[0]

    text = progress_report(toy.root, Store(toy.root / ".workbook/progress.sqlite3"))

    assert "Emulator and GPU, side by side" in text
    assert "0.50 / 0.80 / 0.80" in text
