"""Compiles `Clients/android` and the Android half of `Clients/flutter` with the Kotlin compiler of
`kotlin-jupyter-kernel`, which `scripts/python-for-tests` installs.

The core is compiled first and alone: it uses no class of Android. The rest is compiled against stand-ins of Android's,
WeChat's and Flutter's classes, in Java. What was compiled from the same sources is not compiled again.
"""

import glob
import hashlib
import pathlib
import shutil
import subprocess
import zipfile

PACKAGE = pathlib.Path(__file__).parents[2]
ANDROID = PACKAGE / "Clients/android"
PLUGIN = PACKAGE / "Clients/flutter/android/src/main/kotlin"
LIBRARIES = ("kotlin-jupyter-kernel-*-all", "kotlin-stdlib-[0-9]*", "kotlinx-serialization-core-jvm-*",
             "kotlinx-serialization-json-jvm-*", "annotations-*")


def jars():
    found = glob.glob(str(PACKAGE / ".build/python/lib/python*/site-packages/run_kotlin_kernel/jars/*.jar"))
    if not found:
        raise RuntimeError("the Kotlin compiler is absent: scripts/python-for-tests installs it")
    return sorted(found)


def libraries():
    """The libraries that the app's sources may use, out of what the wheel carries."""
    return [jar for jar in jars() if any(pathlib.Path(jar).match(name + ".jar") for name in LIBRARIES)]


def sources():
    return sorted([*ANDROID.glob("src/**/*.kt"), *ANDROID.glob("src/**/*.java"), *PLUGIN.glob("**/*.kt"),
                   PACKAGE / "Clients/messages.json", pathlib.Path(__file__)])


def compile_kotlin(java, classes, places, class_path, friends=None):
    options = ["-no-stdlib", "-no-reflect", "-Werror", "-jvm-target", "17", "-cp", ":".join(class_path), "-d", classes]
    if friends:
        options.append(f"-Xfriend-paths={friends}")
    ended = subprocess.run(
        [java, "-Xmx1500m", "-XX:TieredStopAtLevel=1", "-cp", ":".join(jars()),
         "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler", *options, *map(str, places)], capture_output=True, text=True)
    if ended.returncode != 0:
        raise RuntimeError("Kotlin: " + ended.stderr[-4000:])


def built(java, javac):
    """The class path of the compiled tests."""
    state = hashlib.sha256()
    for file in sources():
        state.update(str(file.relative_to(PACKAGE)).encode() + b"\0" + file.read_bytes())
    place = PACKAGE / ".build/kotlin" / state.hexdigest()[:16]
    parts = [str(place / name) for name in ("core", "standins", "tests", "resources")]
    class_path = [*parts, *libraries()]
    if (place / "whole").exists():
        return class_path
    shutil.rmtree(place.parent, ignore_errors=True)
    core, standins, tests, resources = parts
    (pathlib.Path(resources) / "counterfoil").mkdir(parents=True)
    shutil.copy(PACKAGE / "Clients/messages.json", pathlib.Path(resources) / "counterfoil/messages.json")
    main = ANDROID / "src/main/kotlin/counterfoil"
    compile_kotlin(java, core, [main / "core"], libraries())
    subprocess.run([javac, "-Xlint:all", "-Werror", "-d", standins,
                    *map(str, ANDROID.glob("src/test/standins/**/*.java"))], check=True)
    compile_kotlin(java, tests, [main / "android", PLUGIN, ANDROID / "src/test/kotlin"],
                   [core, standins, *libraries()], friends=core)
    # Written last: a broken compilation is never taken for whole.
    (place / "whole").touch()
    return class_path


def version(jar):
    """The Kotlin compiler's own version."""
    with zipfile.ZipFile(jar) as archive:
        return archive.read("META-INF/compiler.version").decode().strip()
