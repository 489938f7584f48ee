"""The site: the repository's own Markdown files, and the pages of this folder.

Sphinx reads from the root of the repository, so a chapter's README.md is a page as it
is, and its links work here as they do on a forge. pages.py adds what is made.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

project = "CUDA workbook"
copyright = "the authors of the CUDA workbook; Apache-2.0"
extensions = ["myst_parser", "pages"]

root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "chapters/*/README.md",
    "exercises/*/README.md",
    "lib/*/README.md",
    "grader/README.md",
    "CONTRIBUTING.md",
]
exclude_patterns = [".*", "build", "docs/_build", "solutions", "tests"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = project
html_additional_pages = {"index": "redirect.html"}  # the site's own root
templates_path = ["templates"]
html_static_path = ["static"]
html_css_files = ["pages.css"]
html_js_files = ["local.js"]
html_use_index = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
