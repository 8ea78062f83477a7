import Foundation
import StrictJSON
import TestSubprocess
import Testing

/// `ops/container`: what can be checked without an engine.
@Suite struct `The files for containers` {
  private static func lines(_ path: String) throws -> [String] {
    let text = try String(contentsOfFile: Tool.place(path), encoding: .utf8)
    return text.replacingOccurrences(of: "\\\n", with: " ").split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  @Test func `copy only what exists, and run as a user without rights`() throws {
    let lines = try Self.lines("ops/container/Dockerfile")
    var copied = 0
    for line in lines where line.hasPrefix("COPY ") && !line.contains("--from=") {
      for path in line.split(separator: " ").dropFirst().dropLast() {
        copied += 1
        #expect(FileManager.default.fileExists(atPath: Tool.place(String(path))), "\(path)")
      }
    }
    #expect(copied >= 8)
    #expect(lines.last { $0.hasPrefix("FROM ") } == "FROM debian:12-slim")
    #expect(lines.contains("USER 65532:65532"))
  }

  @Test func `ask for the health by a command that exists, with its options`() async throws {
    let check = try #require(Self.lines("ops/container/Dockerfile").first { $0.hasPrefix("HEALTHCHECK ") })
    let words = check.split(separator: "\"").map(String.init).filter { !$0.contains(" ") && $0 != "]" }
    #expect(words.first == "/usr/bin/counterfoil" && words.count >= 2, "\(words)")
    let program = try OtherProgram(try Tool.program(), [words[1], "--help"])
    #expect(program.end() == 0)
    for option in words.dropFirst(2) { #expect(program.output.contains("  \(option) "), "\(option)") }
    let serve = try #require(Self.lines("ops/container/Dockerfile").last { $0.hasPrefix("CMD ") })
    #expect(serve == "CMD [\"serve\"]")
  }

  @Test(.enabled(if: Tool.hasPackages, "PyYAML is absent: scripts/bootstrap --for-tests installs it"))
  func `start the server with a root that is read-only, without a capability, from paths that exist`() async throws {
    let folder = "ops/container/"
    let read = try await Tool.withFolder { temporary in
      try await Tool.packaged(
        "read_yaml.py", [Tool.place(folder + "compose.yaml"), Tool.place(folder + "prometheus.yml")], in: temporary)
    }
    let services = try #require(read["compose.yaml"]?["services"]?.object)
    #expect(services.map(\.name) == ["counterfoil", "prometheus"])
    for service in services {
      #expect(service.value["read_only"]?.bool == true, "\(service.name)")
      #expect(service.value["cap_drop"]?.array?.compactMap(\.string) == ["ALL"], "\(service.name)")
      #expect(service.value["security_opt"]?.array?.compactMap(\.string) == ["no-new-privileges:true"])
      for port in service.value["ports"]?.array ?? [] {
        #expect(port.string?.hasPrefix("127.0.0.1:") == true, "\(service.name)")
      }
      for volume in service.value["volumes"]?.array ?? [] {
        let source = String((volume.string ?? "").prefix { $0 != ":" })
        // What the operator puts there, and volumes of the engine.
        if !source.hasPrefix(".") || ["./counterfoil", "./metrics.key"].contains(source) { continue }
        #expect(FileManager.default.fileExists(atPath: Tool.place(folder + source)), "\(source)")
      }
    }
    let build = try #require(read["compose.yaml"]?["services"]?["counterfoil"]?["build"])
    let context = folder + (build["context"]?.string ?? "")
    #expect(FileManager.default.fileExists(atPath: Tool.place(context + "/" + (build["dockerfile"]?.string ?? ""))))
    #expect(
      read["prometheus.yml"]?["rule_files"]?.array?.compactMap(\.string)
        == ["counterfoil.rules.yml", "counterfoil.slo.yml"])
  }
}
