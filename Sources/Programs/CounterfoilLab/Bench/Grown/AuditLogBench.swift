import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Measures how long it takes to verify a long audit log.
struct AuditLogBench: Sendable {
  private static let perCommit = 1000

  let settings: BenchAuditLogCommand.Settings
  private let shop: FulfilShop
  private let platform: Platform

  init(_ settings: BenchAuditLogCommand.Settings, _ platform: Platform) throws {
    self.settings = settings
    self.platform = platform
    shop = try FulfilShop(platform)
  }

  struct Measured: Sendable {
    /// Of the fastest round.
    var milliseconds = UInt64.max
    /// How much the process had grown by after the last round.
    var grownBytes = 0
  }

  /// - Throws: `CommandFailure` if the chain is broken or lacks an entry.
  func run() async throws -> Measured {
    try platform.files.makeFolder(settings.folder)
    let path = settings.folder + "/audit-log.db"
    let isFilled = settings.keepsDatabase && platform.folders.size(path) != nil
    if !isFilled { try platform.removeDatabase(at: path) }
    let open = try await shop.open(path)
    if !isFilled { try await fill(open.engine) }
    let measured = try await measure(open.engine)
    await open.database.close()
    if !settings.keepsDatabase { try platform.removeDatabase(at: path) }
    return measured
  }

  private func measure(_ engine: PaymentEngine) async throws -> Measured {
    var measured = Measured()
    let before = platform.machine.residentBytes() ?? 0
    for _ in 0..<settings.rounds {
      let start = platform.monotonicNanoseconds()
      let result = try await engine.read { try AuditLogVerification(of: $0) }
      let milliseconds = UInt64(platform.monotonicNanoseconds() - start) / 1_000_000
      measured.milliseconds = min(measured.milliseconds, milliseconds)
      guard result.broken == nil, result.count == Int64(settings.entries) else {
        throw CommandFailure("The chain has \(result.count) entries, or it is broken.")
      }
    }
    measured.grownBytes = max(0, (platform.machine.residentBytes() ?? 0) - before)
    return measured
  }

  private func fill(_ engine: PaymentEngine) async throws {
    let (moment, salt) = (platform.dependencies.now(), platform.dependencies.randomBytes(16))
    var head: AuditLogEntry?
    var first = 0
    while first < settings.entries {
      let numbers = first..<min(first + Self.perCommit, settings.entries)
      var entries: [AuditLogEntry] = []
      for number in numbers {
        let entry = AuditLogChain.entry(action(number), .done, problem: nil, at: moment, after: head, salt: salt)
        entries.append(entry)
        head = entry
      }
      let written = entries
      try await engine.transact { transaction in for entry in written { try transaction.insert(entry) } }
      first = numbers.upperBound
    }
  }

  private func action(_ number: Int) -> ActionDescription {
    var action = ActionDescription("delivery.redrive", by: .account, "operator-\(number % 20)", key: "press-\(number)")
    action.role = .support
    action.address = "203.0.113.7"
    action.app = FulfilShop.app
    action.environment = .simulated
    action.objectKind = "delivery"
    action.object = GrownBench.transaction(number).text
    action.reason = "The backend of the game was down, and the customer has asked."
    return action
  }
}
