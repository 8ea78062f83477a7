import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The notifications, journal and keys of a database` {
  private func notification(
    _ id: String, _ appEnvironment: AppEnvironment = production, type: String = "TEST",
    effect: ReceivedNotification.Effect = .kept
  ) -> ReceivedNotification {
    ReceivedNotification(
      appEnvironment: appEnvironment, id: id, type: type, subtype: nil, signedDate: at(0), transaction: nil,
      signedPayload: "jws", receivedAt: at(0), effect: effect)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `accept each notification once per app environment, and count those that were only kept`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let rows = [
        notification("1", type: "REFUND"), notification("2", type: "DID_RENEW"),
        notification("3", type: "REFUND"), notification("4", type: "REFUND", effect: .applied),
        notification("1", sandbox, type: "REFUND"),
      ]
      try await database.commit { transaction throws in
        for row in rows { try transaction.insert(row) }
      }
      let again = notification("1", type: "OTHER")
      #expect(await database.errorCode { try $0.insert(again) } == .contended)
      try await database.read { reading throws in
        #expect(try reading.notification("1", in: production)?.type == "REFUND")
        #expect(try reading.notification("9", in: production) == nil)
        let counts = try reading.countOfKeptNotifications(in: production)
        #expect(counts.map(\.type) == ["DID_RENEW", "REFUND"])
        #expect(counts.map(\.count) == [1, 2])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `return the history of an order and of a payment in order, per app environment`(kind: DatabaseKind) async throws
  {
    try await withDatabase(kind) { database, underTest async throws in
      func entry(_ what: String, _ order: OrderKey?, payment: PaymentKey?, appEnvironment: AppEnvironment)
        -> JournalEntry
      {
        // The clock went back between them; the history continues.
        JournalEntry(
          appEnvironment: appEnvironment, at: at(-Int64(what.count)), stored: what, order: order?.id, payment: payment,
          details: "{}")
      }
      let entries = [
        entry("made", orderKey(1), payment: nil, appEnvironment: production),
        entry("seen", nil, payment: paymentKey("1"), appEnvironment: production),
        entry("paid", orderKey(1), payment: paymentKey("1"), appEnvironment: production),
        entry("twin paid", orderKey(1), payment: paymentKey("1", sandbox), appEnvironment: sandbox),
        entry("delivered", orderKey(1), payment: paymentKey("1"), appEnvironment: production),
      ]
      for row in entries { try await database.commit { try $0.insert(row) } }
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        #expect(try reading.journal(of: orderKey(1)).map(\.what) == ["made", "paid", "delivered"])
        #expect(try reading.journal(of: paymentKey("1")).map(\.what) == ["seen", "paid", "delivered"])
        #expect(try reading.journal(of: orderKey(1, sandbox)).map(\.what) == ["twin paid"])
        #expect(try reading.journal(of: paymentKey("2")) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `keep keys once by id, and allow only their revocation and use`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func key(_ id: CredentialIdentifier, label: String = "l", createdAt: Int64 = 0) -> APIKey {
        APIKey(
          id: id, app: "game", kind: .secret, digest: "00", label: label, createdAt: at(createdAt))
      }
      try await database.commit { transaction throws in
        try transaction.insert(key("b"))
        try transaction.insert(key("a"))
        try transaction.insert(key("c", createdAt: -1))
      }
      #expect(await database.errorCode { try $0.insert(key("a")) } == .contended)
      #expect(await database.errorCode { try $0.update(key("a", label: "m")) } == .inconsistent)
      #expect(await database.errorCode { try $0.update(key("missing")) } == .inconsistent)
      let other = APIKey(
        id: "a", app: "game", kind: .secret, digest: "00", label: "l", createdAt: at(0), role: .admin, expiresAt: at(9))
      #expect(await database.errorCode { try $0.update(other) } == .inconsistent)
      try await database.commit { transaction throws in
        var revoked = key("a")
        (revoked.revokedAt, revoked.usedAt) = (at(7), at(6))
        try transaction.update(revoked)
        try transaction.insert(
          APIKey(
            id: "o", app: "others", kind: .operator, digest: "01", label: "l", createdAt: at(0), role: .finance,
            expiresAt: at(9)))
      }
      try await database.read { reading throws in
        #expect(try reading.apiKey("a")?.revokedAt == at(7) && reading.apiKey("a")?.usedAt == at(6))
        #expect(try reading.apiKey("a")?.role == nil && reading.apiKey("a")?.expiresAt == nil)
        #expect(try reading.apiKey("o")?.role == .finance && reading.apiKey("o")?.expiresAt == at(9))
        #expect(try reading.apiKeys(of: "game").map(\.id) == ["c", "a", "b"])
        #expect(try reading.apiKeys(of: "other") == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `keep the profile and the secret of the installation`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let secret = try await database.read { try $0.setting(DatabaseSetting.installationSecret) }
      #expect(secret?.utf8.count == 64)
      #expect(secret?.allSatisfy { $0.isHexDigit } == true)
      let reopened = try await underTest.reopen()
      try await reopened.read { reading throws in
        #expect(try reading.setting(DatabaseSetting.installationSecret) == secret)
        #expect(try reading.setting(DatabaseSetting.profile) == DatabaseProfile.simulated.rawValue)
        #expect(try reading.setting("e\u{301}") == nil)
      }
    }
  }
}
