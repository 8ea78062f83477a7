import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The list of notifications` {
  private static let other = AppEnvironment(app: "other", environment: .production)

  private func notification(
    _ id: String, of type: String = "REFUND", _ effect: ReceivedNotification.Effect = .applied,
    from store: Store = .appStore, in realm: AppEnvironment = production
  ) -> ReceivedNotification {
    ReceivedNotification(
      appEnvironment: realm, id: id, type: type, subtype: nil, signedDate: at(1), transaction: "1",
      signedPayload: store == .appStore ? "a.b.c" : "{}", receivedAt: at(2), effect: effect)
  }

  @Test(arguments: DatabaseKind.allCases)
  func `has pages, the newest first, and only what the filters allow`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let all = [
        notification("b"), notification("a", of: "REVOKE", .kept), notification("z", in: Self.other),
        notification("d", of: "TRANSACTION.SUCCESS", from: .weChatPay), notification("c", .kept),
      ]
      try await database.commit { transaction throws in for one in all { try transaction.insert(one) } }
      func ids(
        limit: Int = 9, _ change: (inout NotificationQuery) -> Void = { _ in }
      ) async throws -> [[String]] {
        var query = NotificationQuery(appEnvironment: production, limit: limit)
        change(&query)
        var pages: [[String]] = []
        repeat {
          let asked = query
          let page = try await database.read { try $0.notifications(asked) }
          pages.append(page.notifications.map(\.id))
          query.before = page.next
        } while query.before != nil && pages.count < 9
        return pages
      }
      #expect(try await ids() == [["c", "d", "a", "b"]])
      #expect(try await ids(limit: 2).filter { !$0.isEmpty } == [["c", "d"], ["a", "b"]])
      #expect(try await ids { $0.effect = .kept } == [["c", "a"]])
      #expect(try await ids { $0.store = .weChatPay } == [["d"]])
      #expect(try await ids { ($0.store, $0.type) = (.appStore, "REFUND") } == [["c", "b"]])
      #expect(try await ids { $0.type = "refund" } == [[]])
      #expect(try await ids { $0.appEnvironment = Self.other } == [["z"]])
      #expect(try await ids { $0.before = 1 } == [[]])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `looks at a bounded number of rows, and goes on behind them`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(notification("first"))
        for number in 0..<Int(NotificationQuery.scanMax) {
          try transaction.insert(notification("\(number)", in: Self.other))
        }
      }
      var query = NotificationQuery(appEnvironment: production, limit: 5)
      let asked = query
      let page = try await database.read { try $0.notifications(asked) }
      #expect(page.notifications.isEmpty)
      query.before = page.next
      #expect(query.before != nil)
      let further = query
      #expect(try await database.read { try $0.notifications(further) }.notifications.map(\.id) == ["first"])
    }
  }
}
