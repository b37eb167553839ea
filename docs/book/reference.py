"""Makes pages of the public headers: each declaration with the comment above it.

The headers keep to a few forms, which this relies on: a comment above a group of declarations
describes all of it, an empty line ends the group, and `// --- Title ---` begins a section.
"""
import re

SECTION = re.compile(r"// --- (.*?)(?: ---)?$")
SKIPPED = re.compile(r"^(namespace\b.*\{|extern \"C\" \{|\}|TERN_TWINS\()")
MACRO = re.compile(r"#define (TERN_(?!API)[A-Z_]+\b(?:\([^)]*\))?)(.*)")
TYPE = re.compile(r"\b(?:struct|enum class|enum|union|class|concept)\s+(?:TERN_API\s+)?(\w+)")
VALUE = re.compile(r"(\w+)\s*(?:=|\{)")
ALIAS = re.compile(r"^using (\w+) =")
FUNCTION = re.compile(r"(operator[^\s(]+|\w+)\s*\(")


class Group:
    def __init__(self, text):
        self.text = text          # Lines of the comment, without the slashes.
        self.declarations = []    # Strings of code.
        self.names = []


class Header:
    def __init__(self, name):
        self.name = name          # "tern.hpp".
        self.intro = []           # Lines.
        self.parts = []           # ("section", title), ("text", lines) or ("group", Group).

    def names(self):
        return [name for kind, part in self.parts if kind == "group" for name in part.names]


def depth_changes(line):
    code = re.sub(r"//.*|\"[^\"]*\"|'.'", "", line)
    return (code.count("{") - code.count("}"), code.count("(") - code.count(")"))


def without_body(code):
    """A function without its body; anything else as it is."""
    if TYPE.match(re.sub(r"^(template\s*<.*?>\s*|typedef\s+)", "", code, flags=re.S)):
        return code
    parens = 0
    for at, letter in enumerate(code):
        parens += (letter == "(") - (letter == ")")
        if letter == "{" and parens == 0 and ")" in code[:at]:
            return code[:at].rstrip() + ";"
    return code


def shown(code):
    """A declaration as a reader wants it: where its code lies does not matter to a caller."""
    begin = r"^((?:template <.*?>\s*)?)(\[\[nodiscard\]\] )?(?:TERN_API |inline (?!constexpr))"
    return re.sub(begin, r"\1\2", without_body(code), flags=re.S)


def name_of(code):
    plain = re.sub(r"//.*", "", code)
    plain = re.sub(r"\[\[\w+\]\]|\b(TERN_API|inline|constexpr|static)\b", "", plain).strip()
    plain = re.sub(r"^template\s*<.*?>\s*", "", plain, flags=re.S)
    plain = re.sub(r"^typedef\s+", "", plain)
    for pattern in (ALIAS, TYPE):
        found = pattern.match(plain)
        if found:
            return found.group(1)
    found = FUNCTION.search(plain)
    value = VALUE.search(plain)
    if found and not (value and value.start() < found.start()):
        return found.group(1)
    if value:
        return value.group(1)
    found = re.search(r"(\w+);?$", plain)
    return found.group(1) if found else None


def declarations(lines):
    """Yields ("comment", text), ("blank", ""), ("macro", text) and ("code", text)."""
    pending, braces, parens, skipping = [], 0, 0, False
    for line in lines:
        if skipping or (line.startswith("#") and not pending):
            macro = MACRO.match(line)
            if macro and not skipping: # A reader uses the parameters, or else the value.
                with_value = "(" not in macro.group(1) and not line.endswith("\\")
                yield "macro", line if with_value else f"#define {macro.group(1)}"
            skipping = line.endswith("\\")
            continue
        if not pending and line.startswith("//"):
            yield "comment", line
        elif not pending and not line.strip():
            yield "blank", ""
        elif not pending and SKIPPED.match(line):
            continue
        else:
            pending.append(line)
            opened = depth_changes(line)
            braces, parens = braces + opened[0], parens + opened[1]
            code = re.sub(r"\s*//.*", "", line)
            if braces == 0 and parens == 0 and code.endswith((";", "}")):
                yield "code", "\n".join(pending)
                pending = []
    if pending:
        raise ValueError(f"a declaration does not end: {pending[0]}")


def parse(name, text):
    header, group, comment = Header(name), None, []
    lines = text.splitlines()
    while lines and lines[0].startswith("//"):
        header.intro.append(lines.pop(0)[3:])
    for kind, code in declarations(lines):
        if kind in ("comment", "blank"):
            group = None
            section = SECTION.match(code)
            if section:
                header.parts.append(("section", section.group(1)))
            elif kind == "comment":
                comment.append(code[3:])
            elif comment:
                header.parts.append(("text", comment))
                comment = []
            continue
        if code.startswith("static_assert"):
            continue
        if group is None:
            group, comment = Group(comment), []
            header.parts.append(("group", group))
        group.declarations.append(shown(code))
        named = re.match(r"#define (\w+)", code).group(1) if kind == "macro" else name_of(code)
        if named and named not in group.names:
            group.names.append(named)
    return header


def page_of(header):
    return f"include/tern/{header.name}.md"


class Index:
    """Which page describes a name."""

    def __init__(self, headers):
        self.pages = {}
        for header in headers:
            for name in header.names():
                self.pages.setdefault(name, {})[header.name] = f"{header.name}.md#{name}"

    def link(self, word, header):
        pages = self.pages.get(word)
        if not pages:
            return None
        # C++ is described beside C++, and C beside C.
        alike = [page for name, page in pages.items()
                 if name.endswith(".hpp") == header.name.endswith(".hpp")]
        if header.name in pages:
            return pages[header.name]
        return (alike or list(pages.values()))[0]


def prose(lines, header, index):
    """The text of a comment in Markdown, with links to what it names."""
    text = re.sub(r"([*<\[\]_])", r"\\\1", "\n".join(lines))

    def link(found):
        word = found.group(0).replace("\\", "")
        name = word.removesuffix("()")
        if "docs/" in word:
            return f"[{word}](../../{word})"
        target = index.link(name, header)
        is_code = word.endswith("()") or "_" in name or name[:1].isupper()
        return f"[`{word}`]({target})" if target and is_code else found.group(0)

    return re.sub(r"docs/[\w/\\]+\.md|[A-Za-z](?:\w|\\_)+(?:\(\))?", link, text)


def write(header, index):
    language = "cpp" if header.name.endswith(".hpp") else "c"
    out = [f"# {header.name}", "", prose(header.intro, header, index), "",
           f"```{language}", f"#include <tern/{header.name}>", "```", ""]
    seen = set()
    for kind, part in header.parts:
        if kind == "section":
            out += [f"## {part[0].upper() + part[1:]}", ""]
        elif kind == "text":
            out += [prose(part, header, index), ""]
        else:
            fresh = [name for name in part.names if name not in seen]
            if fresh: # Overloads that stand apart have one heading.
                out += ["### " + ", ".join(fresh) + f" {{ #{fresh[0]} }}", ""]
                out += [f'<a id="{name}"></a>' for name in fresh[1:]]
            seen.update(fresh)
            if part.text:
                out += [prose(part.text, header, index), ""]
            out += [f"```{language}", *part.declarations, "```", ""]
    return "\n".join(out)


def contents(headers):
    """The page of all headers, with each name."""
    out = ["# Reference", "",
           "These pages are made from the public headers, which a game includes.", ""]
    for title, ending in (("C++", ".hpp"), ("C", ".h")):
        out += [f"## {title}", "", "| header | what it declares |", "|---|---|"]
        for header in headers:
            if not header.name.endswith(ending):
                continue
            names = " ".join(f"[`{name}`]({header.name}.md#{name})"
                             for name in sorted(set(header.names()), key=str.lower))
            out.append(f"| [{header.name}]({header.name}.md) | {names} |")
        out.append("")
    return "\n".join(out)
