import Testing

extension Scripts {
  /// `scripts/bootstrap` against stubs of the tools that install: what it says and how it ends when something is amiss.
  @Suite struct `The bootstrap script` {
    /// A Debian on which everything is installed that dpkg-query is asked for, and Swift 6.3.
    private let debian = [
      "uname": "echo Linux", "id": "echo 0", "apt-get": "exit 100", "apt-cache": "exit 0",
      "dpkg-query": "for name in \"$@\"; do printf '%s:installed ' \"$name\"; done",
      "swift": "echo 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'",
    ]

    /// Says that one package is missing until apt-get has been called.
    private func lacking(_ package: String) -> [String: String] {
      var stubs = debian
      stubs["dpkg-query"] = """
        for name in "$@"; do
          [ "$name" = \(package) ] && [ ! -f installed ] || printf '%s:installed ' "$name"
        done
        """
      return stubs
    }

    private func run(_ stubs: [String: String], _ arguments: [String] = []) throws -> (code: Int32, output: String) {
      let sandbox = try Sandbox(stubs: stubs)
      defer { sandbox.remove() }
      return try sandbox.run("scripts/bootstrap", arguments)
    }

    @Test func `says what root must do where neither root nor sudo is at hand`() throws {
      let result = try run(lacking("libssl-dev").merging(["id": "echo 1000"]) { $1 })
      #expect(result.code == 1)
      #expect(result.output.contains("only root can install them: libssl-dev"))
      #expect(result.output.contains("apt-get install --no-install-recommends libssl-dev"))
    }

    @Test func `fails when sudo refuses`() throws {
      let result = try run(lacking("libssl-dev").merging(["id": "echo 1000", "sudo": "exit 1"]) { $1 })
      #expect(result.code == 1)
      #expect(result.output.contains("as root: apt-get update"))
    }

    @Test func `fails when apt-get cannot install, as without a network`() throws {
      let result = try run(lacking("libssl-dev").merging(["apt-get": "[ \"$1\" = update ]"]) { $1 })
      #expect(result.code == 1)
      #expect(result.output.contains("apt-get could not install: libssl-dev"))
    }

    @Test func `fails when a package is still missing after apt-get said that all went well`() throws {
      let result = try run(lacking("libssl-dev").merging(["apt-get": "exit 0"]) { $1 })
      #expect(result.code == 1)
      #expect(result.output.contains("still missing after apt-get: libssl-dev"))
    }

    @Test func `installs what is missing and nothing else, and removes nothing`() throws {
      let sandbox = try Sandbox(
        stubs: lacking("libssl-dev").merging(["apt-get": "echo \"$@\" >>calls; : >installed"]) { $1 })
      defer { sandbox.remove() }
      let result = try sandbox.run("scripts/bootstrap")
      // Where this machine has no Boost, it is asked for, too.
      let calls = sandbox.text("calls")
      #expect(result.code == 0 || calls.contains("libboost"))
      #expect(calls.contains("--no-remove --no-install-recommends libssl-dev"))
      #expect(!calls.contains("libcurl"))
    }

    @Test func `asks for what tests need only when tests are to be run`() throws {
      let needed = try run(lacking("python3-venv"), ["--for-tests"])
      let not = try run(lacking("python3-venv"))
      #expect(needed.output.contains("installing: python3-venv"))
      #expect(!not.output.contains("python3-venv"))
    }

    @Test func `asks for a browser only when all is to be checked, and goes on without one`() throws {
      let sandbox = try Sandbox(stubs: lacking("chromium").merging(["python3": "exit 1"]) { $1 })
      defer { sandbox.remove() }
      let checked = try sandbox.run("scripts/bootstrap", ["--for-check"])
      #expect(checked.output.contains("installing: chromium"))
      #expect(checked.output.contains("without a browser the test of the cashier's pages is skipped"))
      #expect(!checked.output.contains("chromium-driver"))
      #expect(!sandbox.text(".build/environment").isEmpty, "it went on")
      #expect(try !run(lacking("chromium"), ["--for-tests"]).output.contains("chromium"))
    }

    @Test func `asks for reverse proxies only when all is to be checked, and goes on without one`() throws {
      let checked = try run(lacking("haproxy").merging(["python3": "exit 1"]) { $1 }, ["--for-check"])
      #expect(checked.output.contains("installing: haproxy"))
      #expect(checked.output.contains("without a proxy the test of its configuration is skipped"))
      #expect(try !run(lacking("haproxy"), ["--for-tests"]).output.contains("haproxy"))
    }

    @Test(.enabled(if: Machine.hasDebianBoost, "elsewhere the script looks for Boost by other means"))
    func `is silent when nothing is missing`() throws {
      let result = try run(debian)
      #expect(result.code == 0)
      #expect(result.output == "")
    }

    @Test(
      .enabled(if: Machine.hasDebianBoost, "elsewhere the script looks for Boost by other means"),
      arguments: [
        (nil, "there is no Swift toolchain"), ("echo 'Swift version 6.1.2'", "this is Swift 6.1; 6.2 or later"),
        ("echo 'Apple Swift version 5.10'", "this is Swift 5.10"),
        ("echo 'libncurses.so.6: not found'; exit 127", "does not start"),
        ("echo 'nonsense'", "of an unknown version"),
      ] as [(String?, String)])
    func `names the toolchain that is needed where there is none, or one that will not do`(
      swift: String?, words: String
    )
      throws
    {
      var stubs = debian
      stubs["swift"] = swift
      let result = try run(stubs)
      #expect(result.code == 4)
      #expect(result.output.contains(words))
      #expect(result.output.contains("https://www.swift.org/install/"))
    }

    @Test func `says all that is missing on a system where it installs nothing`() throws {
      let result = try run(["uname": "echo Plan9", "swift": "echo 'Swift version 6.3.1'"], ["--for-tests"])
      #expect(result.code == 3)
      for need in [
        "git", "make", "OpenSSL 3", "SQLite", "libcurl", "Boost 1.81", "toml++", "openssl command line", "Python 3",
        "Node.js", "JDK",
      ] {
        #expect(result.output.contains(need), "\(need)")
      }
    }

    @Test func `installs by Homebrew on macOS, and says where headers lie`() throws {
      let sandbox = try Sandbox(stubs: [
        "uname": "echo Darwin", "xcode-select": "exit 0", "swift": "echo 'Apple Swift version 6.2 (swiftlang)'",
        "brew": """
        if [ "$1" = --prefix ]; then echo "$PWD/brew"; exit; fi
        echo "$@" >>calls
        shift
        for formula in "$@"; do mkdir -p "brew/opt/$formula"; done
        """,
      ])
      defer { sandbox.remove() }
      #expect(try sandbox.run("scripts/bootstrap").code == 0)
      #expect(sandbox.text("calls") == "install boost curl libpq openssl@3 pkgconf sqlite tomlplusplus zlib\n")
      #expect(sandbox.text(".build/environment").contains("export CPATH="))
      #expect(sandbox.text(".build/environment").contains("opt/openssl@3/lib/pkgconfig"))
      let second = try sandbox.run("scripts/bootstrap")
      #expect(second.code == 0)
      #expect(second.output == "")
      #expect(sandbox.text("calls").split(separator: "\n").count == 1)
    }

    @Test func `refuses words that it does not know`() throws {
      let result = try run(debian, ["--fortests"])
      #expect(result.code == 2)
      #expect(result.output.contains("usage:"))
    }
  }

  /// `scripts/python-for-tests` against a stub of Python.
  @Suite struct `The script for Python packages` {
    private let python = """
      case "$*" in
        "-m venv .build/python") mkdir -p .build/python/bin; printf '#!/bin/sh\\nexit 1\\n' >.build/python/bin/python
          chmod +x .build/python/bin/python ;;
        *) exit 1 ;;
      esac
      """

    @Test func `fails when pip cannot install, and does not take the broken environment for whole`() throws {
      let sandbox = try Sandbox(stubs: ["python3": python, "cp": "exit 1"])
      defer { sandbox.remove() }
      for _ in 0..<2 {
        let result = try sandbox.run("scripts/python-for-tests")
        #expect(result.code == 1)
        #expect(result.output.contains("pip could not install"))
      }
    }

    @Test func `fails when no environment can be made`() throws {
      let sandbox = try Sandbox(stubs: ["python3": "exit 1"])
      defer { sandbox.remove() }
      let result = try sandbox.run("scripts/python-for-tests")
      #expect(result.code == 1)
      #expect(result.output.contains("no virtual environment could be made"))
    }
  }
}
