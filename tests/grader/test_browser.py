"""The report in a browser, with the network off: what a learner really sees."""

from __future__ import annotations

from pathlib import Path

import pytest

FIRST_SCREEN = {"width": 1280, "height": 800}


@pytest.fixture
def report(toy) -> Path:
    """Half of a chapter is solved; the other half misses its budget."""
    toy.run("check", "1", "--device", "emulator")
    toy.solve("chapters/01_first", first_v1="slow")
    toy.run("check", "1", "--device", "emulator")
    toy.run("report")
    return toy.root / "build/report.html"


@pytest.fixture
def visit(browser, report):
    """Open the report; any console message or request fails the test."""
    contexts, said = [], []

    def open_(path=report, scheme="light", **viewport):
        context = browser.new_context(
            viewport=viewport or FIRST_SCREEN, color_scheme=scheme, offline=True
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request",
            lambda request: (
                said.append(request.url)
                if not request.url.startswith(("file:", "data:"))
                else None
            ),
        )
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert said == []


def visible(page, text):
    """Is the text on the screen as it is, without scrolling?"""
    for place in page.get_by_text(text).all():
        box = place.bounding_box()
        size = page.viewport_size
        if box and box["y"] >= 0 and box["y"] + box["height"] <= size["height"]:
            return True
    return False


def test_the_first_screen_says_what_is_done_next_why_and_where(visit):
    page = visit()

    assert visible(page, "1 of 4 steps solved")
    assert visible(page, "first_v0")
    assert visible(page, "Chapter 1, first_v1: Add one without conflicts")
    assert visible(
        page, "shared load conflicts: 4,480, where the budget is at most 100."
    )
    assert visible(page, "chapters/01_first/kernel.cu:20")
    assert visible(page, "make chapter1 STEP=first_v1")


def test_a_long_message_does_not_push_the_place_away(toy, visit):
    text = toy.kernel("chapters/01_first").read_text()
    toy.kernel("chapters/01_first").write_text(text + "SYNTAX\n")
    from grader.build import Unbuilt

    original = Unbuilt.__init__

    def long(self, message, *rest):
        original(self, message + "\nin a long story" * 200, *rest)

    Unbuilt.__init__ = long
    try:
        toy.run("check", "1", "--device", "emulator")
    finally:
        Unbuilt.__init__ = original
    toy.run("report")

    page = visit()

    assert visible(page, "chapters/01_first/kernel.cu:26")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(visit, scheme):
    page = visit(scheme=scheme)

    poor = page.evaluate(CONTRAST)

    assert not poor, poor


def test_a_phone_scrolls_down_only(visit):
    page = visit(width=375, height=812)

    assert page.evaluate("document.documentElement.scrollWidth") <= 375


def test_links_lead_somewhere_and_the_skip_link_is_first(visit):
    page = visit()

    for link in page.locator("a[href^='#']").all():
        assert page.locator(f"[id='{link.get_attribute('href')[1:]}']").count() == 1
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"


def test_a_step_opens_by_the_keyboard(visit):
    page = visit()
    first = page.locator("details").first
    assert first.get_attribute("open") is None

    first.locator("summary").focus()
    page.keyboard.press("Enter")

    assert first.get_attribute("open") is not None


# ---- What was counted, in a page of real runs -------------------------------------


@pytest.fixture(scope="module")
def counted(slow):
    """Kernels that are slow in one way each, run on the emulator."""
    for words in (["check", "1", "--device", "emulator"], ["report"]):
        done = slow.run(*words)
        assert done.exit_code != 2, done.output
    return slow.root / "build/report.html"


@pytest.fixture
def at(slow):
    """Where a rule's line is on the page."""
    return lambda rule: f"#chapter1-L{slow.line(rule)}"


def test_a_finding_stands_below_its_line_with_its_number(visit, counted, at):
    page = visit(counted)

    below = page.locator(f"{at('bank_conflicts')} + tr.under")

    assert "32.0 wavefronts, 31.0 of them conflicts" in below.inner_text()
    cells = page.locator(f"{at('bank_conflicts')} td.num").all_inner_texts()
    assert cells[1:4] == ["4.0", "32.0", "32.0"]


def test_a_picture_opens_by_the_keyboard_and_says_what_it_shows(visit, counted, at):
    page = visit(counted)
    drawing = page.locator(f"{at('bank_conflicts')} + tr.under details").first

    drawing.locator("summary").focus()
    page.keyboard.press("Enter")

    picture = drawing.locator("svg")
    assert picture.locator(".touched").count() == 32
    assert picture.is_visible()
    assert "line 34: a shared load of 4 bytes" in picture.get_attribute("aria-label")
    described = page.locator(f"[id='{picture.get_attribute('aria-describedby')}']")
    assert "32 lanes touch 32 wavefronts; 1 would do." in described.text_content()


def test_a_step_links_to_its_line(visit, counted, at):
    page = visit(counted)
    step = page.locator("details", has=page.locator("summary", has_text="transpose"))
    step.first.locator("summary").first.click()

    step.first.locator(f".findings a[href='{at('bank_conflicts')}']").click()

    row = page.locator(at("bank_conflicts"))
    assert page.evaluate("e => e.matches(':target')", row.element_handle())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_counted_pages_stand_out_and_scroll_down_only(visit, counted, scheme):
    page = visit(counted, scheme=scheme, width=375, height=812)

    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert not page.evaluate(CONTRAST)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


# Every element with text of its own whose contrast is below WCAG's AA.
CONTRAST = """() => {
  const parse = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const part = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const lum = c => 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  const ground = e => {
    const stack = [];
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      const a = c.length > 3 ? c[3] : 1;
      if (a > 0) stack.push([c, a]);
      if (a === 1) break;
    }
    return stack.reverse().reduce((under, [c, a]) =>
      [0, 1, 2].map(i => c[i] * a + under[i] * (1 - a)), [255, 255, 255]);
  };
  document.querySelectorAll('details').forEach(d => d.open = true);
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (e.closest('svg') || !own) continue;
    const style = getComputedStyle(e);
    const pair = [lum(parse(style.color)), lum(ground(e))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) poor.push([e.className, e.textContent.trim().slice(0, 40), ratio]);
  }
  return poor;
}"""
