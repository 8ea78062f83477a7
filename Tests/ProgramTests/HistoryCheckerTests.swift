import Foundation
import StrictJSON
import Testing

/// A history of one purchase of 100 coins and two debits of 70, of which one is refused.
private struct PlantedHistory {
  var lines: [JSONValue]

  init() {
    lines = [
      Self.call("POST", "/v1/orders", 10, 20, key: "k1", 201, Self.order("awaitingPayment")),
      Self.charge("t1", "o1", 30, 40),
      Self.call("POST", "/v1/payments/app-store", 50, 60, 200, Self.fulfilled("t1", "o1", isFirst: true)),
      Self.delivery("m1", at: 55),
      Self.debit("d1", 70, 80, 201),
      Self.debit("d2", 75, 85, 409),
      Self.readOrder(90, 99, Self.order("paid")),
      Self.readEntries(90, 99, Self.entries(["t1": 100, "d1": -70])),
      .members([("kind", "rest"), ("at", .integer(200))]),
      Self.readOrder(210, 220, Self.order("paid")),
      Self.readEntries(230, 240, Self.entries(["t1": 100, "d1": -70])),
    ]
  }

  static func call(
    _ method: String, _ path: String, _ invoked: Int64, _ answered: Int64, key: String? = nil,
    request: JSONValue = .null, _ status: Int64?, _ answer: JSONValue
  ) -> JSONValue {
    .members([
      ("kind", "call"), ("invoked", .integer(invoked)), ("answered", .integer(answered)), ("method", .string(method)),
      ("path", .string(path)), ("key", key.map(JSONValue.string) ?? .null), ("request", request),
      ("status", status.map(JSONValue.integer) ?? .null), ("answer", answer),
    ])
  }

  static func charge(_ transaction: String, _ order: String, _ invoked: Int64, _ answered: Int64) -> JSONValue {
    .members([
      ("kind", "charge"), ("invoked", .integer(invoked)), ("answered", .integer(answered)),
      ("transaction", .string(transaction)), ("order", .string(order)),
    ])
  }

  static func fulfilled(_ transaction: String, _ order: String, isFirst: Bool) -> JSONValue {
    .members([
      (
        "payments",
        .array([
          .members([
            ("transactionId", .string(transaction)), ("verdict", "fulfilled"), ("orderId", .string(order)),
            ("firstSeen", .bool(isFirst)),
          ])
        ])
      )
    ])
  }

  static func delivery(
    _ id: String, at: Int64, transaction: String = "t1", user: String = "ann", amount: Int64 = 100
  ) -> JSONValue {
    let body = JSONValue.members([
      ("type", "grant.created"), ("transactionId", .string(transaction)), ("orderId", "o1"), ("userId", .string(user)),
      ("units", .members([("unit", "coin"), ("amount", .integer(amount))])),
    ])
    return .members([
      ("kind", "delivery"), ("at", .integer(at)), ("id", .string(id)), ("body", .string(body.text)),
    ])
  }

  static func debit(_ id: String, _ invoked: Int64, _ answered: Int64, _ status: Int64?) -> JSONValue {
    call(
      "POST", "/v1/users/ann/balances/coin/debits", invoked, answered,
      request: .members([("id", .string(id)), ("amount", .integer(70))]), status, .null)
  }

  static func order(_ state: String, user: String = "ann", id: String = "o1") -> JSONValue {
    .members([("id", .string(id)), ("userId", .string(user)), ("state", .string(state))])
  }

  static func readOrder(_ invoked: Int64, _ answered: Int64, _ answer: JSONValue, _ status: Int64 = 200) -> JSONValue {
    call("GET", "/v1/orders/o1", invoked, answered, status, answer)
  }

  static func entries(_ amounts: KeyValuePairs<String, Int64>) -> JSONValue {
    .members([
      ("balance", .integer(amounts.reduce(0) { $0 + $1.value })),
      (
        "entries",
        .array(
          amounts.map { name, amount in
            .members([(amount < 0 ? "bookingId" : "transactionId", .string(name)), ("amount", .integer(amount))])
          })
      ),
    ])
  }

  static func readEntries(_ invoked: Int64, _ answered: Int64, _ answer: JSONValue) -> JSONValue {
    call("GET", "/v1/users/ann/balances/coin/entries?limit=100", invoked, answered, 200, answer)
  }

  /// The rules that the checker finds broken.
  func rules(isWhole: Bool = true) async throws -> Set<String> {
    try await withFolder { folder in
      let path = folder + "/history"
      let end: [JSONValue] = isWhole ? [.members([("kind", "end"), ("lines", .integer(Int64(lines.count)))])] : []
      try (lines + end).map(\.text).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      return try await HistoryVerdict.of(path).rules
    }
  }
}

@Suite struct `The checker of histories` {
  private func rules(_ plant: (inout [JSONValue]) -> Void) async throws -> Set<String> {
    var history = PlantedHistory()
    plant(&history.lines)
    return try await history.rules()
  }

  @Test func `finds an order that was answered and is lost`() async throws {
    let found = try await rules { $0[9] = PlantedHistory.readOrder(210, 220, .null, 404) }
    #expect(found.contains("lostOrder"))
  }

  @Test func `finds a charge that is never granted`() async throws {
    let found = try await rules {
      $0[2] = PlantedHistory.call("POST", "/v1/payments/app-store", 50, 60, nil, .null)
      for number in [6, 9] { $0[number] = PlantedHistory.readOrder(210, 220, PlantedHistory.order("awaitingPayment")) }
      $0.remove(at: 3)
    }
    #expect(found.isSuperset(of: ["lostGrant", "lostDelivery"]))
  }

  @Test func `finds a grant that was told and is not in the balance`() async throws {
    let found = try await rules {
      $0[4] = PlantedHistory.debit("d1", 70, 80, 409)
      $0[7] = PlantedHistory.readEntries(90, 99, PlantedHistory.entries([:]))
      $0[10] = PlantedHistory.readEntries(230, 240, PlantedHistory.entries([:]))
    }
    #expect(found.isSuperset(of: ["lostGrant", "balance"]))
  }

  @Test func `finds a message that comes again with other content`() async throws {
    let found = try await rules { $0.insert(PlantedHistory.delivery("m1", at: 58, amount: 101), at: 4) }
    #expect(found.contains("otherContent"))
  }

  @Test func `finds a grant that comes under two ids`() async throws {
    #expect(try await rules { $0.insert(PlantedHistory.delivery("m2", at: 58), at: 4) } == ["doubledGrant"])
  }

  @Test func `finds a grant that two callers are told as new`() async throws {
    let again = PlantedHistory.fulfilled("t1", "o1", isFirst: true)
    let found = try await rules {
      $0.insert(PlantedHistory.call("POST", "/v1/payments/app-store", 51, 62, 200, again), at: 4)
    }
    #expect(found == ["doubledGrant"])
  }

  @Test func `finds what is delivered to somebody else, and what nobody paid`() async throws {
    #expect(try await rules { $0[3] = PlantedHistory.delivery("m1", at: 55, user: "bob") } == ["wrongDelivery"])
    let unpaid = try await rules { $0.insert(PlantedHistory.delivery("m2", at: 58, transaction: "t2"), at: 4) }
    #expect(unpaid == ["unpaidGrant"])
    #expect(try await rules { $0[3] = PlantedHistory.delivery("m1", at: 25) }.contains("unpaidGrant"))
  }

  @Test func `finds a debit below the balance`() async throws {
    let found = try await rules {
      $0[5] = PlantedHistory.debit("d2", 75, 85, 201)
      let below = PlantedHistory.entries(["t1": 100, "d1": -70, "d2": -70])
      $0[7] = PlantedHistory.readEntries(90, 99, below)
      $0[10] = PlantedHistory.readEntries(230, 240, below)
    }
    #expect(found == ["balance", "wrongSum"])
  }

  @Test func `finds a debit that was refused although there was enough`() async throws {
    #expect(try await rules { $0[5] = PlantedHistory.debit("d2", 65, 68, 409) } == ["balance"])
  }

  @Test func `finds a debit that was booked and is lost, and one that nobody asked for`() async throws {
    let lost = try await rules {
      $0[10] = PlantedHistory.readEntries(230, 240, PlantedHistory.entries(["t1": 100]))
    }
    #expect(lost.contains("lostEntry"))
    let unasked = try await rules {
      $0[10] = PlantedHistory.readEntries(230, 240, PlantedHistory.entries(["t1": 100, "d1": -70, "d9": -1]))
    }
    #expect(unasked.contains("unasked"))
  }

  @Test func `finds an answer that goes back in time, about an order and about a balance`() async throws {
    let order = try await rules {
      $0.insert(PlantedHistory.readOrder(100, 110, PlantedHistory.order("awaitingPayment")), at: 8)
    }
    #expect(order == ["goesBack"])
    let balance = try await rules {
      $0.insert(PlantedHistory.readEntries(100, 110, PlantedHistory.entries(["t1": 100])), at: 8)
    }
    #expect(balance == ["balance", "lostEntry"])
  }

  @Test func `finds a key that made two orders`() async throws {
    let found = try await rules {
      $0.insert(
        PlantedHistory.call(
          "POST", "/v1/orders", 21, 25, key: "k1", 201, PlantedHistory.order("awaitingPayment", id: "o2")),
        at: 1)
    }
    #expect(found.contains("twoOrders"))
  }

  @Test func `finds one order that two keys made`() async throws {
    let found = try await rules {
      let order = PlantedHistory.order("awaitingPayment")
      $0.insert(PlantedHistory.call("POST", "/v1/orders", 21, 25, key: "k2", 201, order), at: 1)
    }
    #expect(found == ["oneOrderTwice"])
  }

  @Test func `finds an order that belongs to another user at the end`() async throws {
    let found = try await rules {
      $0[9] = PlantedHistory.readOrder(210, 220, PlantedHistory.order("paid", user: "bob"))
    }
    #expect(found == ["wrongUser"])
  }

  @Test func `finds a charge that is granted for another order than its own`() async throws {
    let found = try await rules {
      let other = PlantedHistory.fulfilled("t1", "o2", isFirst: true)
      $0[2] = PlantedHistory.call("POST", "/v1/payments/app-store", 50, 60, 200, other)
    }
    #expect(found.contains("wrongOrder"))
  }

  @Test func `refuses a history that is cut short, never rests, or is not read at its end`() async throws {
    #expect(try await PlantedHistory().rules(isWhole: false) == ["incomplete"])
    #expect(try await rules { $0.remove(at: 8) }.contains("incomplete"))
    #expect(try await rules { $0.remove(at: 10) } == ["incomplete"])
    #expect(try await rules { $0.remove(at: 9) } == ["incomplete"])
  }

  @Test func `lets an unanswered debit take effect late, or never`() async throws {
    #expect(try await rules { _ in } == [])
    #expect(try await rules { $0[4] = PlantedHistory.debit("d1", 70, 80, nil) } == [])
    // It was refused, another attempt of it was not answered and came late: after the read that shows nothing of it.
    let late = try await rules {
      $0[4] = PlantedHistory.debit("d1", 22, 28, nil)
      $0.insert(PlantedHistory.debit("d1", 23, 29, 409), at: 5)
      $0.insert(PlantedHistory.readEntries(62, 64, PlantedHistory.entries(["t1": 100])), at: 8)
    }
    #expect(late == [])
  }
}
