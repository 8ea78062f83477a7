import Foundation
import HTTPMessages
import PaymentPrimitives
import SystemPlatform
import TestDatabases
import TestPlatform
import TestSubprocess
import TestTier
import Testing

/// The server is updated while customers buy: the service manager holds the socket, the new version migrates the
/// database when it opens it, and then goes on beside the traffic.
@Suite struct `An update under load` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Lets customers buy until something is true.
  private static func load(
    _ shop: Shop, named name: String, until isEnough: @escaping @Sendable (Load) throws -> Bool
  ) async throws -> Load {
    let load = Load(shop, customers: 4, name: name)
    async let running: Void = load.run()
    let isEnoughNow = try await eventually { try isEnough(load) }
    load.end()
    try await running
    #expect(isEnoughNow && load.problems == [])
    return load
  }

  private static func fulfilled(_ load: Load) -> Int { load.facts.count(where: \.isFulfilled) }

  @Test(.enabled(if: python != nil, "python3 is absent"), .timeLimit(.minutes(5)))
  func `migrates the database while customers buy: no call is refused, no text changes, and the audit finds nothing`()
    async throws
  {
    let purchases = Tier.among(test: 20, check: 60, night: 300)
    try await withShop { shop in
      let (former, today) = (shop.folder + "/former.db", shop.folder + "/today.db")
      try await shop.start()
      _ = try await Self.load(shop, named: "before") { Self.fulfilled($0) >= purchases }
      #expect(try await shop.stop() == 0)
      try FileManager.default.moveItem(atPath: shop.database, toPath: today)
      try EarlierDatabase.make(at: former, from: today, repetitions: 600 / purchases)
      try FileManager.default.copyItem(atPath: former, toPath: shop.database)
      let rows = try #require(Int64(try runSQL("SELECT count(*) FROM evidence", on: former).dropLast()))

      let parent = try OtherProgram(
        try #require(Self.python),
        [
          "-B", Self.root + "/Tests/Tools/socket_parent.py", "\(shop.port)", shop.folder,
          try ProgramProcess.executable("counterfoil"), "serve",
        ], environment: ["PATH": "/usr/bin:/bin"], within: .seconds(200))
      #expect(try await eventually { !parent.output.isEmpty }, "the socket listens before the server runs")
      let load = try await Self.load(shop, named: "meanwhile") { load in
        // While the server migrates at its start, nobody else can read the file.
        let left = try? runSQL("SELECT value FROM settings WHERE name = 'evidence.wholeUpTo'", on: shop.database)
        return left == "0\n" && Self.fulfilled(load) >= purchases
      }
      #expect(load.refusals == [])
      parent.terminate()
      #expect(try await eventually { parent.hasEnded })
      #expect(parent.status == 0, "\(parent.errors)")

      let audit = try await counterfoil("audit", in: shop.folder)
      #expect(audit.code == 0 && audit.output.contains("All rules of money hold"), "\(audit.output) \(audit.errors)")
      let same = """
        ATTACH '\(former)' AS former;
        SELECT count(*) FROM former.evidence AS f JOIN evidence AS e ON e.id = f.id AND e.payment = f.payment
        JOIN evidence_headers AS h ON h.id = e.header WHERE f.text = h.text || e.text
        """
      #expect(try runSQL(same, on: shop.database) == "\(rows)\n", "each text is split, and the same to the byte")
    }
  }
}
