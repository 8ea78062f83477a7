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
    var session = ConsoleSession(digest: "01", account: "lin", createdAt: at(2))
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
      link.usedAt = at(5)
      session.seenAt = at(6)
      session.endedAt = at(7)
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
}
