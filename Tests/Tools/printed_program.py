"""Programs that `counterfoil receiver code` prints: written to a folder, compiled, started and killed."""

import os
import subprocess
import sys

PATIENCE = 240  # seconds for one compiler on a busy machine


def run(folder, *arguments, **environment):
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=PATIENCE, cwd=folder,
                          env=os.environ | environment)
    if done.returncode != 0:
        raise RuntimeError(f"{arguments[0]}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def start_command(text, language, folder, java_class, php_arguments):
    """Writes the file, compiles it if the language needs that, and says how it is started."""
    endings = {"node": "mjs", "python": "py", "php": "php", "ruby": "rb", "go": "go"}
    names = {"java": f"{java_class}.java", "swift": "main.swift"}
    name = names.get(language) or f"printed.{endings[language]}"
    (folder / name).write_text(text)
    match language:
        case "java":
            run(folder, "javac", name)
            return ["java", java_class]
        case "go":
            run(folder, "go", "build", "-o", "made", name, GO111MODULE="off", GOCACHE=str(folder / "cache"))
            return ["./made"]
        case "swift":
            run(folder, "swiftc", "-swift-version", "5", name, "-o", "made")
            return ["./made"]
        case "php":
            return ["php", *php_arguments, name]
        case "python":
            return [sys.executable, "-B", name]
        case "node" | "ruby":
            return [language, name]


class PrintedProgram:
    """The process; it is killed, never asked to end."""

    def __init__(self, command, folder, environment):
        self.command, self.folder, self.environment = command, folder, environment
        self.process = None

    def start(self):
        with open(self.folder / "said.txt", "ab") as said:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=said, stderr=said)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def said(self):
        return (self.folder / "said.txt").read_text()[-2000:]
