"""Parses the Dart files of `Clients/flutter` with a grammar, and holds their channel messages against the recorded ones.

Usage: dart_parse.py FOLDER OUTPUT

There is no Dart SDK here. The grammar (tree-sitter) finds what is no Dart; it knows no types. Beyond it: each call that
Dart makes has a recorded message with the same arguments, each member that Dart reads is in a recorded reply, and
`Fulfilled` is made for the word `fulfilled` alone.

OUTPUT: JSON with the numbers, and `wrong`: what failed, in words.
"""

import json
import pathlib
import re
import sys

import tree_sitter
import tree_sitter_dart

PACKAGE = pathlib.Path(__file__).parents[2]
FLUTTER = PACKAGE / "Clients/flutter"
NOT_SENT = ("userToken", "listen", "fly")  # the platform's half sends the first, Flutter the second, nobody the third
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_dart.language()))


def faults(node):
    if node.is_error or node.is_missing:
        yield node
    for child in node.children:
        yield from faults(child)


def parsed(text, name):
    """The faults of a text, in words."""
    tree = PARSER.parse(text.encode())
    return [f"{name}:{node.start_point[0] + 1}: {node.type}: {node.text.decode()[:60]!r}"
            for node in faults(tree.root_node)]


def members(value):
    if isinstance(value, dict):
        return set(value).union(*map(members, value.values()))
    if isinstance(value, list):
        return set().union(*map(members, value))
    return set()


def compared(text, golden):
    """Compares the calls and the reads of the Dart half with the recorded messages."""
    wrong = []
    recorded = {}
    for one in golden:
        if one["kind"] == "call" and not one["name"].startswith("bad ") and one["method"] not in NOT_SENT:
            recorded.setdefault(one["method"], set()).update(members(one["value"]))
    sent = {}
    for method, rest in re.findall(r"_call<[^(]*>\('(\w+)'((?:[^;]|\n)*?);", text):
        sent[method] = set(re.findall(r"'(\w+)':", rest))
    if sent != recorded:
        wrong.append(f"sent {sorted(sent.items())}, recorded {sorted(recorded.items())}")
    told = set().union(*(members(one["value"]) for one in golden if one["kind"] != "call"))
    read = set(re.findall(r"(?:value|details)\['(\w+)'\]", text))
    # A newer platform half may send the first; the second comes with an entitlement that the team gave.
    unknown = read - told - {"serverCode", "source"}
    if unknown:
        wrong.append(f"Dart reads what no recorded message has: {sorted(unknown)}")
    unread = told - read - {"recovered"} if "recovered" in read else told - read
    if unread:
        wrong.append(f"Dart does not read {sorted(unread)}")
    asked = set(re.findall(r"asked\['(\w+)'\]", text))
    if asked != {"user", "wasRefused"}:
        wrong.append(f"for a token Dart reads {sorted(asked)}")
    return wrong


def bought(text):
    """`Fulfilled` is made in one place: for the word `fulfilled`."""
    made = re.findall(r"(\S+) => Fulfilled\(", text)
    # The other is its constructor.
    return [] if made == ["'fulfilled'"] and text.count("Fulfilled(") == 2 else [f"bought for {made}"]


def main(folder, output):
    golden = json.loads((FLUTTER / "test/golden.json").read_text())["messages"]
    files = sorted(path for path in FLUTTER.glob("**/*.dart"))
    wrong = []
    for path in files:
        wrong += parsed(path.read_text(), str(path.relative_to(FLUTTER)))
    text = "\n".join(path.read_text() for path in sorted((FLUTTER / "lib").glob("**/*.dart")))
    wrong += compared(text, golden) + bought(text)
    pathlib.Path(output).write_text(json.dumps({"files": len(files), "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
