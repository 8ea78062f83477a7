import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

@Suite struct `A purchase` {
  @Test func `is granted once, finished after the server's verdict, and leaves nothing behind`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(quantity: 3)

    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    let order = world.server.orders.first?.id
    #expect(tap.outcome == order.map { .fulfilled($0, recovered: false) })
    #expect(world.faults() == [])
    #expect(world.store.charges.map(\.quantity) == [3])
    #expect(world.store.queue == [])
    #expect(world.openRecords == [])
    #expect(world.server.finishedReports == ["1000"])
  }

  @Test func `has its key in the vault before the order is requested`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.server.requests("create").count == 1 }

    let key = world.server.requests("create").first?.fields["Idempotency-Key"] ?? ""
    #expect(world.openRecords == ["order-\(key).json"])
    #expect(world.disk.text("order-\(key).json").contains(#""state":"requested""#))
  }

  @Test func `has its order in the vault before the sheet opens, and the sheet has the order's id (1A.23, 1A.31)`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.store.sheets.count == 1 }

    let text = world.disk.text(world.openRecords.first ?? "")
    #expect(text.contains(#""state":"paying""#))
    #expect(text.contains(world.store.sheets.first?.token.appAccountToken ?? "none"))
    #expect(world.store.sheets.first?.token == world.server.orders.first?.id)
  }

  @Test func `has its evidence in the vault before it is sent (1A.34), and sends what the server needs (1A.61)`() {
    let world = ClientWorld()
    world.store.deviceVerificationId = "device-1"
    world.launch()
    _ = world.tap()
    world.goOn { world.server.requests("submit").count == 1 }

    #expect(world.disk.names.contains("transaction-1000.json"))
    let body = world.server.bodies("submit").first
    let order = world.server.orders.first?.id.appAccountToken ?? ""
    #expect(body?["evidence"]?.string == world.store.charges.first?.evidence)
    #expect(body?["transactionId"]?.string == "1000")
    #expect(body?["orderIds"]?.array?.compactMap(\.string) == [order])
    #expect(body?["sameRun"]?.string == order)
    #expect(body?["deviceVerificationId"]?.string == "device-1")
    #expect(body?["productId"]?.string == "com.example.coins60")
  }

  @Test func `has the server's verdict in the vault before the store finishes it (1A.69)`() {
    let world = ClientWorld()
    world.launch()
    _ = world.tap()
    world.goOn { world.store.finishes.count == 1 }

    #expect(world.disk.text("cleared-shop.json").contains(#""id":"1000""#))
  }

  @Test
  func `ends as cancelled when the user cancels; the order stays, and polls follow at 0, 5 and 30 s (1A.37)`() {
    let world = ClientWorld()
    world.store.next(.cancels)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .cancelled($0.id) })
    #expect(world.disk.text(world.openRecords.first ?? "").contains("failedOnce"))
    #expect(world.store.finishes.isEmpty, "there is nothing to submit, and no id")
    world.goOn(for: .minutes(5))
    #expect(world.store.queue == [], "a failed entry is closed (1A.71)")
  }

  @Test func `that failed but was charged is found by the later polls (S5, 1A.72)`() {
    let world = ClientWorld()
    world.store.next(.throwsFailure)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(tap.error?.code == .storeFailed)

    // The charge appears only in the queue: no callback ever comes.
    world.kill()
    let order = world.server.orders.first?.id
    world.store.chargeOutside("com.example.coins60", token: order)
    world.launch()
    world.goOn(for: .minutes(5))

    #expect(world.faults() == [])
    #expect(world.server.grants.first?.order == order)
  }

  @Test func `that fails first and is silently charged seconds later is found without a new start (S4)`() {
    let world = ClientWorld()
    world.store.next(.throwsFailure)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    world.store.processDied()  // No listener remains, as when a callback gets lost.
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .seconds(40))

    #expect(world.faults() == [])
    #expect(world.server.grants.first?.order == world.server.orders.first?.id)
  }

  @Test func `waits for a parent's approval without limit, and the server is notified (S15, 1A.45)`() {
    let world = ClientWorld()
    world.store.next(.isApproved(after: .days(20)))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    let order = world.server.orders.first

    #expect(tap.outcome == order.map { .pendingApproval($0.id) })
    world.goOn(for: .days(21))
    #expect(world.server.orders.first?.expiresAt == order.map { $0.createdAt + .days(30) })
    #expect(world.faults() == [])
    #expect(world.server.grants.first?.order == order?.id)
    #expect(world.openRecords == [])
  }

  @Test func `without an answer of its sheet is awaiting confirmation after three minutes`() {
    let world = ClientWorld()
    world.store.next(.hangs)
    world.launch()
    let begin = world.clock.now
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect((world.clock.now - begin) <= .seconds(181))
    #expect((world.clock.now - begin) >= .seconds(179))
  }

  @Test func `with a lost callback is decided by the queue after half a minute (1A.46)`() {
    let world = ClientWorld()
    world.store.next(.buysSilently)
    world.launch()
    let tap = world.tap()
    world.goOn(for: .seconds(40)) { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.faults() == [])
  }

  @Test func `that the server knows only from Apple's notification is decided by the server's verdict`() {
    let world = ClientWorld()
    world.letAppleNotify()
    world.store.next(.buysSilently)
    world.launch()
    let tap = world.tap()
    world.goOn { world.store.charges.count == 1 }
    world.store.answersNot(true)
    world.goOn(for: .minutes(2)) { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    world.store.answersNot(false)
    world.launch()
    world.goOn(for: .minutes(5))
    #expect(world.store.queue == [])
    #expect(world.openRecords == [])
  }

  @Test(arguments: [Verdict.held, .refused, .unclaimed, .revoked, .imported])
  func `with another verdict returns that verdict, and its order stays for support (X4)`(_ verdict: Verdict) {
    let world = ClientWorld()
    world.server.judge("1000", PaymentAnswer(transaction: "1000", verdict: verdict, reason: "why"))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(tap.outcome == world.server.orders.first.map { .notGranted($0.id, verdict, reason: "why") })
    #expect(world.store.queue.isEmpty == verdict.finish)
    #expect(world.openRecords.contains { world.disk.text($0).contains("setAside") })
    #expect(world.store.violations == [])
  }

  @Test func `of an owned product is reported as recovered, and never as unpaid`() {
    let world = ClientWorld()
    let earlier = OrderIdentifier(high: 0x0195_0000_0000_7000, low: 1 << 63 | 1)
    var owned = PaymentAnswer(transaction: "1000", verdict: .fulfilled, reason: PaymentAnswer.alreadyOwned)
    owned.order = earlier
    world.server.judge("1000", owned)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == .fulfilled(earlier, recovered: true))
    #expect(tap.outcome?.messageKey == .outcome(.recovered))
    #expect(CustomerMessages.ours(.outcome(.recovered)).english.contains("not charged again"))
  }

  @Test func `continues when its caller goes away after the sheet has opened`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    tap.task?.cancel()
    world.goOn(for: .minutes(5))

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect(world.faults() == [])
    #expect(world.store.charges.count == 1)
    #expect(world.openRecords == [])
  }

  @Test func `is not answered with the grant of the user who was signed in before (S7)`() {
    let world = ClientWorld()
    world.store.finishHangs(true)
    world.launch()
    let annas = world.tap()
    world.goOn { annas.isDone }
    _ = world.ask { await $0.setUser("bert") }
    let berts = world.tap()
    world.goOn { berts.isDone }

    #expect(annas.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(berts.outcome?.order != annas.outcome?.order)
    #expect(world.store.charges.count == 2)
  }

  @Test func `is not charged twice if an unfinished purchase of the same product is completed first (1A.56, X13)`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    #expect(tap.outcome == world.server.grants.first.map { .fulfilled($0.order, recovered: true) })
    #expect(world.store.sheets.isEmpty)
    #expect(world.store.charges.count == 1)
    #expect(world.faults() == [])
  }

  @Test func `survives a finish that never returns (1A.70)`() {
    let world = ClientWorld()
    world.store.finishHangs(true)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.openRecords == [], "finish, wait, then delete")
    #expect(world.store.queue.count == 1)
    world.store.finishHangs(false)
    world.launch()
    world.goOn(for: .minutes(5))
    #expect(world.store.queue == [])
    #expect(world.server.requests("submit").count == 1, "the server's verdict was in the vault")
  }
}
