import PaymentModel
import PaymentStore
import PaymentVocabulary

/// Thrown out of a transaction when its writes would break a rule of money: everything is rolled back.
struct InvariantBroken: Error {
  let violations: [Violation]
  /// What of it stopped the change.
  var kind = StoppedChange.Kind.brokenRule

  init(violations: [Violation], kind: StoppedChange.Kind = .brokenRule) {
    self.violations = violations
    self.kind = kind
  }

  /// What was found, in one line.
  var found: String { violations.map(\.description).joined(separator: "; ") }
}

extension PaymentEngine {
  /// Runs a transaction to a known end. A broken rule of money is refused as `invariantBroken`, and alarms.
  func transact<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    do { return try await transactMoney(body) } catch let broken as InvariantBroken {
      throw refusal(of: broken)
    }
  }

  /// Counts and tells of a broken rule; what was found goes to the log, because it may speak of anybody.
  func refusal(of broken: InvariantBroken) -> Refusal<EngineErrorCode> {
    for violation in broken.violations {
      metrics.count(
        "counterfoil_invariant_violation_total", [("invariant", "\(violation.invariant.rawValue)")])
    }
    log(LogEvent(.error, "invariant.broken", [("found", broken.found)]))
    return Refusal(.invariantBroken)
  }

  /// Runs a transaction to a known end, for callers who have an answer to a broken rule (`InvariantBroken`).
  ///
  /// When nobody knows whether it was written, the same closure is run again: it finds what it wrote by its key.
  /// Closures therefore make no identifiers of their own.
  func transactMoney<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
  ) async throws -> Value {
    for attempt in 0...limits.outcomeRetries {
      switch await store.transact(body) {
      case .committed(let value): return value
      case .refused(let error): throw Self.translated(error)
      case .outcomeUnknown:
        metrics.count("counterfoil_commit_unknown_total")
        guard attempt < limits.outcomeRetries else { break }
        try await surroundings.sleep(limits.outcomePause)
      }
    }
    throw Refusal<EngineErrorCode>(.outcomeUnknown)
  }

  /// Reads one consistent state.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any StoreReading) throws -> Value
  ) async throws -> Value {
    do { return try await store.read(body) } catch {
      let error = Self.translated(error)
      throw (error as? InvariantBroken).map { refusal(of: $0) } ?? error
    }
  }

  private static func translated(_ error: any Error) -> any Error {
    guard let refusal = error as? Refusal<StoreErrorCode> else { return error }
    switch refusal.code {
    case .outcomeUnknown: return Refusal<EngineErrorCode>(.outcomeUnknown)
    case .inconsistent, .balanceOutOfRange:
      // Asking again will not help: the rows themselves are wrong. It is treated like any broken rule of money.
      return InvariantBroken(
        violations: [Violation(.onePaymentOneOrderOneGrant, found: "\(refusal)")],
        kind: refusal.code == .balanceOutOfRange ? .balanceOutOfRange : .rowsInconsistent)
    case .full, .unavailable, .contended, .overloaded, .heldByAnother, .damaged, .newerSchema,
      .olderSchema, .otherProfile:
      return Refusal<EngineErrorCode>(.storeUnavailable, refusal.code.meaning.english)
    }
  }
}
