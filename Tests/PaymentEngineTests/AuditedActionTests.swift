import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Synchronization
import Testing

@Suite struct `An operator's action` {
  private func action(_ key: String, reason: String = "ticket 1") -> ActionDescription {
    var action = ActionDescription("test.act", by: .account, "lin", key: key)
    action.app = "shop"
    action.reason = reason
    return action
  }

  private func entries(_ shop: EngineFixture) async throws -> [AuditLogEntry] {
    try await shop.engine.auditLog(before: nil, limit: 100).reversed()
  }

  @Test func `that is refused changes nothing and leaves one entry with the code`() async throws {
    let shop = try EngineFixture()
    await #expect(throws: CodedError<EngineErrorCode>.self) {
      _ = try await shop.engine.perform(action("1")) {
        try await shop.engine.setAside(EngineFixture.key("9"), by: "lin", reason: "ticket 1")
      }
    }
    let entry = try #require(try await entries(shop).first)
    #expect(entry.outcome == .refused && entry.problem == "payment_unknown")
    #expect(try await entries(shop).count == 1)
  }

  @Test func `that is repeated runs no second time`() async throws {
    let shop = try EngineFixture()
    let runs = Mutex(0)
    for expected in [1, 1] {
      let result = try await shop.engine.perform(action("1")) {
        try await shop.engine.transact { transaction in
          runs.withLock { $0 += 1 }
          try transaction.set("tests", to: "changed")
        }
      }
      if case .repeated(let entry) = result { #expect(entry.actionKey == "1" && entry.outcome == .done) }
      #expect(runs.withLock { $0 } == expected)
    }
    #expect(try await entries(shop).map(\.actionKey) == ["1"])
  }

  @Test func `of several transactions leaves one entry, written with the first change`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.engine.perform(action("1")) {
      for word in ["a", "b"] {
        try await shop.engine.transact { try $0.set("tests", to: word) }
        #expect(try await entries(shop).count == 1)
      }
    }
    #expect(try await entries(shop).count == 1)
  }

  @Test func `takes the hash of its entry out of the database, refused or done`() async throws {
    let heads = Mutex<[String]>([])
    let shop = try EngineFixture(log: { event in
      guard event.name == "auditLog.head" else { return }
      heads.withLock { $0.append(event.fields.map { "\($0.name) \($0.value)" }.joined(separator: " ")) }
    })
    _ = try await shop.engine.perform(action("1")) { try await shop.engine.transact { try $0.set("tests", to: "a") } }
    await #expect(throws: CodedError<EngineErrorCode>.self) {
      _ = try await shop.engine.perform(action("2")) {
        try await shop.engine.setAside(EngineFixture.key("9"), by: "lin", reason: "ticket 1")
      }
    }
    let expected = try await entries(shop).map { "number \($0.number) hash \($0.hash.hexadecimal)" }
    #expect(expected.count == 2 && heads.withLock { $0 } == expected)
  }

  @Test func `that changes nothing leaves an entry, too`() async throws {
    let shop = try EngineFixture()
    _ = try await shop.engine.perform(action("1")) {}
    #expect(try await entries(shop).map(\.outcome) == [.done])
  }

  @Test func `leaves no entry if its change was rolled back with an unforeseen error`() async throws {
    struct Broken: Error {}
    let shop = try EngineFixture()
    await #expect(throws: Broken.self) {
      _ = try await shop.engine.perform(action("1")) {
        try await shop.engine.transact { transaction in
          try transaction.set("tests", to: "changed")
          throw Broken()
        }
      }
    }
    #expect(try await entries(shop).isEmpty)
    #expect(try await shop.engine.read { try $0.setting("tests") } == nil)
  }

  @Test func `pressed twenty times at once is done once, with one entry`() async throws {
    let shop = try EngineFixture()
    let done = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          let result = try await shop.engine.perform(action("1")) {
            try await shop.engine.transact { transaction in
              let count = try transaction.setting("tests").flatMap { Int($0) } ?? 0
              try transaction.set("tests", to: "\(count + 1)")
            }
          }
          if case .done = result { return true } else { return false }
        }
      }
      return try await group.reduce(into: 0) { if $1 { $0 += 1 } }
    }
    #expect(done == 1)
    #expect(try await shop.engine.read { try $0.setting("tests") } == "1")
    #expect(try await entries(shop).count == 1)
  }
}

@Suite struct `The chain of the audit log` {
  /// Ten entries of a real log.
  private func log() async throws -> [AuditLogEntry] {
    let shop = try EngineFixture()
    for number in 0..<10 {
      var action = ActionDescription("test.act", by: .host, "root", key: "\(number)")
      action.object = "dlv_\(number)"
      action.reason = number == 3 ? nil : "ticket \(number)"
      _ = try await shop.engine.perform(action) {}
    }
    let entries: [AuditLogEntry] = try await shop.engine.auditLog(before: nil, limit: 100).reversed()
    let result = try await shop.engine.read { try AuditLogVerification(of: $0) }
    #expect(result.broken == nil && result.count == 10)
    return entries
  }

  private func changed(
    _ entry: AuditLogEntry, number: Int64? = nil, reason: String? = nil, outcome: AuditLogEntry.Outcome? = nil,
    previous: [UInt8]? = nil, hash: [UInt8]? = nil
  ) -> AuditLogEntry {
    var changed = AuditLogEntry(
      number: number ?? entry.number, at: entry.at, app: entry.app, environment: entry.environment,
      actorKind: entry.actorKind, actor: entry.actor, role: entry.role, address: entry.address, action: entry.action,
      objectKind: entry.objectKind, object: entry.object, reason: reason ?? entry.reason, requestId: entry.requestId,
      outcome: outcome ?? entry.outcome, problem: entry.problem, actionKey: entry.actionKey,
      previous: previous ?? entry.previous, hash: hash ?? entry.hash)
    changed.seal = entry.seal
    return changed
  }

  @Test func `finds an entry that was changed, removed, swapped or put between`() async throws {
    let log = try await log()
    typealias Finding = AuditLogVerification.Finding
    for index in 0..<9 {
      var other = log
      other[index] = changed(log[index], reason: "another ticket")
      #expect(AuditLogVerification(of: other).broken?.finding == .changed)
      other[index] = changed(log[index], outcome: .refused)
      #expect(AuditLogVerification(of: other).broken?.finding == .changed)
      // Whoever computes the seal and the hash of a changed entry again breaks the link of the next one.
      var forged = changed(log[index], reason: "another ticket")
      let salt = try #require(forged.seal?.salt)
      forged.seal = AuditLogEntry.Seal(
        digest: AuditLogChain.personalDigest(forged.object, forged.reason, salt: salt), salt: salt)
      other[index] = changed(forged, hash: AuditLogChain.hash(of: forged))
      #expect(AuditLogVerification(of: other).broken?.finding == .unlinked)
      other = log
      other.remove(at: index)
      #expect(AuditLogVerification(of: other).broken?.finding == .gap)
      other = log
      other.swapAt(index, index + 1)
      #expect(AuditLogVerification(of: other).broken?.finding == .gap)
      other = log
      other[index] = changed(log[index + 1], number: log[index].number)
      #expect(AuditLogVerification(of: other).broken != nil)
    }
  }

  @Test func `finds an end that was cut off, by a head that was kept elsewhere`() async throws {
    let log = try await log()
    let head = AuditLogVerification.Head(number: 10, hash: AuditLogVerification(of: log).head?.hash ?? "")
    #expect(AuditLogVerification(of: log, reaching: head).broken == nil)
    let cut = Array(log.dropLast())
    #expect(AuditLogVerification(of: cut).broken == nil)
    #expect(AuditLogVerification(of: cut, reaching: head).broken?.finding == .headMissing)
  }
}
