import Foundation
import TestSubprocess
import Testing

extension Scripts {
  /// The scripts that run when the package is installed and removed, on folders of the test.
  @Suite(.enabled(if: Machine.hasProcessTable, "they are for Debian, with the tools of GNU"))
  struct `The scripts of the package` {
    /// A machine whose folders lie below one folder. Commands that need root are stubs that write down their arguments.
    private final class Place {
      let root = FileManager.default.temporaryDirectory.appending(path: "counterfoil-scripts-\(UUID().uuidString)")
      private var stubs = [
        "adduser": "exit 0", "chown": "exit 0", "dpkg-statoverride": "exit 1", "deb-systemd-helper": "exit 0",
      ]

      init() throws {
        for folder in ["etc/counterfoil/secrets", "var/lib/counterfoil", "var/backups", "bin"] {
          try FileManager.default.createDirectory(at: root.appending(path: folder), withIntermediateDirectories: true)
        }
        try write("etc/counterfoil/counterfoil.toml", "")
      }

      deinit { try? FileManager.default.removeItem(at: root) }

      func stub(_ name: String, _ program: String) { stubs[name] = program }

      func write(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: root.appending(path: path))
      }

      func text(_ path: String) -> String? { try? String(contentsOf: root.appending(path: path), encoding: .utf8) }

      func names(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: path).path)) ?? []).sorted()
      }

      /// Runs a script of `ops/debian` with its paths moved below the folder.
      func run(_ script: String, _ arguments: String...) throws -> (code: Int32, output: String) {
        for (name, program) in stubs {
          let place = root.appending(path: "bin/\(name)")
          try Data("#!/bin/sh\n\(program)\n".utf8).write(to: place)
          try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
        }
        var text = try String(contentsOf: Machine.repository.appending(path: "ops/debian/\(script)"), encoding: .utf8)
        for path in ["/etc/counterfoil", "/var/lib/counterfoil", "/var/backups", "/run/systemd/system"] {
          text = text.replacingOccurrences(of: path, with: root.path + path)
        }
        let copy = root.appending(path: script)
        try Data(text.utf8).write(to: copy)
        let process = try OtherProgram(
          "/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh", "/bin/sh", copy.path] + arguments,
          environment: ["PATH": root.appending(path: "bin").path + ":/usr/bin:/bin"])
        return (process.end(), process.output)
      }
    }

    @Test func `refuse an argument that dpkg does not know`() throws {
      for script in ["postinst", "prerm", "postrm"] {
        let refused = try Place().run(script, "dance")
        #expect(refused.code == 1 && refused.output.contains("unknown argument: dance"), "\(script)")
      }
    }

    @Test func `make the secrets once, for the server alone, and never change one that exists`() throws {
      let place = try Place()
      try place.write("etc/counterfoil/secrets/webhook.secret", "whsec_mine")
      let installed = try place.run("postinst", "configure", "")
      #expect(installed.code == 0, "\(installed.output)")
      #expect(installed.output.contains("fill in the six marked lines"))
      #expect(installed.output.contains("systemctl enable --now counterfoil.socket counterfoil.service"))
      let token = try #require(place.text("etc/counterfoil/secrets/user-token.secret"))
      #expect(token.utf8.count == 64 && !token.contains("\n"))
      let path = place.root.appending(path: "etc/counterfoil/secrets/user-token.secret").path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(place.text("etc/counterfoil/secrets/webhook.secret") == "whsec_mine")
      let again = try place.run("postinst", "configure", "0.1.0-1")
      #expect(again.code == 0 && again.output == "", "an upgrade says nothing: \(again.output)")
      #expect(place.text("etc/counterfoil/secrets/user-token.secret") == token)
      #expect(place.names("etc/counterfoil/secrets") == ["user-token.secret", "webhook.secret"])
    }

    @Test func `leave owner and mode alone where the administrator has set them`() throws {
      let place = try Place()
      place.stub("chown", "echo chown \"$@\"")
      #expect(try place.run("postinst", "configure", "1").output.contains("chown root:counterfoil"))
      place.stub("dpkg-statoverride", "exit 0")
      let output = try place.run("postinst", "configure", "1").output
      #expect(!output.contains("chown root:counterfoil"), "\(output)")
    }

    @Test func `keep the database and the secrets at a purge, and say where`() throws {
      let place = try Place()
      try place.write("var/lib/counterfoil/counterfoil.db", "paid")
      try place.write("etc/counterfoil/secrets/api-v3.key", "key")
      try FileManager.default.removeItem(at: place.root.appending(path: "etc/counterfoil/counterfoil.toml"))
      let removed = try place.run("postrm", "remove")
      #expect(removed.code == 0 && place.text("var/lib/counterfoil/counterfoil.db") == "paid", "\(removed.output)")
      let purged = try place.run("postrm", "purge")
      #expect(purged.code == 0, "\(purged.output)")
      let kept = try #require(place.names("var/backups").first)
      #expect(purged.output.contains("/var/lib/counterfoil is kept as \(place.root.path)/var/backups/\(kept)/database"))
      #expect(place.text("var/backups/\(kept)/database/counterfoil.db") == "paid")
      #expect(place.text("var/backups/\(kept)/secrets/api-v3.key") == "key")
      let mode =
        try FileManager.default.attributesOfItem(
          atPath: place.root.appending(path: "var/backups/\(kept)").path)[.posixPermissions] as? Int
      #expect(mode == 0o700)
      #expect(place.names("var/lib") == [] && place.names("etc") == [])
    }

    @Test func `never write over what an earlier purge kept`() throws {
      let place = try Place()
      place.stub("date", "echo 20261126T000000Z")
      for content in ["first", "second", "third"] {
        try FileManager.default.createDirectory(
          at: place.root.appending(path: "var/lib/counterfoil"), withIntermediateDirectories: true)
        try place.write("var/lib/counterfoil/counterfoil.db", content)
        #expect(try place.run("postrm", "purge").code == 0)
      }
      let kept = place.names("var/backups")
      #expect(
        kept == ["counterfoil-20261126T000000Z", "counterfoil-20261126T000000Z-2", "counterfoil-20261126T000000Z-3"])
      #expect(kept.map { place.text("var/backups/\($0)/database/counterfoil.db") } == ["first", "second", "third"])
    }

    @Test func `leave the database where it is if it cannot be moved`() throws {
      let place = try Place()
      place.stub("mv", "exit 1")
      try place.write("var/lib/counterfoil/counterfoil.db", "paid")
      let purged = try place.run("postrm", "purge")
      #expect(purged.code == 0 && purged.output.contains("could not be moved and stays"), "\(purged.output)")
      #expect(place.text("var/lib/counterfoil/counterfoil.db") == "paid")
    }

    @Test func `leave nothing behind at a purge without a database`() throws {
      let place = try Place()
      try FileManager.default.removeItem(at: place.root.appending(path: "etc/counterfoil/counterfoil.toml"))
      let purged = try place.run("postrm", "purge")
      #expect(purged.code == 0 && purged.output == "", "\(purged.output)")
      #expect(place.names("var/backups") == [] && place.names("var/lib") == [] && place.names("etc") == [])
    }
  }
}
