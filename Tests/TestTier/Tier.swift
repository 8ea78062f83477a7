import Foundation

/// How much of what could be tried a run of the tests tries: `COUNTERFOIL_TIER`, which the Makefile sets.
///
/// Every rule is proved in each of them; they differ in how many seeds, kill points and orders it is tried with.
public enum Tier: String, Sendable {
  /// `make test`: a few of each, for whoever changes something.
  case test
  /// `make check`: many of each, for CI.
  case check
  /// `make night`: all of them, where they can be counted.
  case night

  /// That of this run: `test` where none is named.
  public static let current: Tier = {
    guard let word = ProcessInfo.processInfo.environment["COUNTERFOIL_TIER"] else { return .test }
    guard let tier = Tier(rawValue: word) else {
      preconditionFailure("COUNTERFOIL_TIER is test, check or night, not \(word)")
    }
    return tier
  }()

  /// What this run takes among three. The Makefile finds the tests that run again in `make check` by this name.
  public static func among<Value>(test: Value, check: Value, night: Value) -> Value {
    switch current {
    case .test: test
    case .check: check
    case .night: night
    }
  }
}
