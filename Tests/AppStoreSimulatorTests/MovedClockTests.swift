import AppStoreProtocol
import AppStoreSimulator
import Cryptography
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import TestTier
import Testing

/// Questions to the App Store Server API while somebody moves the clock.
@Suite struct `The simulated App Store, asked while its clock is moved` {
  private static let subscribers = Tier.among(test: 24, check: 48, night: 1000)
  private static let questions = Tier.among(test: 240, check: 480, night: 10_000)
  private static let grace = TimeSpan.days(16)

  /// A year in steps of every size.
  private static let steps: [TimeSpan] = [
    TimeSpan(milliseconds: 1), .seconds(1), .minutes(1), .hours(1), .hours(23), .days(1), .days(6), .days(8), .days(14),
    .days(16), .days(31), .days(40), TimeSpan(milliseconds: 1), .days(1), .days(92), .days(156),
  ]

  /// A subscriber, and what the calendar must say.
  private struct Subscriber {
    enum Kind: Int, CaseIterable { case pays, endsWithItsPeriod, cannotPay }

    let id: TransactionIdentifier
    let kind: Kind
    let firstEnd: Timestamp

    /// The statuses that a moment allows, in the order in which they follow each other.
    static let order: [Int64] = [1, 4, 3, 2]

    func status(at moment: Timestamp) -> Int64 {
      switch kind {
      case .pays: 1
      case .endsWithItsPeriod: moment < firstEnd ? 1 : 2
      case .cannotPay:
        moment < firstEnd ? 1 : moment < firstEnd + grace ? 4 : moment < firstEnd + .days(60) ? 3 : 2
      }
    }
  }

  private static func shop() async throws -> (APIShop, [Subscriber]) {
    let api = try await APIShop()
    let store = api.store
    var app = SimulatedShop.app
    app.gracePeriodDays = 16
    try await store.catalog.setApp(app)
    var all: [Subscriber] = []
    for number in 0..<subscribers {
      let owner = AppOwner(account: AppleAccountIdentifier("s\(number)@example.com"), bundleId: app.bundleId)
      var account = SimulatedAppleAccount(id: owner.account, environment: .production)
      try await store.catalog.setAccount(account)
      let bought = try await api.shop.buy(SimulatedShop.month, by: owner).transaction
      let kind = Subscriber.Kind.allCases[number % 3]
      switch kind {
      case .pays: break
      case .endsWithItsPeriod: try await store.subscriptions.setAutoRenew(bought.id, to: false)
      case .cannotPay:
        account.canPay = false
        try await store.catalog.setAccount(account)
      }
      all.append(Subscriber(id: bought.id, kind: kind, firstEnd: try #require(bought.period?.expiresDate)))
    }
    return (api, all)
  }

  @Test func `contradicts the calendar in no answer of a year (AS-TIME-1)`() async throws {
    let (api, subscribers) = try await Self.shop()
    // A calendar runs: here each answer finds out what is due.
    await api.store.noteCalendar(runs: true)
    let perStep = Self.questions / Self.steps.count + 1
    var wrong: [String] = []
    for (number, step) in Self.steps.enumerated() {
      wrong += try await withThrowingTaskGroup(of: [String].self) { group in
        group.addTask {
          _ = try await api.store.advanceClock(by: step)
          return []
        }
        for asker in 0..<4 {
          group.addTask {
            var found: [String] = []
            for question in 0..<(perStep / 4 + 1) {
              let index = (question * 4 + asker + number * 7) % subscribers.count
              if let problem = try await Self.ask(api, subscribers[index]) { found.append("after \(step): \(problem)") }
            }
            return found
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
    }
    #expect(wrong == [])
  }

  /// Asks for the statuses of one subscriber.
  ///
  /// - Returns: what contradicts the calendar between the moments before and after the question.
  private static func ask(_ api: APIShop, _ subscriber: Subscriber) async throws -> String? {
    let before = await api.store.now()
    let reply = await api.send("GET", "/inApps/v1/subscriptions/" + subscriber.id.text).json
    let after = await api.store.now()
    let last = reply["data"]?.array?.first?["lastTransactions"]?.array?.first
    let status = try #require(last?["status"]?.integer)
    let places = [subscriber.status(at: before), status, subscriber.status(at: after)].map {
      Subscriber.order.firstIndex(of: $0) ?? -1
    }
    guard places[0] <= places[1], places[1] <= places[2] else { return "\(subscriber.kind) has the status \(status)" }
    let signed = try #require(last?["signedTransactionInfo"]?.string)
    let claims = try JSONReader.read(try #require(CompactJWS(signed.utf8, bytesMax: 1 << 16)).payload)
    let (begins, ends) = (try #require(claims["purchaseDate"]?.integer), try #require(claims["expiresDate"]?.integer))
    guard begins <= after.milliseconds else { return "\(subscriber.kind) has a period that begins later" }
    guard subscriber.kind != .pays || ends > before.milliseconds else { return "a payer's period has ended" }
    guard subscriber.kind == .pays || ends == subscriber.firstEnd.milliseconds else {
      return "\(subscriber.kind) has a second period"
    }
    return nil
  }
}
