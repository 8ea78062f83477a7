"""Reads YAML files and writes them as one JSON object by their names.

usage: read_yaml.py FILE... OUTPUT
"""

import json
import os
import sys

import yaml


def main():
    contents = {}
    for path in sys.argv[1:-1]:
        with open(path, encoding="utf-8") as file:
            contents[os.path.basename(path)] = yaml.safe_load(file)
    with open(sys.argv[-1], "w", encoding="utf-8") as output:
        json.dump(contents, output)


if __name__ == "__main__":
    main()
