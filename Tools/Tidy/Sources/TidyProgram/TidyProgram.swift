import Foundation
import TidyRules

/// The command that `scripts/tidy` builds and runs in the root of the repository.
@main enum TidyProgram {
  private static let usage = """
    usage: scripts/tidy COMMAND
      check      every convention that a program can check
      checklist  each item of the checklist with the tests that cite it
      errors     write docs/reference/errors.md, operator-queue.md, metrics.md, configuration.md and its Chinese page,
                 the header for Objective-C, and the drawing in ARCHITECTURE.md
      api        write docs/reference/api/
      docs DIR   write the documentation of the client products into DIR
      client-package DIR
                 write the client as a package of its own into DIR
      test       the tests of the rules
    """

  static func main() async {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      exit(try await run(arguments.first, Array(arguments.dropFirst())) ? 0 : 1)
    } catch {
      print("tidy: error: \(error)")
      exit(1)
    }
  }

  private static func run(_ command: String?, _ arguments: [String]) async throws -> Bool {
    let isKnown = ["check", "checklist", "errors", "api"].contains(command) && arguments.isEmpty
    guard isKnown || ["docs", "client-package"].contains(command) && arguments.count == 1 else {
      print(usage)
      exit(2)
    }
    let root = URL(filePath: FileManager.default.currentDirectoryPath + "/")
    switch command {
    case "check": return try await check(root)
    case "checklist":
      let repository = await Repository.read(at: root)
      print(try repository.checklist().joined(separator: "\n"))
      let problems = try repository.checklistProblems()
      for problem in problems { print("error: \(problem)") }
      return problems.isEmpty
    case "client-package":
      let repository = await Repository.read(at: root, isParsed: false)
      let package = try ClientPackage.make(from: repository, try Manifest.read(at: root))
      try package.write(from: root, to: URL(filePath: arguments[0]))
      print("tidy: wrote \(package.copies.count + package.texts.count) files")
      return true
    default: break
    }
    let project = try await Project.read(at: root, isParsed: false)
    switch command {
    case "errors": try write(project.referencePages.merging(project.architecturePage()) { first, _ in first }, project)
    case "api":
      try write(project.interfacePages(), project)
      for path in project.stalePages { try FileManager.default.removeItem(atPath: path) }
    default: return report(try project.makeDocumentation(in: URL(filePath: arguments[0])))
    }
    return true
  }

  private static func check(_ root: URL) async throws -> Bool {
    let start = ContinuousClock.now
    let project = try await Project.read(at: root, isParsed: true)
    let findings = try await project.findings()
    let seconds = (ContinuousClock.now - start).components.seconds
    print("tidy: \(project.repository.files.count) files, \(findings.count) findings in \(seconds) s")
    return report(findings)
  }

  private static func write(_ pages: [String: String], _ project: Project) throws {
    for (path, text) in pages.sorted(by: { $0.key < $1.key }) {
      if let changed = try project.repository.write(text, to: path) { print("tidy: wrote \(changed)") }
    }
  }

  private static func report(_ findings: [Finding]) -> Bool {
    for finding in findings { print(finding) }
    return findings.isEmpty
  }
}
