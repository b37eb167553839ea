#!/usr/bin/env python3
"""Makes the book: make.py FOLDER. FOLDER/site/index.html is its first page.

The pages are README.md, docs/, the public headers, and each file of this repository that a page
links to. mkdocs (Debian: mkdocs, mkdocs-material) lays them out and makes the search.
"""
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import check_links
import reference

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)#\s]+)((?:#[^)\s]*)?\))")
PICTURES = {".svg", ".png"}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".h": "cpp", ".c": "c", ".lua": "lua", ".py": "python",
             ".rs": "rust", ".cs": "csharp", ".gd": "gdscript", ".mjs": "js", ".ts": "ts",
             ".html": "html", ".yml": "yaml", ".sh": "sh", ".txt": "text", ".toml": "toml"}


class Book:
    def __init__(self, folder):
        self.pages = folder / "pages"
        self.listings = set()     # Files of the repository that pages link to.

    def put(self, path, text):
        target = self.pages / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def target(self, page, link):
        """What a link of a page becomes in the book."""
        if re.match(r"[a-z]+:", link):
            return link
        file = (page.parent / link).resolve()
        if not file.is_relative_to(ROOT) or not file.exists():
            raise SystemExit(f"{page.relative_to(ROOT)} links to {link}, which is not there")
        path = file.relative_to(ROOT)
        if file.suffix in PICTURES:
            (self.pages / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, self.pages / path)
            return link
        if path == Path("include/tern"):
            return link.rstrip("/") + "/README.md"
        if file.is_dir():
            raise SystemExit(f"{page.relative_to(ROOT)} links to the folder {link}; name a file")
        if file.suffix == ".md":
            return link
        if path.parent != Path("include/tern"):
            self.listings.add(path)
        return link + ".md"

    def add_page(self, path):
        page, parts, fenced = ROOT / path, [], False
        for line in page.read_text().splitlines():
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                line = LINK.sub(lambda found: found.group(1) + self.target(page, found.group(2)) +
                                found.group(3), line)
            parts.append(line)
        self.put(path, "\n".join(parts) + "\n")

    def add_listings(self):
        for path in sorted(self.listings):
            language = LANGUAGES.get(path.suffix, "text")
            text = (ROOT / path).read_text()
            fence = "````" if "```" in text else "```"
            self.put(f"{path}.md", f"# {path}\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n")

    def add_reference(self):
        headers = [reference.parse(file.name, file.read_text())
                   for file in sorted((ROOT / "include/tern").glob("*.h*"))]
        index = reference.Index(headers)
        for header in headers:
            self.put(reference.page_of(header), reference.write(header, index))
        self.put("include/tern/README.md", reference.contents(headers))
        return headers


def check_complete(headers):
    """Each exported function of C is on a page of the reference."""
    described = {name for header in headers for name in header.names()}
    exported = set((ROOT / "tests/c_interface/exports.txt").read_text().split())
    if exported - described:
        missing = ", ".join(sorted(exported - described))
        raise SystemExit(f"book: the reference does not describe {missing}")


def listed_pages(title):
    """The pages in one table of docs/README.md."""
    text = (ROOT / "docs/README.md").read_text().split(f"## {title}\n")[1].split("\n## ")[0]
    return [f"docs/{page}" for page in re.findall(r"^\| \[\w+\]\(([\w/]+\.md)\)", text, re.M)]


def navigation(headers):
    def title(path):
        return re.search(r"^# (.*)", (ROOT / path).read_text(), re.M).group(1)

    def pages(name):
        return [{title(path): path} for path in listed_pages(name)]

    def all_of(ending):
        return [{header.name: reference.page_of(header)} for header in headers
                if header.name.endswith(ending)]

    return [{"tern": "README.md"}, {"Use": pages("Use")}, {"Inside": pages("Inside")},
            {"Reference": [{"All names": "include/tern/README.md"}, {"C++": all_of(".hpp")},
                           {"C": all_of(".h")}]},
            {"Project": [{"Contents": "docs/README.md"}, {"Contributing": "CONTRIBUTING.md"},
                         {"Changes": "CHANGELOG.md"}]}]


def configuration(folder, headers):
    return {
        "site_name": "tern",
        "site_description": "Peer-to-peer replication of game objects",
        "docs_dir": str(folder / "pages"),
        "site_dir": str(folder / "site"),
        "nav": navigation(headers),
        # Nothing is loaded from elsewhere.
        "theme": {"name": "material", "font": False, "language": "en",
                  "palette": {"primary": "blue grey", "accent": "blue"},
                  "features": ["navigation.tabs", "navigation.top", "search.highlight"]},
        "markdown_extensions": ["tables", "attr_list", "admonition",
                                {"toc": {"permalink": True, "toc_depth": 3}},
                                {"pymdownx.highlight": {"use_pygments": True}},
                                "pymdownx.superfences"],
        "plugins": ["search"],
        "extra_css": ["book.css"],
    }


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    for part in ("pages", "site"):
        shutil.rmtree(folder / part, ignore_errors=True)
    book = Book(folder)
    for path in ["README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                 *sorted(file.relative_to(ROOT) for file in (ROOT / "docs").rglob("*.md"))]:
        book.add_page(Path(path))
    headers = book.add_reference()
    check_complete(headers)
    book.add_listings()
    shutil.copy(ROOT / "docs/book/book.css", book.pages)
    # JSON is YAML as well.
    settings = folder / "mkdocs.yml"
    settings.write_text(json.dumps(configuration(folder, headers), indent=1))
    mkdocs = ["mkdocs", "build", "--quiet", "--strict", "--config-file", settings]
    if subprocess.run(mkdocs).returncode != 0:
        raise SystemExit("book: mkdocs fails")
    wrong, count = check_links.check(folder / "site")
    for text in wrong:
        print(f"book: {text}", file=sys.stderr)
    if wrong:
        raise SystemExit(1)
    pages = len(list((folder / "site").rglob("*.html")))
    print(f"book: {pages} pages, {count} links: {folder / 'site/index.html'}")


main()
