import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `A transaction that is submitted` {
  @Test(arguments: [
    ScriptedBackend.Fault.requestLost, .answerLost, .answers(ScriptedBackend.problem(500, "outcome_unknown")),
    .answers(HTTPResponse(status: 200, body: Array("<html>Log in to this network</html>".utf8))),
    .answers(HTTPResponse(status: 404, body: Array("not found".utf8))),
    .answers(HTTPResponse(status: 200, json: .members([("payments", .array([])), ("more", .bool(false))]))),
    .answers(ScriptedBackend.problem(400, "request_unreadable")), .answers(ScriptedBackend.problem(403, "not_allowed")),
  ])
  func `is never finished without the server's verdict, after any other answer (S10, X3, X4)`(
    _ fault: ScriptedBackend.Fault
  ) {
    let world = ClientWorld()
    world.server.always("submit", fault)
    world.server.always("order", .requestLost)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .hours(1))

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) })
    #expect(world.store.queue.count == 1)
    #expect(world.store.finishes == [])
    #expect(world.openRecords.count == 2, "the order and its evidence")

    world.server.always("submit", nil)
    world.server.always("order", nil)
    world.launch()
    world.goOn(for: .minutes(1))
    #expect(world.faults() == [])
    #expect(world.store.queue == [])
    #expect(world.openRecords == [])
  }

  @Test func `is retried after 10, 30 and 120 s, then no more in this run (1A.63, X16, S18)`() {
    let world = ClientWorld()
    world.server.always("submit", .requestLost)
    world.launch()
    world.goOn(for: .seconds(1))
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .hours(10))

    let pauses = world.server.pauses("submit")
    #expect(pauses.count == 3)
    #expect(zip(pauses, [10...12, 30...36, 120...144] as [ClosedRange<Int64>]).allSatisfy { $1.contains($0) })
  }

  @Test func `waits as long as the server demands, also when the app comes to the foreground`() {
    let world = ClientWorld()
    world.server.fault("submit", .answers(ScriptedBackend.problem(503, "overloaded", retryAfter: 300)))
    world.launch()
    world.goOn(for: .seconds(1))
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .seconds(60))
    let report = world.ask { await $0.recover(.foreground) }
    world.goOn(for: .hours(1))

    #expect(report?.waiting == 1)
    let pauses = world.server.pauses("submit")
    #expect(pauses.count == 1)
    #expect(pauses.allSatisfy { (300...360).contains($0) })
    #expect(world.faults() == [])
  }

  @Test func `that is pending is retried when the server demands`() {
    let world = ClientWorld()
    var pending = PaymentAnswer(transaction: "1000", verdict: .pending)
    pending.retryAfter = .seconds(50)
    world.server.judge("1000", pending)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.outcome == world.server.orders.first.map { .fulfilled($0.id, recovered: false) })
    #expect(world.server.pauses("submit").allSatisfy { (50...60).contains($0) })
    #expect(world.faults() == [])
  }

  @Test func `many times at once is submitted once`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.store.queue.count == 1 }
    for entry in world.store.queue { for _ in 0..<20 { world.store.deliver(entry) } }
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    #expect(world.server.requests("submit").count == 1)
    #expect(world.faults() == [])
    #expect(!world.eventLog.lines.contains { $0.hasPrefix("client.finish.didNotStick") }, "a repeat does not count")
  }

  @Test func `again after its verdict, by an app without its records, is harmless (1A.66)`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.store.queue.contains { $0.state == .purchased } }
    let entry = world.store.queue.first { $0.state == .purchased }
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))
    let submitted = world.server.requests("submit").count
    #expect(submitted == 1 && world.server.grants.count == 1)
    for again in 1...3 {
      world.loseVault()
      world.launch()
      world.goOn(for: .seconds(1))
      if let entry { world.store.deliver(entry) }
      world.goOn(for: .minutes(5))
      #expect(world.server.requests("submit").count == submitted + again, "it is verified again")
    }
    #expect(world.server.grants.count == 1)
    #expect(world.faults() == [])
    #expect(world.openRecords == [])
  }

  @Test(arguments: [Verdict.refused, .unclaimed])
  func `is judged by itself: an earlier verdict on a paid one does not finish the next (X21)`(_ verdict: Verdict) {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))
    #expect(world.store.finishes == ["1000"])

    let next = world.store.chargeOutside("com.example.coins60")
    world.server.judge(next, PaymentAnswer(transaction: next, verdict: verdict))
    if let entry = world.store.queue.first { world.store.deliver(entry) }
    world.goOn(for: .minutes(1))
    #expect(!world.server.requests("submit").isEmpty)
    #expect(world.store.finishes == ["1000"], "one transaction proves nothing about another")
    #expect(world.store.queue.map(\.id) == [next])
    #expect(world.store.violations == [])
  }

  @Test func `makes the app fetch a new token once when the server refuses the first`() {
    let world = ClientWorld()
    world.server.refuseToken("token-anna")
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(1))

    #expect(world.faults() == [])
    #expect(tap.outcome != nil)
  }

  @Test(arguments: ["", "two words", "line\nbreak", "schlüssel"])
  func `is not sent with a malformed token`(_ token: String) {
    let world = ClientWorld()
    world.configure = { $0.userToken = { _ in token } }
    world.store.chargeOutside("com.example.coins60")
    world.launch()
    world.goOn(for: .minutes(1))

    #expect(world.server.requests.isEmpty)
    #expect(world.store.queue.count == 1)
  }

  @Test func `waits for a user, and is submitted when one signs in`() {
    let world = ClientWorld()
    world.store.chargeOutside("com.example.coins60")
    world.launch(as: nil)
    world.goOn(for: .hours(1))
    #expect(world.server.requests.isEmpty)
    #expect(world.store.queue.count == 1)

    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))
    #expect(world.faults() == [])
    #expect(world.store.queue == [])
  }

  @Test
  func `uses the app's own key while no user is signed in; an unclaimed one is retried for the next user`() {
    let world = ClientWorld()
    world.configure = { $0.publishableKey = "pk_test" }
    world.store.chargeOutside("com.example.coins60")
    world.launch(as: nil)
    world.goOn(for: .minutes(1))
    #expect(world.server.requests("submit").count == 1)
    #expect(world.store.queue.count == 1, "unclaimed is not finished")

    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))
    #expect(world.faults() == [])
    #expect(world.store.queue == [])
  }

  @Test func `names the fitting orders of all users of the device, newest first, and no others (S20, 1A.36)`() {
    let world = ClientWorld()
    let recent = "2027-01-15T07:30:00.000Z"
    world.disk.putRecord("a", user: "anna", state: #""failedOnce""#, order: 1)
    world.disk.putRecord("b", user: "bert", state: #""paying""#, order: 2, createdAt: recent)
    world.disk.putRecord("c", user: "anna", state: #""created""#, order: 3)
    world.disk.putRecord("d", user: "anna", state: #""owned""#, order: 4)
    world.disk.putRecord("e", user: "anna", product: "coins6", state: #""paying""#, order: 5)
    world.disk.putRecord("f", user: "anna", state: #""paying""#, order: 6, createdAt: "2026-11-15T07:00:00.000Z")
    world.disk.putRecord("g", user: "anna", state: #""paying""#, order: 7, createdAt: "2027-01-15T09:00:00.000Z")
    world.disk.putRecord("h", user: "anna", state: #""paid","transactionId":"999""#, order: 8)
    world.store.chargeOutside("com.example.coins60")
    world.server.always("order", .requestLost)
    world.server.always("close", .requestLost)
    world.launch()
    world.goOn(for: .seconds(1))

    let ids = world.server.bodies("submit").first?["orderIds"]?.array?.compactMap(\.string) ?? []
    #expect(ids.compactMap { OrderIdentifier($0)?.low }.map { $0 & 0xFF } == [2, 1])
    #expect(world.server.bodies("submit").first?["sameRun"] == nil)
  }

  @Test func `and belongs to the previous user is granted to them, though another user is signed in (S7, S20)`() {
    let world = ClientWorld()
    world.launch(as: "anna")
    let tap = world.tap()
    world.goOn { world.store.sheets.count == 1 }
    _ = world.ask { await $0.setUser("bert") }
    world.goOn(for: .minutes(5))

    #expect(tap.outcome == world.server.orders.first.map { .awaitingConfirmation($0.id) }, "bert's answer hides it")
    #expect(world.faults(owner: "anna") == [])
    #expect(world.store.queue == [])
    #expect(world.ask { await $0.openOrders() } == [], "bert does not see anna's orders")
    _ = world.ask { await $0.setUser("anna") }
    world.goOn(for: .minutes(1))
    #expect(world.openRecords == [], "anna's own sign-in deletes it")
  }

  @Test func `without a token, beside another user's open sheet, is not claimed for that sheet (S7, S2)`() {
    let world = ClientWorld()
    world.store.next(.throwsFailure, .hangs)
    world.launch(as: "anna")
    let first = world.tap()
    world.goOn { first.isDone }
    world.launch(as: "bert")
    let tap = world.tap()
    world.goOn { world.store.sheets.count == 2 }
    world.store.chargeOutside("com.example.coins60")
    world.goOn(for: .seconds(20))

    #expect(world.server.bodies("submit").first?["orderIds"]?.array?.count == 2)
    #expect(world.server.bodies("submit").first?["sameRun"] == nil)
    #expect(world.server.grants == [], "held for an operator: never guessed across users")
    #expect(world.store.queue == [], "held is durable, so it is finished")
    #expect(tap.isDone == false, "bert's own purchase is not judged by it")
  }
}
