import AppStoreSimulator
import Counterfoil
import HTTPMessages
import PaymentPrimitives
import SimulationKit
import Synchronization
import TestTier
import Testing

/// A book that keeps no delivery ids, like a backend that books every delivery.
private final class ForgetfulBook: WorldBook {
  private let list = Mutex<[WorldBookEntry]>([])

  func book(_ entry: WorldBookEntry) -> Bool {
    list.withLock { list in
      list += [entry, entry]
      return true
    }
  }

  var entries: [WorldBookEntry] { list.withLock { $0 } }
}

/// A queue as many apps have it: it finishes a charge before the server's answer.
private struct HastyQueue: StoreQueue {
  let inner: any StoreQueue

  func canMakePayments() async -> Bool { await inner.canMakePayments() }
  func deviceVerificationId() async -> String? { await inner.deviceVerificationId() }
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await inner.products(ids)
  }
  func updates() async -> AsyncStream<Counterfoil.StoreTransaction> { await inner.updates() }
  func finish(_ transaction: Counterfoil.StoreTransaction) async throws(StoreFailure) {
    try await inner.finish(transaction)
  }
  func restore() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.restore() }

  func unfinished() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] {
    let found = try await inner.unfinished()
    for transaction in found { try await inner.finish(transaction) }
    return found
  }

  func add(_ payment: StorePayment) async throws(StoreFailure) {
    try await inner.add(payment)
    _ = try await unfinished()
  }
}

/// A queue that never asks the store what is unfinished: it always answers that there is nothing.
private struct DeafQueue: StoreQueue {
  let inner: any StoreQueue

  func canMakePayments() async -> Bool { await inner.canMakePayments() }
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await inner.products(ids)
  }
  func updates() async -> AsyncStream<Counterfoil.StoreTransaction> { await inner.updates() }
  func unfinished() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { [] }
  func finish(_ transaction: Counterfoil.StoreTransaction) async throws(StoreFailure) {
    try await inner.finish(transaction)
  }
  func restore() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.restore() }
  func add(_ payment: StorePayment) async throws(StoreFailure) { try await inner.add(payment) }
  func deviceVerificationId() async -> String? { await inner.deviceVerificationId() }
}

/// A queue that never finishes anything, and reports that it has.
private struct LazyFinisher: StoreQueue {
  let inner: any StoreQueue

  func canMakePayments() async -> Bool { await inner.canMakePayments() }
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await inner.products(ids)
  }
  func updates() async -> AsyncStream<Counterfoil.StoreTransaction> { await inner.updates() }
  func unfinished() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.unfinished() }
  func finish(_ transaction: Counterfoil.StoreTransaction) async throws(StoreFailure) {}
  func restore() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.restore() }
  func add(_ payment: StorePayment) async throws(StoreFailure) { try await inner.add(payment) }
  func deviceVerificationId() async -> String? { await inner.deviceVerificationId() }
}

@Suite struct `A scenario` {
  private func scenario(_ name: String) throws -> Scenario {
    try #require(Scenario.all.first { $0.name == name })
  }

  @Test func `is broken by an app that finishes before the server's verdict`() throws {
    var substitutions = Substitutions()
    substitutions.queue = { HastyQueue(inner: $0) }
    for name in ["second-window", "server-down"] {
      let report = try scenario(name).run(substitutions: substitutions)
      #expect(!report.isKept && !report.problems.isEmpty, "\(name)")
    }
  }

  @Test func `is broken by a gateway that drops what phones submit`() throws {
    var substitutions = Substitutions()
    substitutions.gateway = { way in
      HTTPExchange { request, limit throws(HTTPExchangeError) in
        if request.target.hasSuffix("/v1/payments/app-store") { return HTTPResponse(status: 502) }
        return try await way.send(request, limit)
      }
    }
    for name in ["first-window", "user-switched", "new-phone"] {
      let report = try scenario(name).run(substitutions: substitutions)
      #expect(report.findings.contains { !$0.holds }, "\(name)")
    }
  }

  @Test func `is broken by a backend that books each delivery twice`() throws {
    var substitutions = Substitutions()
    substitutions.book = { ForgetfulBook() }
    let report = try scenario("kill-after-password").run(substitutions: substitutions)
    #expect(!report.isKept && report.findings.contains { !$0.holds })
  }

  @Test(arguments: Scenario.all.map(\.name))
  func `keeps the promise, by the ledger (1A.54, 1A.58, 1A.74, 1A.78, 1A.80)`(name: String) throws {
    let report = try scenario(name).run(keepsTrace: true)
    #expect(report.problems == [])
    for step in report.steps { #expect(step.holds != false, "\(step.text.english)") }
    for finding in report.findings { #expect(finding.holds, "\(finding.text.english)") }
    #expect(report.isKept && !report.steps.isEmpty && report.findings.count > 3)
  }

  /// The sentence that the phone, WeChat and the books must confirm.
  @Test(arguments: [
    ("wechat-1", "1A.15.1", "The cashier was opened for the order"),
    ("wechat-2", "1A.15.2", "the box is still open behind the app"),
    ("wechat-3", "1A.15.3", "the cashier is left, and the app knows nothing of it"),
    ("wechat-4", "1A.15.4", "The cashier was opened for the order"),
    ("wechat-7", "1A.15.7", "The cashier was never opened"), ("wechat-8", "1A.15.8", "The cashier was never opened"),
  ])
  func `of a lost callback runs: WeChat Pay is asked, and reports that nothing was paid`(
    name: String, item: String, sentence: String
  ) throws {
    let steps = try scenario(name).run().steps
    #expect(steps.contains { $0.holds == true && $0.text.english.contains(sentence) }, "\(item)")
    #expect(steps.contains { $0.holds == true && $0.text.english.hasPrefix("WeChat Pay itself was asked") })
    // If the server cannot ask, the step has no tick.
    var substitutions = Substitutions()
    substitutions.weChatPay = { way in
      HTTPExchange { request, limit throws(HTTPExchangeError) in
        guard request.method == "POST" else { throw .outcomeUnknown("nobody is there to ask") }
        return try await way.send(request, limit)
      }
    }
    let unasked = try scenario(name).run(substitutions: substitutions).steps
    #expect(unasked.contains { $0.holds == false && $0.text.english.hasPrefix("WeChat Pay itself was asked") })
  }

  @Test(arguments: ["queue-1", "queue-3", "queue-5"])
  func `of an empty queue has no tick for an app that asks nothing`(name: String) throws {
    var substitutions = Substitutions()
    substitutions.queue = { DeafQueue(inner: $0) }
    let report = try scenario(name).run(substitutions: substitutions)
    #expect(report.steps.contains { $0.holds == false }, "\(report.steps.map(\.text.english))")
  }

  @Test func `of an interrupted purchase ticks no step that did not happen`() throws {
    // The app's finishes never reach the store: steps 7 and 12 state that they do.
    var substitutions = Substitutions()
    substitutions.queue = { LazyFinisher(inner: $0) }
    let steps = try scenario("interrupted-purchase").run(substitutions: substitutions).steps
    for number in ["7. ", "12. "] {
      #expect(steps.contains { $0.holds == false && $0.text.english.hasPrefix(number) }, "\(number)")
    }
    let right = try scenario("interrupted-purchase").run().steps.filter { $0.holds == true }
    #expect(right.map { $0.text.english.prefix { $0 != "." } } == ["2", "3", "4", "6", "7", "8", "11", "12"])
  }

  @Test func `repeats exactly, and is right with other seeds`() throws {
    let scenario = try scenario("interrupted-purchase")
    let (once, again) = (scenario.run(seed: 7, keepsTrace: true), scenario.run(seed: 7, keepsTrace: true))
    #expect(once.events == again.events && once.steps == again.steps && !once.events.isEmpty)
    for seed in UInt64(2)...Tier.among(test: 2, check: 9, night: 30) {
      #expect(scenario.run(seed: seed).isKept, "seed \(seed)")
    }
  }

  @Test func `has a unique name, and explains common code in both languages`() {
    let names = Scenario.all.map(\.name)
    #expect(Set(names).count == names.count && names.count >= 35)
    for scenario in Scenario.all {
      #expect(scenario.name.allSatisfy { $0 == "-" || $0.isNumber || $0.isLowercase })
      for text in [scenario.title, scenario.naive] {
        #expect(!text.english.isEmpty && text.chinese.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) })
      }
    }
  }
}
