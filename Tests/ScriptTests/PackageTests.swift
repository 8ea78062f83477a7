import Foundation
import TestSubprocess
import Testing

extension Scripts {
  /// `scripts/package`, with small programs in place of the built ones: they hand their arguments on to these.
  @Suite struct `The Debian packages` {
    private static let tools = ["chrpath", "dpkg-deb", "dpkg-shlibdeps", "objcopy", "gcc", "git", "python3"]
    private static let arePossible = tools.allSatisfy { onPath($0) != nil }
    private static let absent: Comment = "tools are absent: scripts/bootstrap --for-package installs them"

    private static func onPath(_ name: String) -> String? {
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func run(
      _ program: String, _ arguments: [String], variables: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
      let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
      let process = try OtherProgram(
        "/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", program] + arguments, environment: environment)
      return (process.end(), process.output)
    }

    private static let script = Machine.repository.appending(path: "scripts/package").path

    /// A folder with both programs, each a few kilobytes.
    private static func programs(in folder: URL) throws -> String {
      let place = folder.appending(path: "programs")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      for name in ["counterfoil", "counterfoil-lab"] {
        let source = place.appending(path: name + ".c")
        let text = """
          #include <unistd.h>
          int main(int count, char **words) { return count < 0 || execv("\(built.appending(path: name).path)", words); }
          """
        try Data(text.utf8).write(to: source)
        let compiled = try run(
          "gcc",
          [
            "-g", "-O2", "-pie", "-fPIE", "-D_FORTIFY_SOURCE=2", "-Wl,--build-id=sha1,-z,relro,-z,now,-rpath,$ORIGIN",
            "-o", place.appending(path: name).path, source.path,
          ])
        #expect(compiled.code == 0, "\(compiled.output)")
      }
      return place.path
    }

    private func withPackages(_ body: (_ programs: String, _ folder: URL) throws -> Void) throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-package-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try body(Self.programs(in: folder), folder)
    }

    private func pack(
      _ programs: String, _ target: URL, variables: [String: String] = ["SOURCE_DATE_EPOCH": "1790000000"]
    ) throws -> [String: String] {
      let packed = try Self.run(Self.script, ["pack", programs, target.path], variables: variables)
      #expect(packed.code == 0, "\(packed.output)")
      let sums = try String(contentsOf: target.appending(path: "SHA256SUMS"), encoding: .utf8)
      return Dictionary(
        uniqueKeysWithValues: sums.split(separator: "\n").map { line in
          let words = line.split(separator: " ").map(String.init)
          return (words[1], words[0])
        })
    }

    @Test(arguments: [["pack"], ["pack", "a"], ["unpack", "a"], ["check"], ["pack", "a", "b", "1", "2"]])
    func `refuse words that are not understood`(words: [String]) throws {
      let refused = try Self.run(Self.script, words)
      #expect(refused.code == 2 && refused.output.contains("usage:"), "\(refused.output)")
    }

    @Test(
      .enabled(if: arePossible, absent),
      arguments: [
        "Somebody", "Somebody somebody@example.com", "Somebody <>", "Somebody <a@b>", "A <a@b.example>\nB: c",
      ])
    func `refuse a maintainer that is no name with an address`(maintainer: String) throws {
      let refused = try Self.run(
        Self.script, ["check", "/nowhere"], variables: ["COUNTERFOIL_MAINTAINER": maintainer])
      #expect(refused.code == 2 && refused.output.contains("ops/debian/maintainer"), "\(refused.output)")
    }

    @Test(.enabled(if: arePossible, absent), .timeLimit(.minutes(5)))
    func `name the maintainer that is configured, and say when that is a stand-in`() throws {
      try withPackages { programs, folder in
        let stated = "The team <team@example.com>"
        for (maintainer, folderName) in [(stated, "stated"), (nil, "standard")] {
          var variables = ["SOURCE_DATE_EPOCH": "1790000000"]
          variables["COUNTERFOIL_MAINTAINER"] = maintainer
          let target = folder.appending(path: folderName)
          let packed = try Self.run(Self.script, ["pack", programs, target.path], variables: variables)
          #expect(packed.code == 0 && packed.output.contains("stand-in") == (maintainer == nil), "\(packed.output)")
          let file = Machine.repository.appending(path: "ops/debian/maintainer")
          let expected = try maintainer ?? String(contentsOf: file, encoding: .utf8).split(separator: "\n").joined()
          let names = try FileManager.default.contentsOfDirectory(atPath: target.path).filter { $0.hasSuffix(".deb") }
          #expect(names.count == 4)
          for name in names {
            let field = try Self.run("dpkg-deb", ["--field", target.appending(path: name).path, "Maintainer"]).output
            #expect(field == expected + "\n", "\(name): \(field)")
          }
        }
      }
    }

    @Test(.enabled(if: arePossible, absent), .timeLimit(.minutes(5)))
    func `are the same to the last byte whenever and wherever they are packed`() throws {
      try withPackages { programs, folder in
        let other = folder.appending(path: "elsewhere")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let first = try pack(programs, folder.appending(path: "first"))
        let second = try pack(
          programs, folder.appending(path: "second"),
          variables: [
            "SOURCE_DATE_EPOCH": "1790000000", "TMPDIR": other.path, "TZ": "Asia/Shanghai", "LC_ALL": "C.UTF-8",
            "USER": "somebody", "HOME": other.path,
          ])
        #expect(first == second && first.count == 5)
        #expect(Set(first.keys.map { $0.prefix { $0 != "_" } }).count == 5)
        // The time of another commit is another package.
        let later = try pack(programs, folder.appending(path: "later"), variables: ["SOURCE_DATE_EPOCH": "1790000001"])
        #expect(Set(later.values).isDisjoint(with: first.values))
      }
    }

    @Test(.enabled(if: arePossible, absent), .timeLimit(.minutes(5)))
    func `have each file with its owner and mode, what they depend on, and nothing that lintian finds`() throws {
      try withPackages { programs, folder in
        let target = folder.appending(path: "packages")
        let names = try pack(programs, target).keys
        let name = try #require(names.first { $0.hasPrefix("counterfoil_") })
        let package = target.appending(path: name).path
        let list = try Self.run("dpkg-deb", ["--contents", package]).output
        for (mode, path) in [
          ("-rwxr-xr-x", "./usr/bin/counterfoil"), ("-rw-r-----", "./etc/counterfoil/counterfoil.toml"),
          ("drwxr-x---", "./etc/counterfoil/"), ("drwx------", "./etc/counterfoil/secrets/"),
          ("drwx------", "./var/lib/counterfoil/"), ("-rw-r--r--", "./lib/systemd/system/counterfoil.service"),
          ("-rw-r--r--", "./lib/systemd/system/counterfoil.socket"),
          ("-rw-r--r--", "./usr/share/counterfoil/counterfoil.rules.yml"),
          ("-rw-r--r--", "./usr/share/counterfoil/counterfoil.slo.yml"),
          ("-rw-r--r--", "./usr/share/counterfoil/dashboard.json"),
          ("-rw-r--r--", "./usr/share/man/man1/counterfoil.1.gz"),
          ("-rw-r--r--", "./usr/share/man/man1/counterfoil-config-check.1.gz"),
          ("-rw-r--r--", "./usr/share/bash-completion/completions/counterfoil"),
          ("-rw-r--r--", "./usr/share/zsh/vendor-completions/_counterfoil"),
          ("-rw-r--r--", "./usr/share/fish/vendor_completions.d/counterfoil.fish"),
          ("-rw-r--r--", "./usr/share/doc/counterfoil/counterfoil.spdx.json"),
        ] {
          #expect(
            list.split(separator: "\n").contains { $0.hasPrefix(mode + " root/root ") && $0.hasSuffix(" " + path) },
            "\(mode) \(path)")
        }
        let fields = try Self.run("dpkg-deb", ["--field", package, "Depends", "Version", "Maintainer"]).output
        #expect(fields.contains("libc6 (>= ") && fields.contains(", adduser, ca-certificates"), "\(fields)")
        let control = folder.appending(path: "control").path
        #expect(try Self.run("dpkg-deb", ["--control", package, control]).code == 0)
        #expect(
          try String(contentsOfFile: control + "/conffiles", encoding: .utf8) == "/etc/counterfoil/counterfoil.toml\n")
        if Self.onPath("lintian") != nil {
          let checked = try Self.run(Self.script, ["check", target.path])
          #expect(checked.code == 0 && checked.output.contains("lintian is content"), "\(checked.output)")
        }
      }
    }

    @Test(.enabled(if: arePossible, absent), .timeLimit(.minutes(5)))
    func `carry a bill of materials with the digest of each file and each library`() throws {
      try withPackages { programs, folder in
        let target = folder.appending(path: "packages")
        let names = try pack(programs, target).keys
        let package = target.appending(path: try #require(names.first { $0.hasPrefix("counterfoil_") })).path
        let unpacked = folder.appending(path: "unpacked")
        #expect(try Self.run("dpkg-deb", ["--extract", package, unpacked.path]).code == 0)
        let bill = target.appending(path: "counterfoil.spdx.json")
        let document = try #require(
          try JSONSerialization.jsonObject(with: Data(contentsOf: bill)) as? [String: Any])
        #expect(document["spdxVersion"] as? String == "SPDX-2.3")
        let files = try #require(document["files"] as? [[String: Any]])
        #expect(files.count > 20)
        for file in files {
          let name = try #require(file["fileName"] as? String)
          let sums = try #require(file["checksums"] as? [[String: String]])
          let digest = try #require(sums.first { $0["algorithm"] == "SHA256" }?["checksumValue"])
          let found = try Self.run("sha256sum", [unpacked.appending(path: name).path]).output
          #expect(found.hasPrefix(digest + " "), "\(name)")
        }
        let packages = try #require(document["packages"] as? [[String: Any]]).compactMap { $0["name"] as? String }
        #expect(
          Set(["counterfoil", "swift-runtime", "boost-headers", "tomlplusplus-headers", "libc6"]).isSubset(of: packages)
        )
      }
    }
  }
}
