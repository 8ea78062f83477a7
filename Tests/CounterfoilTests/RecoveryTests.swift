import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A recovery` {
  @Test
  func `never deletes an order that may still be paid, even if failed, open or unknown to the server (1A.38)`() {
    let world = ClientWorld()
    for (number, state) in [#""paying""#, #""failedOnce""#, #""setAside","reason":"held""#, #""deferred""#].enumerated()
    {
      world.disk.putRecord("r\(number)", user: "anna", state: state, order: UInt64(number))
    }
    world.launch()
    world.goOn(for: .hours(1))

    #expect(world.openRecords.count == 4, "the server answers 404 to all of them")
  }

  @Test func `deletes nothing while the store's queue does not answer`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.kill()
    world.clock.pass(.days(8))
    world.store.answersNot(true)
    world.launch()
    world.goOn(for: .hours(1))
    #expect(world.openRecords.count == 1)

    world.store.answersNot(false)
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [], "closed at the server, and nothing in the queue")
  }

  @Test func `keeps a closed order while the queue has something that could pay it`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.kill()
    world.clock.pass(.days(8))
    let id = world.store.chargeOutside("com.example.coins60")
    for _ in 0..<9 { world.server.judge(id, PaymentAnswer(transaction: id, verdict: .unclaimed)) }
    world.launch()
    world.goOn(for: .hours(1))

    #expect(world.openRecords.contains { $0.hasPrefix("order-") })
  }

  @Test func `closes an order after a lost answer, found by the same key`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.server.orders.count == 1 }
    world.launch()
    world.goOn(for: .minutes(1))

    #expect(world.server.orders.map(\.closeReason) == ["customerGaveUp"])
    #expect(Set(world.server.requests("create").map { $0.fields["Idempotency-Key"] }).count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `completes a purchase that only the vault still knows (X7)`() {
    let world = ClientWorld()
    world.server.always("submit", .requestLost)
    world.launch()
    _ = world.tap()
    world.goOn { world.server.requests("submit").count == 1 }
    world.kill()
    world.store.clearQueue()
    world.server.always("submit", nil)
    world.launch()
    world.goOn(for: .minutes(1))

    #expect(world.faults() == [])
    #expect(world.openRecords == [])
    #expect(world.store.finishes == [], "there was nothing to finish")
  }

  @Test func `waits until a locked vault is readable, and submits nothing without its records (X7, S7)`() {
    let world = ClientWorld()
    world.store.loseTokens()
    world.launch(as: "anna")
    _ = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    world.kill()
    world.clock.pass(.minutes(1))
    world.disk.refuseReads(true)
    world.launch(as: "bert")
    world.goOn(for: .seconds(5))
    #expect(world.store.charges.count == 1)
    #expect(world.server.requests("submit").isEmpty)

    world.disk.refuseReads(false)
    world.goOn(for: .minutes(1))
    #expect(world.faults(owner: "anna") == [])
  }

  @Test func `submits a paid purchase also if the vault cannot write`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.store.charges.count == 1 }
    world.disk.refuseWrites(true)
    world.goOn(for: .minutes(5))
    #expect(world.faults() == [])
    #expect(world.store.queue == [])

    world.disk.refuseWrites(false)
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [])
  }

  @Test func `silently finishes again what returned to the queue, and counts it (S6, 1A.67, 1A.70)`() {
    let world = ClientWorld()
    world.store.finishDoesNotStick(times: 3)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))
    for _ in 0..<3 {
      world.launch()
      world.goOn(for: .minutes(1))
    }

    #expect(world.store.queue == [])
    #expect(world.server.requests("submit").count == 1)
    let lines = world.eventLog.lines.filter { $0.hasPrefix("client.finish.didNotStick") }
    #expect(lines.map { $0.split(separator: "=").last } == ["1", "2", "3"])
  }

  @Test func `accepts several unfinished transactions at once, in any order (S8)`() {
    let world = ClientWorld()
    world.launch()
    for product in ["coins60", "coins6", "coins12"] as [ProductIdentifier] {
      _ = world.tap(product)
      world.goOn { world.store.sheets.contains { $0.product == ScriptedBackend.storeProduct(of: product) } }
    }
    world.kill()
    world.clock.pass(.minutes(1))
    world.launch()
    world.goOn(for: .minutes(5))

    #expect(world.store.charges.count == 3)
    #expect(world.faults() == [])
    #expect(Set(world.server.grants.map(\.order)) == Set(world.server.orders.map(\.id)))
    #expect(world.openRecords == [])
  }

  @Test func `gives each user of a device their own purchases, in any order (S8, S20)`() {
    let world = ClientWorld()
    for user in ["anna", "bert"] as [UserIdentifier] {
      world.launch(as: user)
      _ = world.tap(user == "anna" ? "coins60" : "coins6")
      world.goOn { world.store.sheets.count == (user == "anna" ? 1 : 2) }
    }
    world.kill()
    world.clock.pass(.minutes(1))
    world.launch(as: "bert")
    world.goOn(for: .minutes(5))

    #expect(world.server.grants.first { $0.product == "com.example.coins60" }?.user == "anna")
    #expect(world.server.grants.first { $0.product == "com.example.coins6" }?.user == "bert")
    #expect(world.store.queue == [])
  }

  @Test func `sells behind a queue of 150 (SK1-19)`() {
    let world = ClientWorld()
    for number in 0..<150 { world.store.chargeOutside(StoreProductIdentifier("com.example.coins\(number)")) }
    world.launch()
    let tap = world.tap("coins1000")
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    #expect(tap.outcome != nil)
    #expect(world.faults() == [])
    #expect(world.store.queue == [])
  }

  // MARK: crossed orders (1A.54)

  @Test func `S3, S9: interrupted A, then B of the same product: A's payment pays A, and B needs a new tap (X5)`() {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .minutes(10)))
    world.launch()
    let first = world.tap("coins6")
    world.goOn { first.isDone }
    let a = world.server.orders.first?.id
    world.kill()
    world.clock.pass(.minutes(20))
    world.launch()
    let second = world.tap("coins6")
    world.goOn { second.isDone }
    #expect(second.outcome == a.map { .fulfilled($0, recovered: true) })
    #expect(world.store.sheets.count == 1)

    let third = world.tap("coins6")
    world.goOn { third.isDone }
    world.goOn(for: .minutes(5))
    #expect(third.outcome?.order != a)
    #expect(world.store.charges.count == 2)
    #expect(world.faults() == [])
    #expect(world.openRecords == [])
  }

  @Test func `S3, S9: interrupted A of 6, then B of 12, then C of 6: each payment pays its own product`() {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .minutes(10)))
    world.launch()
    let a = world.tap("coins6")
    world.goOn { a.isDone }
    let b = world.tap("coins12")
    world.goOn { b.isDone }
    #expect(b.outcome != nil)
    world.kill()
    world.clock.pass(.minutes(20))
    world.launch()
    let c = world.tap("coins6")
    world.goOn { c.isDone }
    world.goOn(for: .minutes(5))

    #expect(c.outcome.map { if case .fulfilled(_, recovered: true) = $0 { true } else { false } } == true)
    #expect(world.store.charges.count == 2)
    #expect(world.faults() == [])
    #expect(world.server.grants.first { $0.product == "com.example.coins6" }?.order == world.server.orders.first?.id)
  }

  @Test func `S3: A's payment that arrives while B's sheet is open is granted beside B's, each once`() {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .seconds(30)), .buys)
    world.launch()
    let a = world.tap("coins6")
    world.goOn { a.isDone }
    world.goOn(for: .seconds(28))
    let b = world.tap("coins6")
    world.goOn { b.isDone }
    world.goOn(for: .minutes(5))

    #expect(world.store.charges.count == 2)
    #expect(world.faults() == [])
    #expect(b.outcome.map { if case .fulfilled = $0 { true } else { false } } == true)
    #expect(world.store.queue == [])
  }

  @Test func `S7: submits a purchase that was partly refunded before it was seen, with the orders of all users`() throws
  {
    let world = ClientWorld()
    world.store.next(.failsThenBuys(after: .days(1)))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    let order = try #require(world.server.orders.first)
    world.launch(as: "bert")
    world.goOn(for: .seconds(5))
    var revoked = StoreTransaction(handle: "r", state: .revoked(at: world.clock.now))
    revoked.id = "2000"
    revoked.product = "com.example.coins60"
    revoked.purchaseDate = world.clock.now
    revoked.evidence = #"{"transactionId":"2000"}"#
    world.store.deliver(revoked)
    world.goOn(for: .minutes(1))

    let sent = try #require(world.server.requests("submit").last)
    #expect(String(decoding: sent.body, as: UTF8.self).contains(order.id.description))
  }
}
