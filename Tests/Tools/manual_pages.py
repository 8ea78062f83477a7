"""The pages of the manual, and what stands in them: blocks of code, links, anchors."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHINESE = ".zh-CN.md"


@dataclasses.dataclass
class Block:
    language: str
    text: str
    source: str  # the file that a comment before it names, or nothing


def manual():
    """Paths of the pages for readers: not the decisions, the specification, and the generated pages."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("Examples/*/README.md")]
    return sorted(str(page.relative_to(ROOT)) for page in pages)


def english_of(path):
    return path.removesuffix(CHINESE) + ".md" if path.endswith(CHINESE) else path


def blocks(path):
    found = re.finditer(r"(?:^<!-- from: (\S+) -->\n)?^```(\w*)\n(.*?)^```$", (ROOT / path).read_text(), re.M | re.S)
    return [Block(one[2], one[3], one[1] or "") for one in found]


def without_comments(text):
    """Commands without their comments, which are in the page's language."""
    lines = [re.sub(r"(^|\s+)#.*", "", line).rstrip() for line in text.splitlines()]
    return [line for line in lines if line]


def prose(path):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", (ROOT / path).read_text(), flags=re.M | re.S)
