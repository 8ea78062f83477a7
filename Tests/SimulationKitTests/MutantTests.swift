import Counterfoil
import Foundation
import HTTPMessages
import PaymentDatabase
import PaymentPrimitives
import SimulationKit
import Synchronization
import TestTier
import Testing

/// A part that breaks a rule, and replaces a correct part of a world.
struct Mutant: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// A world that noticed it; worlds change with the code, so others are tried after it.
  let likelySeed: UInt64
  let plant: @Sendable (inout Substitutions) -> Void

  init(testDescription: String, likelySeed: UInt64 = 1, plant: @escaping @Sendable (inout Substitutions) -> Void) {
    self.testDescription = testDescription
    self.likelySeed = likelySeed
    self.plant = plant
  }

  static let all: [Mutant] = [
    Mutant(testDescription: "a database that answers before it has written") { substitutions in
      substitutions.database = { ForgetfulDatabase(inner: $0) }
    },
    Mutant(testDescription: "a database of its own for each server process, so that nothing is unique") {
      substitutions in
      substitutions.database = { LonelyDatabase(inner: $0) }
    },
    Mutant(testDescription: "a client that finishes before the verdict") { substitutions in
      substitutions.queue = { HastyQueue(inner: $0) }
    },
    Mutant(testDescription: "a client that never finishes") { substitutions in
      substitutions.queue = { LazyQueue(inner: $0) }
    },
    Mutant(testDescription: "a gateway that takes the app's word for a payment at WeChat Pay") { substitutions in
      substitutions.gateway = { credulous($0) }
    },
    Mutant(testDescription: "a server that believes its own notifications alone, and never asks WeChat Pay") {
      substitutions in
      substitutions.weChatPay = { deaf($0) }
    },
    Mutant(testDescription: "a backend that books repeats") { substitutions in
      substitutions.book = { ForgetfulBook() }
    },
    Mutant(testDescription: "a backend that acknowledges and does not book") { substitutions in
      substitutions.book = { LossyBook() }
    },
  ]
}

@Suite struct `The oracle of the world` {
  @Test(arguments: Mutant.all)
  func `detects a broken part within 40 seeds`(fault: Mutant) {
    var substitutions = Substitutions()
    fault.plant(&substitutions)
    let planted = substitutions
    let caught = (1...40 as ClosedRange<UInt64>).lazy.map { PaymentWorld.run(seed: $0, substitutions: planted) }
      .first { !$0.problems.isEmpty }
    #expect(caught != nil)
    if let caught {
      let line = "\(fault.testDescription): noticed by seed \(caught.seed) after \(caught.steps) steps\n"
      FileHandle.standardOutput.write(Data(line.utf8))
    }
  }
}

/// Reports "paid" to each client that returns and asks about an order.
private func credulous(_ server: HTTPExchange) -> HTTPExchange {
  HTTPExchange { request, limit throws(HTTPExchangeError) in
    var response = try await server.send(request, limit)
    guard request.method == "GET", request.target.contains("/v1/orders/") else { return response }
    response.body = Array(
      String(decoding: response.body, as: UTF8.self)
        .replacing(#""state":"awaitingPayment""#, with: #""state":"paid""#).utf8)
    return response
  }
}

/// Lets requests for new orders pass, but no query and no bill.
private func deaf(_ weChatPay: HTTPExchange) -> HTTPExchange {
  HTTPExchange { request, limit throws(HTTPExchangeError) in
    guard request.method == "POST" else { throw .outcomeUnknown("nobody asked") }
    return try await weChatPay.send(request, limit)
  }
}

/// Reports "paid" for every second unpaid order, but cannot make the signature.
private final class Forger: Sendable {
  private let count = Mutex((asked: 0, forged: 0))
  var forged: Int { count.withLock { $0.forged } }

  func forging(_ weChatPay: HTTPExchange) -> HTTPExchange {
    HTTPExchange { [self] request, limit throws(HTTPExchangeError) in
      var response = try await weChatPay.send(request, limit)
      let body = String(decoding: response.body, as: UTF8.self)
      let lie = body.replacing(#""trade_state":"NOTPAY""#, with: #""trade_state":"SUCCESS""#)
      let isTold = count.withLock { count in
        count.asked += 1
        guard lie != body, count.asked % 2 == 0 else { return false }
        count.forged += 1
        return true
      }
      if isTold { response.body = Array(lie.utf8) }
      return response
    }
  }
}

@Suite struct `A world with a forger between server and WeChat Pay` {
  @Test func `keeps the promise: unsigned data has no effect`() {
    let forger = Forger()
    var substitutions = Substitutions()
    substitutions.weChatPay = { forger.forging($0) }
    let count: UInt64 = Tier.among(test: 6, check: 12, night: 100)
    for seed in 1...count {
      #expect(PaymentWorld.run(seed: seed, substitutions: substitutions).problems == [], "seed \(seed)")
    }
    #expect(forger.forged > count / 2)
  }
}

/// Keeps what it is given in a database that no other process sees. Its clock is right: with another one the server
/// would wait for what is due, and never find it, through millions of steps.
private final class LonelyDatabase: PaymentDatabase {
  private let inner: any PaymentDatabase
  private let own: InMemoryDatabase
  private let clock: Clock

  private final class Clock: Sendable {
    private let time = Mutex(SimulatedWorld.beginning)
    var now: Timestamp { time.withLock { $0 } }
    func set(_ now: Timestamp) { time.withLock { $0 = now } }
  }

  init(inner: any PaymentDatabase) {
    let clock = Clock()
    self.inner = inner
    self.clock = clock
    own = InMemoryDatabase(InMemoryStorage.simulated(), now: { clock.now })
  }

  private func wind() async {
    if case .committed(let now) = await inner.transact({ $0.now }) { clock.set(now) }
  }

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any PaymentStoreTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    await wind()
    return await own.transact(body)
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    await wind()
    return try await own.read(body)
  }
}

/// Reports `committed` for every seventh transaction before it is written, and then loses it.
private struct ForgetfulDatabase: PaymentDatabase {
  private struct PowerCut: Error {}
  private final class Counter: Sendable {
    private let count = Mutex(0)
    func isSeventh() -> Bool {
      count.withLock { count in
        count += 1
        return count % 7 == 0
      }
    }
  }

  let inner: any PaymentDatabase
  private let counter = Counter()

  init(inner: any PaymentDatabase) { self.inner = inner }

  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any PaymentStoreTransaction) throws -> Value
  ) async -> CommitOutcome<Value> {
    guard counter.isSeventh() else { return await inner.transact(body) }
    let promised = Mutex<Value?>(nil)
    let outcome: CommitOutcome<Value> = await inner.transact { transaction in
      let value = try body(transaction)
      promised.withLock { $0 = value }
      throw PowerCut()
    }
    if case .refused(let error) = outcome, error is PowerCut, let value = promised.withLock({ $0 }) {
      return .committed(value)
    }
    return outcome
  }

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any DatabaseReader) throws -> Value
  ) async throws -> Value {
    try await inner.read(body)
  }
}

/// The calls that all broken queues pass on.
private protocol PassingQueue: StoreQueue {
  var inner: any StoreQueue { get }
}

extension PassingQueue {
  func canMakePayments() async -> Bool { await inner.canMakePayments() }
  func deviceVerificationId() async -> String? { await inner.deviceVerificationId() }
  func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
    try await inner.products(ids)
  }
  func restore() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.restore() }
  func updates() async -> AsyncStream<Counterfoil.StoreTransaction> { await inner.updates() }
  func unfinished() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] { try await inner.unfinished() }
  func add(_ payment: StorePayment) async throws(StoreFailure) { try await inner.add(payment) }
  func finish(_ transaction: Counterfoil.StoreTransaction) async throws(StoreFailure) {
    try await inner.finish(transaction)
  }
}

/// Finishes what it shows, as the sample code of many blogs does (S10).
private struct HastyQueue: PassingQueue {
  let inner: any StoreQueue

  func unfinished() async throws(StoreFailure) -> [Counterfoil.StoreTransaction] {
    let entries = try await inner.unfinished()
    for entry in entries { try? await inner.finish(entry) }
    return entries
  }
}

private struct LazyQueue: PassingQueue {
  let inner: any StoreQueue

  func finish(_ transaction: Counterfoil.StoreTransaction) async throws(StoreFailure) {}
}

/// Books every delivery, repeats too.
private final class ForgetfulBook: WorldBook {
  private let booked = Mutex<[WorldBookEntry]>([])
  var entries: [WorldBookEntry] { booked.withLock { $0 } }

  func book(_ entry: WorldBookEntry) -> Bool {
    booked.withLock { $0.append(entry) }
    return true
  }
}

/// Discards every fifth delivery.
private final class LossyBook: WorldBook {
  private let honest = DurableBook()
  private let count = Mutex(0)
  var entries: [WorldBookEntry] { honest.entries }

  func book(_ entry: WorldBookEntry) -> Bool {
    let isThrownAway = count.withLock { count in
      count += 1
      return count % 5 == 0
    }
    return isThrownAway || honest.book(entry)
  }
}
