"""Holds the recorded messages of the Flutter plug-in against the format of Flutter's standard codec.

Usage: flutter_golden.py GOLDEN [--write]

Each message of GOLDEN has a value and its bytes. With --write the bytes are made from the values; otherwise a
difference ends with 1. The format is that of `StandardMethodCodec`: a third implementation, beside Flutter's own in
`test/golden_test.dart` and the stand-in in Java.
"""

import json
import pathlib
import struct
import sys

NULL, TRUE, FALSE, INT32, INT64, STRING, LIST, MAP = 0, 1, 2, 3, 4, 7, 12, 13


def size(number):
    if number < 254:
        return bytes([number])
    return b"\xfe" + struct.pack("<H", number)


def encoded(value):
    if value is None:
        return bytes([NULL])
    if isinstance(value, bool):
        return bytes([TRUE if value else FALSE])
    if isinstance(value, int):
        is_short = -(1 << 31) <= value < 1 << 31
        return bytes([INT32 if is_short else INT64]) + struct.pack("<i" if is_short else "<q", value)
    if isinstance(value, str):
        text = value.encode()
        return bytes([STRING]) + size(len(text)) + text
    if isinstance(value, list):
        return bytes([LIST]) + size(len(value)) + b"".join(map(encoded, value))
    return bytes([MAP]) + size(len(value)) + b"".join(encoded(key) + encoded(one) for key, one in value.items())


def message(one):
    if one["kind"] == "call":
        return encoded(one["method"]) + encoded(one["value"])
    if one["kind"] == "success":
        return b"\0" + encoded(one["value"])
    return b"\1" + b"".join(map(encoded, (one["code"], one["message"], one["value"])))


def main(golden, *options):
    path = pathlib.Path(golden)
    messages = json.loads(path.read_text())["messages"]
    wrong = []
    for one in messages:
        should = message(one).hex()
        if one.get("bytes") != should:
            wrong.append(one["name"])
            one["bytes"] = should
    if "--write" in options:
        lines = ",\n".join("  " + json.dumps(one, ensure_ascii=False) for one in messages)
        path.write_text('{"messages": [\n' + lines + "\n]}\n")
    elif wrong:
        sys.exit("other bytes than the codec's: " + ", ".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
