"""Follows the links of the manual: in the pages of the repository, or in the site that `scripts/site` has built.

Usage: manual_links.py pages PROGRAM OUTPUT
       manual_links.py site FOLDER OUTPUT

PROGRAM: the built server; `PROGRAM-lab` lies beside it. Commands and options in the pages must exist there.
FOLDER: the built site.
OUTPUT: JSON with `wrong`, the failed checks in words, and `done`, the number of checks that passed.

Each of the twenty questions of `docs/questions.json` must be answered at most two links from the index, in both
languages.
"""

import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys

from manual_pages import CHINESE, ROOT, blocks, manual, prose
from served_site import Findings

QUESTIONS = json.loads((ROOT / "docs/questions.json").read_text())
LINK = re.compile(r"\]\(([^)\s]+)\)")
LINKS_MAX = 2
PATIENCE = 60  # seconds for one command


def answers():
    """Each question with the index it begins at and the page and anchor of its answer."""
    for question in QUESTIONS:
        path, anchor = os.path.normpath(os.path.join("docs", question["answer"])).split("#")
        yield question["en"], "docs/README.md", path, anchor
        chinese = path.removesuffix(".md") + CHINESE
        yield question["zh"], "docs/README" + CHINESE, chinese if (ROOT / chinese).is_file() else path, anchor


def within(start, targets):
    """The pages that at most two links lead to."""
    reached, edge = {start}, {start}
    for _ in range(LINKS_MAX):
        edge = {page for one in edge for page in targets(one)} - reached
        reached |= edge
    return reached


# --- the pages of the repository

def anchor_of(heading):
    return "".join("-" if one == " " else one for one in heading.lower() if one in " -_" or one.isalnum())


def anchors(path):
    text = prose(path)
    return {anchor_of(one) for one in re.findall(r"^#+ (.*)$", text, re.M)} | set(re.findall(r'<a id="([^"]+)"', text))


def targets(path):
    if not path.endswith(".md"):
        return set()
    links = [link.split("#")[0] for link in LINK.findall(prose(path)) if "://" not in link]
    places = {os.path.normpath(os.path.join(os.path.dirname(path), link)) for link in links if link}
    return {place for place in places if (ROOT / place).is_file()}


def follow_pages(findings):
    findings.expect(len(QUESTIONS) >= 20, f"there are {len(QUESTIONS)} questions")
    known = {start: within(start, targets) for start in ("docs/README.md", "docs/README" + CHINESE)}
    for words, start, page, anchor in answers():
        findings.expect(words in (ROOT / start).read_text(), f"{start} does not ask: {words}")
        findings.expect(page in known[start], f"{page} is more than two links from {start}: {words}")
        findings.expect((ROOT / page).is_file() and anchor in anchors(page), f"{page} has no anchor {anchor}: {words}")
    for path in manual():
        findings.expect(path in known["docs/README.md"] | known["docs/README" + CHINESE] or path == "CONVENTIONS.md",
                        f"{path} is more than two links from both indexes")


def shown_code(findings):
    """Code that a page takes from a file stands there; Swift is held against the snippets by `scripts/tidy`."""
    def lines(text):
        return "\n".join(line.strip() for line in text.splitlines() if line.strip())
    taken = 0
    for path in manual():
        for block in blocks(path):
            if block.source:
                taken += 1
                findings.expect(lines(block.text) in lines((ROOT / block.source).read_text()),
                                f"{path}: {block.source} has no such code: {block.text[:200]}")
            elif block.language in ("java", "js", "go", "python", "php"):
                findings.expect("// WRONG" in block.text, f"{path}: code without its file: {block.text[:200]}")
    findings.expect(taken >= 8, f"only {taken} pieces of code are taken from files")


def settings(findings):
    """Every key of a configuration in a page is one that the server knows."""
    sources = (ROOT / "Sources/Interfaces/ServerConfiguration").rglob("*.swift")
    names = {name for file in sources for name in re.findall(r'"([a-z0-9_]+)"', file.read_text())}
    for path in manual():
        for block in (one for one in blocks(path) if one.language == "toml"):
            for line in block.text.splitlines():
                key = re.match(r"\[*([a-z0-9_.]+)\]*\s*(=|$|#)", line)
                for name in key[1].split(".") if key else ():
                    findings.expect(name in names, f"{path}: no setting is named {name}: {line}")


def commands(findings, program):
    """Commands in running text exist, with their options."""
    usages = {}

    def usage(command, *words):
        key = (command, *words)
        if key not in usages:
            told = subprocess.run([command, *words, "--help"], capture_output=True, text=True, timeout=PATIENCE,
                                  env=os.environ | {"LANG": "C.UTF-8"})
            usages[key] = told.stdout if told.returncode == 0 else ""
        return usages[key]

    made = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for path in (one for one in manual() if one != "CHANGELOG.md"):  # which also tells of commands that are gone
        for span in re.findall(r"`([^`\n]+)`", prose(path)):
            words = span.split()
            if words[0] == "make" and len(words) > 1 and words[1] != "errors":
                findings.expect(words[1] in made, f"{path}: there is no target {span}")
            if words[0] not in ("counterfoil", "counterfoil-lab") or len(words) < 2 or not re.match(r"[a-z]", words[1]):
                continue
            command = program + words[0].removeprefix("counterfoil")
            named = [word for word in words[1:] if re.fullmatch(r"[a-z-]+", word)]
            found = next((text for text in (usage(command, *named[:2]), usage(command, *named[:1])) if text), "")
            findings.expect(found, f"{path}: there is no command {span}")
            for option in (word.split("=")[0] for word in words if word.startswith("--") and word != "--help"):
                findings.expect(option in found, f"{path}: {span} has no option {option}")


# --- the built site

class Document(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.assets, self.language = set(), [], [], ""
        self.depth = 0  # inside of the page's own text
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "html":
            self.language = given.get("lang", "")
        if tag == "article":
            self.depth += 1
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append((given["href"], self.depth > 0))
        if tag in ("script", "img", "iframe") and given.get("src"):
            self.assets.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.assets.append(given["href"])

    def handle_endtag(self, tag):
        if tag == "article":
            self.depth -= 1


def page_in_site(path):
    place = path.removeprefix("docs/") if path.startswith("docs/") else "repository/" + path
    folder, name = os.path.split(place)
    return os.path.join(folder, "index.html" if name == "README.md" else name.removesuffix(".md") + ".html")


def follow_site(findings, folder):
    # Its links begin at the root of whatever serves it.
    files = [file for file in sorted(folder.rglob("*.html")) if file.name != "404.html"]
    pages = {str(file.relative_to(folder)): Document(file.read_text()) for file in files}

    def goes(page, href):
        path, _, anchor = href.partition("#")
        return os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page, anchor

    for name, page in pages.items():
        for asset in page.assets:
            findings.expect("//" not in asset and (folder / goes(name, asset)[0]).is_file(), f"{name} loads {asset}")
        for href, _ in page.links:
            if "://" in href or href.startswith(("mailto:", "javascript:")):
                continue
            target, anchor = goes(name, href)
            is_there = target in pages and (not anchor or anchor in pages[target].ids) or target not in pages and (
                (folder / target).exists())
            findings.expect(is_there, f"{name} links to {href}, which is not there")
        findings.expect(name.endswith(".zh-CN.html") == page.language.startswith("zh"),
                        f"{name} says that its language is {page.language}")
    own = {name: {goes(name, href)[0] for href, inside in page.links if inside and "://" not in href}
           for name, page in pages.items()}
    for words, start, page, anchor in answers():
        target = page_in_site(page)
        findings.expect(target in within(page_in_site(start), lambda one: own.get(one, ())),
                        f"{target} is more than two links from its index: {words}")
        findings.expect(target in pages and anchor in pages[target].ids, f"{target} has no anchor {anchor}: {words}")
    rules = (folder / "specification/http.html").read_text()
    findings.expect('<ol start="8"' in rules, "the rules of the specification have lost their numbers")
    index = json.loads((folder / "search/search_index.json").read_text())
    text = "".join(one["text"] for one in index["docs"])
    findings.expect(index["config"]["lang"] == ["en", "zh"], "the search does not know both languages")
    findings.expect("\u200b商户\u200b" in text, "Chinese text is not divided into words")


def main(what, place, output):
    findings = Findings()
    if what == "site":
        follow_site(findings, pathlib.Path(place))
    else:
        follow_pages(findings)
        shown_code(findings)
        settings(findings)
        commands(findings, place)
    pathlib.Path(output).write_text(json.dumps({"wrong": findings.wrong, "done": findings.done}, ensure_ascii=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
