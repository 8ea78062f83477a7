import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import Testing

// How a submitted transaction affects the next sale.
extension `A transaction that is submitted` {
  @Test func `and refused, unclaimed or another user's does not block the next sale (1A.56)`() {
    let world = ClientWorld()
    let refused = world.store.chargeOutside("com.example.coins60")
    let unclaimed = world.store.chargeOutside("com.example.coins60")
    let foreign = world.store.chargeOutside("com.example.coins60")
    world.server.judge(refused, PaymentAnswer(transaction: refused, verdict: .refused, reason: "notGenuine"))
    world.server.judge(unclaimed, PaymentAnswer(transaction: unclaimed, verdict: .unclaimed))
    world.server.judge(foreign, PaymentAnswer(transaction: foreign, verdict: .fulfilledForAnother))
    world.launch()
    world.goOn(for: .minutes(1))
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.store.queue.compactMap(\.id) == [refused, unclaimed])
    #expect(world.server.requests("submit").count == 4, "set aside: not submitted before each purchase")
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.server.requests("submit").count == 6, "but at each start")
  }

  @Test(arguments: [Verdict.refused, .fulfilled])
  func `is judged by an answer about another number only if that answer forbids to finish`(_ verdict: Verdict) {
    let world = ClientWorld()
    let id = world.store.chargeOutside("com.example.coins60")
    for _ in 0..<9 { world.server.judge(id, PaymentAnswer(transaction: "unknown", verdict: verdict)) }
    world.launch()
    world.goOn(for: .minutes(1))
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(world.store.finishes.contains(id) == false)
    #expect((tap.error?.code == .earlierPurchaseUndecided) == (verdict == .fulfilled))
  }

  @Test func `and unreadable for the server, or lost at its finish, does not block the next sale either`() {
    let world = ClientWorld()
    world.store.finishFails(times: 100)
    let finished = world.store.chargeOutside("com.example.coins60")
    world.launch()
    world.goOn(for: .minutes(1))
    let unreadable = world.store.chargeOutside("com.example.coins60")
    world.server.fault("submit", .answers(ScriptedBackend.problem(400, "evidence_unreadable")))
    world.goOn(for: .minutes(1))
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome.map { if case .fulfilled(_, recovered: false) = $0 { true } else { false } } == true)
    #expect(world.store.queue.compactMap(\.id).starts(with: [finished, unreadable]))
  }

  @Test func `goes to the server also if the device could not check it, and if it is a refund`() {
    let world = ClientWorld()
    let id = world.store.chargeOutside("com.example.coins60")
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.server.requests("submit").count == 1)

    var revoked = StoreTransaction(handle: "r", state: .revoked(at: world.clock.now))
    revoked.id = id
    revoked.evidence = world.store.charges.first?.evidence
    world.server.judge(id, PaymentAnswer(transaction: id, verdict: .revoked))
    world.store.deliver(revoked)
    var unverified = StoreTransaction(handle: "u", state: .unverified)
    unverified.id = "2000"
    unverified.evidence = #"{"transactionId":"2000"}"#
    world.store.deliver(unverified)
    world.goOn(for: .minutes(1))

    #expect(world.server.requests("submit").count == 3, "the charge is cleared, its refund is an update of its own")
    #expect(world.store.violations == [])
    #expect(!world.store.finishes.contains("2000"), "refused: not finished")
  }
}
