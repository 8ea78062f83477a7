import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps of operators` {
  private func entry(
    _ number: Int64, key: String? = nil, previous: [UInt8]? = nil, hash: UInt8 = 1
  ) -> AuditLogEntry {
    AuditLogEntry(
      number: number, at: at(number), app: "game", environment: .production, actorKind: .account, actor: "lin",
      role: .support, address: "::1", action: "delivery.redrive", objectKind: "delivery", object: "dlv_1",
      reason: "工单 1", requestId: nil, outcome: .done, problem: nil, actionKey: key ?? "press \(number)",
      previous: previous ?? (number == 1 ? AuditLogEntry.firstPrevious : bytes(UInt8(number - 1))),
      hash: bytes(UInt8(number)))
  }

  private func bytes(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: AuditLogEntry.hashBytes) }

  @Test(arguments: DatabaseKind.allCases)
  func `refuses an entry whose number or press is taken`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { try $0.insert(entry(1)) }
      for doubled in [entry(1, key: "another"), entry(2, key: "press 1")] {
        let outcome = await database.transact { transaction throws in
          if try transaction.auditLogEntry(actionKey: "given up") == nil, transaction.hasWritten { return }
          try transaction.insert(doubled)
        }
        if case .committed = outcome { Issue.record("It was written twice.") }
      }
      #expect(try await database.read { try $0.auditLogHead() } == entry(1))
    }
  }

  /// An entry as this version writes it: about the user `kid`.
  private func sealed(_ number: Int64) -> AuditLogEntry {
    var entry = AuditLogEntry(
      number: number, at: at(number), app: "game", environment: .production, actorKind: .account, actor: "lin",
      role: .support, address: "::1", action: "balance.credit", objectKind: "user", object: "kid",
      reason: "for kid", requestId: nil, outcome: .done, problem: nil, actionKey: "press \(number)",
      previous: AuditLogEntry.firstPrevious, hash: bytes(1))
    entry.seal = AuditLogEntry.Seal(digest: bytes(8), salt: bytes(9))
    return entry
  }

  @Test(arguments: DatabaseKind.allCases)
  func `refuses to change an entry but for an erasure under way`(kind: DatabaseKind) async throws {
    let redacted = try #require(sealed(1).erased(["kid"], behind: "erased_1"))
    var erasure = UserErasure(app: "game", alias: "erased_1", user: "kid", begunAt: at(1))
    try await withDatabase(kind) { database, underTest async throws in
      try await database.commit { try $0.insert(sealed(1)) }
      #expect(try await database.read { try $0.auditLogHead() } == sealed(1))
      if case .committed = await database.transact({ try $0.redact(redacted) }) { Issue.record("Nobody is erased.") }
      try await database.commit { [erasure] in try $0.insert(erasure) }
      try await database.commit { try $0.redact(redacted) }
      (erasure.user, erasure.doneAt) = (nil, at(2))
      try await database.commit { [erasure] in try $0.update(erasure) }
      let again = try await underTest.reopen()
      #expect(try await again.read { try $0.auditLogHead() } == redacted)
      if case .committed = await again.transact({ try $0.redact(redacted) }) { Issue.record("It has ended.") }
      #expect(redacted.object == "erased_1" && redacted.reason == "for erased_1" && redacted.seal?.salt == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is the audit log, in order, from both ends`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      #expect(try await database.read { try $0.auditLogHead() } == nil)
      for number in 1...3 { try await database.commit { try $0.insert(entry(Int64(number))) } }
      let again = try await underTest.reopen()
      try await again.read { reader throws in
        #expect(try reader.auditLogHead() == entry(3))
        #expect(try reader.auditLog(after: 1, limit: 9) == [entry(2), entry(3)])
        #expect(try reader.auditLog(after: 0, limit: 1) == [entry(1)] && reader.auditLog(after: 0, limit: -1) == [])
        #expect(try reader.auditLog(before: nil, limit: 2) == [entry(3), entry(2)])
        #expect(try reader.auditLog(before: 2, limit: 9) == [entry(1)])
        #expect(try reader.auditLogEntry(actionKey: "press 2") == entry(2))
        #expect(try reader.auditLogEntry(actionKey: "press 4") == nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is accounts with roles, links and sessions, each replaced by its key`(kind: DatabaseKind) async throws {
    var account = OperatorAccount(name: "lin", createdAt: at(0), roles: ["game": .support, "*": .viewer])
    var link = SignInLink(digest: "00", account: "lin", createdAt: at(1))
    var session = ConsoleSession(digest: "01", account: "lin", createdAt: at(2), provedAt: at(3))
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { [account, link, session] transaction throws in
        try transaction.put(account)
        try transaction.put(OperatorAccount(name: "Ann", createdAt: at(0)))
        try transaction.put(link)
        try transaction.put(session)
      }
      try await database.read { [account, link, session] reader throws in
        #expect(try reader.operatorAccount("lin") == account && reader.operatorAccount("LIN") == nil)
        #expect(try reader.operatorAccounts(limit: 9).map(\.name) == ["Ann", "lin"])
        #expect(try reader.operatorAccounts(limit: 1).map(\.name) == ["Ann"])
        #expect(try reader.signInLink(digest: "00") == link && reader.signInLink(digest: "01") == nil)
        #expect(try reader.consoleSession(digest: "01") == session && reader.consoleSession(digest: "00") == nil)
      }
      account.roles = ["game": .admin]
      account.disabledAt = at(5)
      account.codes = CodeSetUp(salt: "0a", since: at(5))
      link.usedAt = at(5)
      session.seenAt = at(6)
      session.endedAt = at(7)
      session.wrongCodes = 3
      try await database.commit { [account, link, session] transaction throws in
        try transaction.put(account)
        try transaction.put(link)
        try transaction.put(session)
      }
      try await database.read { [account, link, session] reader throws in
        #expect(try reader.operatorAccount("lin") == account)
        #expect(try reader.signInLink(digest: "00") == link)
        #expect(try reader.consoleSession(digest: "01") == session)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is the open sessions of an account, the newest first`(kind: DatabaseKind) async throws {
    func session(_ digest: String, _ account: OperatorName, _ second: Int64) -> ConsoleSession {
      ConsoleSession(digest: digest, account: account, createdAt: at(second), provedAt: at(second))
    }
    var ended = session("04", "lin", 4)
    ended.endedAt = at(5)
    let sessions = [
      session("01", "lin", 1), session("02", "lin", 1), session("03", "lin", 3), session("05", "ann", 9), ended,
    ]
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { [sessions] transaction throws in
        for name: OperatorName in ["lin", "ann"] { try transaction.put(OperatorAccount(name: name, createdAt: at(0))) }
        for session in sessions { try transaction.put(session) }
      }
      try await database.read { reader throws in
        #expect(try reader.consoleSessions(of: "lin", limit: 9).map(\.digest) == ["03", "02", "01"])
        #expect(try reader.consoleSessions(of: "lin", limit: 1).map(\.digest) == ["03"])
        #expect(try reader.consoleSessions(of: "bo", limit: 9).isEmpty)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is sign-ins that wait, and passkeys, each of which is there once`(kind: DatabaseKind) async throws {
    var pending = PendingSignIn(digest: "00", account: "lin", createdAt: at(1))
    var passkey = Passkey(
      credential: "BwcH", account: "lin", publicKey: [UInt8](repeating: 4, count: 65), label: "手机", createdAt: at(2),
      signCount: 4_294_967_295)
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { [pending, passkey] transaction throws in
        try transaction.put(OperatorAccount(name: "lin", createdAt: at(0)))
        try transaction.put(pending)
        try transaction.insert(passkey)
      }
      pending.wrongCodes = 5
      pending.endedAt = at(9)
      passkey.usedAt = at(8)
      let doubled = await database.transact { [passkey] transaction throws in
        if try transaction.passkey(credential: "x") == nil, transaction.hasWritten { return }
        try transaction.insert(passkey)
      }
      if case .committed = doubled { Issue.record("It was written twice.") }
      try await database.commit { [pending, passkey] transaction throws in
        try transaction.put(pending)
        try transaction.update(passkey)
      }
      try await database.read { [pending, passkey] reader throws in
        #expect(try reader.pendingSignIn(digest: "00") == pending && reader.pendingSignIn(digest: "01") == nil)
        #expect(try reader.passkey(credential: "BwcH") == passkey && reader.passkey(credential: "bwch") == nil)
        #expect(try reader.passkeys(of: "lin", limit: 9) == [passkey] && reader.passkeys(of: "ann", limit: 9) == [])
      }
      passkey.removedAt = at(9)
      try await database.commit { [passkey] in try $0.update(passkey) }
      #expect(try await database.read { try $0.passkeys(of: "lin", limit: 9) } == [])
      let missing = Passkey(
        credential: "BwcI", account: "lin", publicKey: passkey.publicKey, label: "", createdAt: at(0), signCount: 0)
      if case .committed = await database.transact({ try $0.update(missing) }) {
        Issue.record("A missing one changed.")
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is approvals, which nobody decides for themselves and nobody rewrites`(kind: DatabaseKind) async throws {
    @Sendable func approval(_ id: String, digest: String = "00", at second: Int64 = 1) -> Approval {
      Approval(
        id: id, app: "game", environment: .production, action: "order.refund", objectKind: "order", object: "o1",
        arguments: "{}", digest: digest, reason: "ticket 1", askedBy: "lin", askedAt: at(second))
    }
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for name: OperatorName in ["lin", "ann"] { try transaction.put(OperatorAccount(name: name, createdAt: at(0))) }
        try transaction.insert(approval("a1"))
        try transaction.insert(approval("a2", at: 2))
      }
      var own = approval("a1")
      (own.decidedBy, own.decidedAt, own.isApproved) = ("lin", at(3), true)
      var rewritten = approval("a1", digest: "01")
      (rewritten.decidedBy, rewritten.decidedAt) = ("ann", at(3))
      for wrong in [own, rewritten] {
        if case .committed = await database.transact({ try $0.update(wrong) }) { Issue.record("\(wrong)") }
      }
      var decided = approval("a1")
      (decided.decidedBy, decided.decidedAt, decided.isApproved) = ("ann", at(3), true)
      (decided.doneAt, decided.problem) = (at(4), "refund_too_large")
      try await database.commit { [decided] in try $0.update(decided) }
      try await database.read { [decided] reader throws in
        #expect(try reader.approval("a1") == decided && reader.approval("a3") == nil)
        #expect(try reader.approvals(of: "game", askedSince: at(1), limit: 9).map(\.id) == ["a2", "a1"])
        #expect(try reader.approvals(of: "game", askedSince: at(2), limit: 9).map(\.id) == ["a2"])
        #expect(try reader.approvals(of: "other", askedSince: at(0), limit: 9).isEmpty)
      }
    }
  }
}
