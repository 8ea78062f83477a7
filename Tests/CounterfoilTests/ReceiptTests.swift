import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

private let notInReceipt = PaymentAnswer.notInReceipt

/// StoreKit 1 has one receipt for all purchases. It may be older than the queue.
@Suite struct `A receipt that lags behind the queue` {
  /// A charge that the receipt does not show yet; the server reports that.
  private func lagging() -> (ClientWorld, TransactionIdentifier) {
    let world = ClientWorld()
    let id = world.store.chargeOutside("com.example.coins60")
    world.store.letEvidenceLag()
    world.server.judge("999", PaymentAnswer(transaction: id, verdict: .refused, reason: notInReceipt))
    return (world, id)
  }

  @Test func `is refused if a new receipt does not show the purchase either, and is not fetched forever`() {
    let (world, id) = lagging()
    world.server.judge(id, PaymentAnswer(transaction: id, verdict: .refused, reason: notInReceipt))
    world.launch()
    let events = world.listen()
    world.goOn(for: .hours(1))

    #expect(world.server.requests("submit").count == 2 && world.store.freshEvidences == 1)
    #expect(events.value.filter { $0 == .notGranted(id, .refused, reason: notInReceipt) }.count == 1)
    #expect(world.store.finishes == [], "a refused transaction is not finished")
  }

  @Test func `is not fetched for a purchase outside the queue: the server's verdict stands`() {
    let world = ClientWorld()
    world.server.always("submit", .requestLost)
    world.launch()
    world.goOn(for: .seconds(1))
    let id = world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .seconds(1))
    #expect(world.openRecords.count == 1, "its evidence is in the vault")
    world.store.clearQueue()
    world.server.always("submit", nil)
    world.server.judge(id, PaymentAnswer(transaction: id, verdict: .refused, reason: notInReceipt))
    world.launch()
    let events = world.listen()
    world.goOn(for: .hours(1))

    #expect(world.store.freshEvidences == 0)
    #expect(events.value.contains(.notGranted(id, .refused, reason: notInReceipt)))
  }

  @Test func `is not fetched if the server refuses for another reason`() {
    let world = ClientWorld()
    let id = world.store.chargeOutside("com.example.coins60")
    world.server.judge(id, PaymentAnswer(transaction: id, verdict: .refused, reason: "notGenuine"))
    world.launch()
    world.goOn(for: .hours(1))

    #expect(world.server.requests("submit").count == 1 && world.store.freshEvidences == 0)
  }

  @Test func `is fetched again and sent once more before the user sees a refusal (X4)`() {
    let (world, id) = lagging()
    world.launch()
    let events = world.listen()
    world.goOn(for: .minutes(2))

    let sent = world.server.bodies("submit").compactMap { $0["evidence"]?.string }
    #expect(sent.count == 2 && sent.last == world.store.charges.first?.evidence && sent.first != sent.last)
    #expect(world.store.freshEvidences == 1)
    #expect(!events.value.contains { if case .notGranted = $0 { true } else { false } })
    #expect(world.faults() == [])
    #expect(world.store.queue == [] && world.store.finishes == [id])
  }
}

/// The orders in a request with a receipt: a receipt shows all purchases, of any user.
@Suite struct `The orders that are named beside evidence` {
  /// The numbers of the orders that the request names, for a purchase of 60 coins with that evidence.
  private func named(with evidence: String) -> [UInt64] {
    let world = ClientWorld()
    let recent = "2027-01-15T07:30:00.000Z"
    world.disk.putRecord("a", user: "anna", state: #""failedOnce""#, order: 1)
    world.disk.putRecord("b", user: "bert", state: #""paying""#, order: 2, createdAt: recent)
    world.disk.putRecord("c", user: "anna", state: #""created""#, order: 3)
    world.disk.putRecord("d", user: "bert", state: #""owned""#, order: 4)
    world.disk.putRecord("e", user: "bert", product: "coins6", state: #""paying""#, order: 5)
    world.disk.putRecord("f", user: "anna", state: #""deferred""#, order: 6, createdAt: "2026-11-15T07:00:00.000Z")
    world.disk.putRecord("g", user: "bert", state: #""paid","transactionId":"999""#, order: 7)
    world.disk.putRecord("h", user: "anna", product: "coins6", state: #""created""#, order: 8)
    world.server.always("order", .requestLost)
    world.server.always("close", .requestLost)
    world.launch()
    world.goOn(for: .seconds(1))
    var entry = StoreTransaction(handle: "entry-1", state: .purchased)
    entry.id = "1000"
    entry.product = "com.example.coins60"
    entry.purchaseDate = world.clock.now
    entry.evidence = evidence
    world.store.deliver(entry)
    world.goOn(for: .seconds(1))
    let ids = world.server.bodies("submit").first?["orderIds"]?.array?.compactMap(\.string) ?? []
    return ids.compactMap { OrderIdentifier($0)?.low }.map { $0 & 0xFF }
  }

  @Test func `are those that a signed transaction may pay: it shows one purchase`() {
    #expect(named(with: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln") == [2, 1])
  }

  @Test func `are all that a receipt may pay, also other users', the matching orders first (S20)`() {
    let named = named(with: "MIICounterfoilReceipt")
    #expect(named.prefix(2) == [2, 1])
    // Neither granted orders nor orders without an opened sheet.
    #expect(named.dropFirst(2).sorted() == [5, 6, 7])
  }
}
