"""Checks that what the pages of a site link to is there: files, and headings in them."""
import html.parser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.ids.add(attributes[name])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append((tag, attributes[name]))


def check(site):
    """Returns what is wrong, as sentences, and how many links there are."""
    pages = {file: Page(file) for file in sorted(Path(site).rglob("*.html"))
             if file.is_file()}
    wrong, count = [], 0
    for file, page in pages.items():
        for tag, link in page.links:
            parts = urlsplit(link)
            if file.name == "404.html":
                continue
            if parts.scheme or parts.netloc:
                if tag != "a":
                    wrong.append(f"{file.relative_to(site)} loads {link} from elsewhere")
                continue
            count += 1
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                wrong.append(f"{file.relative_to(site)} links to {link}, which is not there")
            elif parts.fragment and target in pages and \
                    unquote(parts.fragment) not in pages[target].ids | {"__codelineno"}:
                wrong.append(f"{file.relative_to(site)} links to {link}, which has no such heading")
    return wrong, count
