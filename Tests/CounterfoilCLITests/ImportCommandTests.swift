import CounterfoilCLI
import Foundation
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Synchronization
import Testing

/// The bytes of a file, seven at a time: a row never comes whole.
private final class Pieces: Sendable {
  private let rest: Mutex<ArraySlice<UInt8>>
  init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

  func next() -> [UInt8] {
    rest.withLock { rest in
      let piece = Array(rest.prefix(7))
      rest = rest.dropFirst(7)
      return piece
    }
  }
}

/// Bytes that count up.
private final class Counted: Sendable {
  private let last = Mutex(UInt8(0))

  func bytes(_ count: Int) -> [UInt8] {
    last.withLock { last in
      (0..<count).map { _ in
        last &+= 1
        return last
      }
    }
  }
}

/// A folder with a configuration, a database and the earlier system's files, and a program that works in it.
private final class ImportDesk: Sendable {
  struct Run {
    let code: Int32
    let output: String
    let errors: String
  }

  private let directory: URL
  private let shown = Mutex((output: "", errors: ""))
  private let files: Mutex<[String: [UInt8]]>

  init(_ files: [String: String] = [:]) throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    self.files = Mutex(files.mapValues { Array($0.utf8) })
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private var toml: String {
    """
    profile = "production"
    database = "\(directory.appendingPathComponent("import.db").path)"
    [[app]]
    id = "shop"
    bundle_id = "com.example.shop"
    app_apple_id = 1234
    mode = "observe"
    [[app.product]]
    id = "coins.100"
    kind = "consumable"
    app_store_product_ids = ["com.example.coins100"]
    units = { unit = "coin", amount = 100 }
    """
  }

  func put(_ text: String, in file: String) { files.withLock { $0[file] = Array(text.utf8) } }

  func run(_ arguments: String..., language: String = "en_US.UTF-8") async -> Run {
    await run(arguments, language)
  }

  private func run(_ arguments: [String], _ language: String) async -> Run {
    struct Closed: Error {}
    let configuration = Array(toml.utf8)
    var files = FileSystem(
      read: { path, _ in path == "c.toml" ? configuration : nil },
      replace: { _, _ in throw Closed() }, remove: { _ in throw Closed() }, makeFolder: { _ in throw Closed() },
      names: { _ in throw Closed() }, openLog: { _ in throw Closed() })
    files.open = { [self] path in
      guard let bytes = self.files.withLock({ $0[path] }) else { return nil }
      let pieces = Pieces(bytes)
      return FilePieces { pieces.next() }
    }
    let chance = Counted()
    let platform = Platform(
      dependencies: Dependencies(
        now: { Timestamp(milliseconds: 1_790_000_000_000) }, randomBytes: { chance.bytes($0) }, sleep: { _ in }),
      monotonicNanoseconds: { 0 }, processorNanoseconds: { 0 }, files: files,
      environment: { $0 == "LANG" ? language : nil },
      print: { [self] text in shown.withLock { $0.output += text } }, isTerminal: false,
      printError: { [self] text in shown.withLock { $0.errors += text } },
      listen: { _, _ in throw Closed() }, exchange: { _ in HTTPExchange.nobody },
      shutdown: { AsyncStream { $0.finish() } }, startSelf: { _, _ in throw Closed() }, programName: "counterfoil")
    shown.withLock { $0 = ("", "") }
    let code = await CommandLineProgram.counterfoil.run(
      arguments: arguments + ["--config", "c.toml"], platform: platform)
    return shown.withLock { Run(code: code, output: $0.output, errors: $0.errors) }
  }

  /// Imports, and reads the report.
  func report(_ arguments: String...) async throws -> (code: Int32, JSONValue) {
    let run = await run(["import", "--json"] + arguments, "en_US.UTF-8")
    return (run.code, try JSONReader.read(run.output.utf8))
  }
}

extension HTTPExchange {
  fileprivate static let nobody = HTTPExchange { _, _ throws(HTTPExchangeError) in
    throw .unreachable("No server exists.")
  }
}

@Suite struct `The command import` {
  // MARK: refusals

  @Test func `refuses wrong usage with exit code 2 and says how`() async throws {
    let desk = try ImportDesk(["ids.txt": "1\n"])
    #expect(await desk.run("import").code == 2)
    #expect(await desk.run("import", "--delivered", "ids.txt", "--purchases", "ids.txt").code == 2)
    let none = await desk.run("import", "--delivered", "nope.txt")
    #expect(none.code == 2 && none.errors.contains("nope.txt: there is no such file."))
    let future = await desk.run("import", "--delivered", "ids.txt", "--until", "2999-01-01T00:00:00Z")
    #expect(future.code == 2 && future.errors.contains("--until"))
    #expect(await desk.run("import", "--delivered", "ids.txt", "--app", "other").code == 2)
    #expect(await desk.run("import", "--delivered", "ids.txt", "--environment", "xcode").code == 2)
    let chinese = await desk.run("import", "--delivered", "nope.txt", language: "zh_CN.UTF-8")
    #expect(chinese.errors.contains("文件不存在"))
  }

  /// Rows that are not transaction ids, and a text that the report must contain for each.
  private static let bad: [(row: String, says: String)] = [
    ("2E+15", "rounded by a spreadsheet"), ("2000000123456789.0", "rounded by a spreadsheet"),
    ("abc", "no transaction id"), ("0001", "no transaction id"), (" 1", "no transaction id"),
    ("-1", "no transaction id"), ("99999999999999999999", "no transaction id"), ("\"1", "never closed"),
    ("1\"2", "quotation mark"), ("\"1\"2", "follows a closing"), (String(repeating: "1", count: 2000), "too long"),
    ("１２", "no transaction id"), ("1\u{0}", "UTF-8"),
  ]

  @Test(arguments: bad)
  fileprivate func `loads nothing when a row is bad, and names its line`(row: String, says: String) async throws {
    let desk = try ImportDesk(["ids.csv": "transactionId,x\n2000000000000001,a\n\(row)\n"])
    let (code, report) = try await desk.report("--delivered", "ids.csv")
    #expect(code == 1 && report["imported"] == .bool(false))
    #expect(report["bad"]?.integer == 1 && report["rows"]?.integer == 2 && report["new"]?.integer == 0)
    let problem = report["problems"]?.array?.first
    #expect(problem?["line"]?.integer == 3)
    #expect(problem?["problem"]?.string?.contains(says) == true)
    let (_, after) = try await desk.report("--delivered", "ids.csv", "--skip-bad")
    #expect(after["imported"] == .bool(true) && after["new"]?.integer == 1)
  }

  @Test func `refuses purchases without a column for the user, and rows without a user`() async throws {
    let desk = try ImportDesk(["p.csv": "transactionId,product\n1,x\n", "q.csv": "transactionId,userId\n1,\n"])
    let missing = await desk.run("import", "--purchases", "p.csv")
    #expect(missing.code == 2 && missing.errors.contains("userId"))
    let (code, report) = try await desk.report("--purchases", "q.csv")
    #expect(code == 1 && report["bad"]?.integer == 1 && report["imported"] == .bool(false))
  }

  @Test func `names a row that gives a transaction to a second user, and keeps the first`() async throws {
    let desk = try ImportDesk(["p.csv": "transactionId,userId\n1,alice\n2,bob\n1,mallory\n"])
    let (code, report) = try await desk.report("--purchases", "p.csv")
    #expect(code == 1 && report["new"]?.integer == 2 && report["conflicts"]?.integer == 1)
    #expect(report["problems"]?.array?.first?["line"]?.integer == 4)
  }

  // MARK: what it does

  @Test func `loads ids one per line or by their column, and changes nothing the second time`() async throws {
    let desk = try ImportDesk([
      "ids.txt": "\u{FEFF}2000000000000001\r\n2000000000000002\r\n\r\n",
      "wide.csv": "user;x,Store Transaction ID,\"a \"\"name\"\"\"\nx,\"2000000000000003\",\"two\nlines\"\n",
    ])
    let (code, first) = try await desk.report("--delivered", "ids.txt")
    #expect(code == 0 && first["new"]?.integer == 2 && first["rows"]?.integer == 2)
    let (_, wide) = try await desk.report("--delivered", "wide.csv", "--column", "store_transaction_id")
    #expect(wide["new"]?.integer == 1 && wide["rows"]?.integer == 1)
    let (_, again) = try await desk.report("--delivered", "ids.txt")
    #expect(again["new"]?.integer == 0 && again["known"]?.integer == 2)
  }

  @Test func `shows in a dry run what it would do, and changes nothing`() async throws {
    let desk = try ImportDesk(["ids.txt": "1\n2\n", "p.csv": "transactionId,userId\n1,alice\n"])
    _ = try await desk.report("--delivered", "ids.txt")
    desk.put("2\n3\n", in: "ids.txt")
    for _ in 1...2 {
      let (code, report) = try await desk.report("--delivered", "ids.txt", "--dry-run")
      #expect(code == 0 && report["dryRun"] == .bool(true) && report["imported"] == .bool(false))
      #expect(report["new"]?.integer == 1 && report["known"]?.integer == 1)
      let (_, owners) = try await desk.report("--purchases", "p.csv", "--dry-run")
      #expect(owners["new"]?.integer == 1 && owners["conflicts"]?.integer == 0)
    }
    let shown = await desk.run("import", "--delivered", "ids.txt", "--dry-run")
    #expect(shown.output.contains("Nothing was changed: this was a dry run."))
    let chinese = await desk.run("import", "--delivered", "ids.txt", "--dry-run", language: "zh_CN.UTF-8")
    #expect(chinese.output.contains("这是试运行"))
  }

  @Test func `finishes an interrupted import when it runs again`() async throws {
    let desk = try ImportDesk(["ids.txt": (1...2500).map { "\($0)\n" }.joined()])
    // The first batches are already stored.
    desk.put((1...1500).map { "\($0)\n" }.joined(), in: "half.txt")
    _ = try await desk.report("--delivered", "half.txt")
    let (code, report) = try await desk.report("--delivered", "ids.txt")
    #expect(code == 0 && report["new"]?.integer == 1000 && report["known"]?.integer == 1500)
  }

  @Test func `leaves nothing for observed and forwards to report`() async throws {
    let desk = try ImportDesk(["ids.txt": "1\n"])
    _ = try await desk.report("--delivered", "ids.txt")
    let observed = await desk.run("observe", "report")
    #expect(observed.code == 0 && observed.output.contains("would have been granted: 0"))
    let forwards = await desk.run("notifications", "forwarded")
    #expect(forwards.code == 0 && forwards.output.contains("all were passed on"))
  }
}
