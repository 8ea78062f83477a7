import Foundation

/// The sample size of a run of the tests: `COUNTERFOIL_TIER`, which the Makefile sets.
///
/// Each tier proves every rule. They differ in the number of seeds, kill points and orders.
public enum Tier: String, Sendable {
  /// `make test`: a few of each, for every change.
  case test
  /// `make check`: many of each, for CI.
  case check
  /// `make night`: all of them, if they can be counted.
  case night

  /// The tier of this run; `test` if none is named.
  public static let current: Tier = {
    guard let word = ProcessInfo.processInfo.environment["COUNTERFOIL_TIER"] else { return .test }
    guard let tier = Tier(rawValue: word) else {
      preconditionFailure("COUNTERFOIL_TIER is test, check or night, not \(word)")
    }
    return tier
  }()

  /// The value for this run's tier. The Makefile finds the tests that run again in `make check` by this name.
  public static func among<Value>(test: Value, check: Value, night: Value) -> Value {
    switch current {
    case .test: test
    case .check: check
    case .night: night
    }
  }
}
