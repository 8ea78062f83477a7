import Counterfoil
import CounterfoilTesting
import PaymentPrimitives
import Synchronization
import TestDoubles
import Testing

/// A queue with calls that hang (B16).
@Suite struct `A client over a queue that hangs` {
  @Test func `cancels a call that takes too long, so none stays behind`() {
    let world = ClientWorld()
    let calls = HungCalls(heedsCancellation: true)
    world.wrapQueue = { HungQueue(base: $0, calls: calls) }
    world.launch()
    for _ in 0..<5 {
      _ = world.ask { await $0.recover(.userAsked) }
      world.letPass(.minutes(2))
    }
    #expect(calls.begun >= 5)
    #expect(calls.open == 0, "each was cancelled when its time had ended")
  }

  @Test func `is stopped at once, and starts again beside a call that ignores cancellation`() {
    let world = ClientWorld()
    let calls = HungCalls(heedsCancellation: false)
    world.wrapQueue = { HungQueue(base: $0, calls: calls) }
    let purchasing = world.launch().purchasing
    world.goOn(for: .seconds(1))
    #expect(calls.open >= 1)
    let isStopped = world.ask { client -> Bool in
      await client.stop()
      return true
    }
    #expect(isStopped == true)
    calls.hangs = false
    world.start { await purchasing.run() }
    let tap = world.tap()
    world.goOn { tap.isDone }
    guard case .fulfilled = tap.outcome else {
      Issue.record("\(String(describing: tap.result))")
      return
    }
    #expect(calls.open >= 1, "the first call still hangs")
    world.goOn(for: .minutes(5))
    #expect(world.faults() == [] && world.openRecords == [])
    #expect(!world.eventLog.lines.contains("client.run.twice"))
    calls.endAll()
    world.goOn(for: .minutes(1))
    let second = world.tap()
    world.goOn { second.isDone }
    #expect(second.outcome?.order != nil, "the end of the old run does not end the new one")
  }

  @Test func `gives waiting callers an answer when it is stopped, and retries after the next start`() {
    let world = ClientWorld()
    let calls = HungCalls(heedsCancellation: true)
    world.wrapQueue = { HungQueue(base: $0, calls: calls) }
    let purchasing = world.launch().purchasing
    world.goOn(for: .seconds(1))
    let report = SharedValue<RecoveryReport?>(nil)
    world.start { report.value = await purchasing.recover(.userAsked) }
    world.goOn(for: .zero)
    _ = world.ask { await $0.stop() }
    world.goOn(for: .seconds(1))
    #expect(report.value?.isComplete == false)
    world.store.chargeOutside("com.example.coins60")
    calls.hangs = false
    world.start { await purchasing.run() }
    world.goOn(for: .minutes(5))
    #expect(world.faults() == [] && world.store.queue == [])
  }

  @Test(.timeLimit(.minutes(1))) func `answers a start after a stop, and recovers`() async {
    let world = ClientWorld()
    let calls = HungCalls(heedsCancellation: false)
    world.wrapQueue = { HungQueue(base: $0, calls: calls) }
    let purchasing = world.makeClient()
    await purchasing.start()
    while calls.open == 0 { await Task.yield() }
    await purchasing.stop()
    calls.hangs = false
    await purchasing.start()
    let report = await purchasing.recover(.userAsked)
    #expect(report.isComplete && calls.open == 1)
    calls.endAll()
    await purchasing.stop()
    let late = await purchasing.openOrders()
    #expect(late == [])
  }

  @Test func `that is started and stopped many times does its work once each time`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    for round in 1...4 {
      _ = world.ask { await $0.stop() }
      world.start { await purchasing.run() }
      world.goOn(for: .seconds(1))
      let tap = world.tap()
      world.goOn { tap.isDone }
      world.goOn(for: .minutes(1))
      #expect(world.server.requests("submit").count == round)
    }
    #expect(world.faults() == [])
    #expect(!world.eventLog.lines.contains("client.updates.ended"), "no two listeners take turns")
  }
}

/// The calls that hang.
private final class HungCalls: Sendable {
  private struct State {
    var hangs = true
    var begun = 0
    var open: [Int: UnsafeContinuation<Void, Never>] = [:]
    var waiting = 0
  }
  private let state = Mutex(State())
  let heedsCancellation: Bool

  init(heedsCancellation: Bool) { self.heedsCancellation = heedsCancellation }

  var hangs: Bool {
    get { state.withLock { $0.hangs } }
    set { state.withLock { $0.hangs = newValue } }
  }
  var begun: Int { state.withLock { $0.begun } }
  var open: Int { state.withLock { $0.waiting } }

  func hang() async {
    state.withLock {
      $0.begun += 1
      $0.waiting += 1
    }
    if heedsCancellation {
      for await _ in AsyncStream<Void>.makeStream().stream {}
    } else {
      await withUnsafeContinuation { continuation in state.withLock { $0.open[$0.begun] = continuation } }
    }
    state.withLock { $0.waiting -= 1 }
  }

  func endAll() {
    let open = state.withLock { state in
      defer { state.open = [:] }
      return state.open
    }
    for number in open.keys.sorted() { open[number]?.resume() }
  }

  deinit { endAll() }
}

/// A queue that does not say what it holds.
private struct HungQueue: StoreQueue {
  let base: ScriptedQueue
  let calls: HungCalls

  func canMakePayments() async -> Bool { await base.canMakePayments() }
  func deviceVerificationId() async -> String? { await base.deviceVerificationId() }
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await base.products(ids)
  }
  func updates() async -> AsyncStream<StoreTransaction> { await base.updates() }
  func promotedPayments() async -> AsyncStream<PromotedPayment> { await base.promotedPayments() }
  func add(_ payment: StorePayment) async throws(StoreFailure) { try await base.add(payment) }
  func finish(_ transaction: StoreTransaction) async throws(StoreFailure) { try await base.finish(transaction) }
  func restore() async throws(StoreFailure) -> [StoreTransaction] { try await base.restore() }

  func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
    if calls.hangs {
      await calls.hang()
      throw StoreFailure(explanation: "cancelled")
    }
    return try await base.unfinished()
  }
}
