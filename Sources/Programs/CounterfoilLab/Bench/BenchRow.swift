/// The rows of docs/specification/numbers.md that a bench measures, with their bounds.
///
/// A test compares them with that page: the program judges by nothing else.
package enum BenchRow: CaseIterable, Sendable {
  case signedTransactions
  case receipts
  case inProcess
  case overHTTP
  case grownFulfilment
  case grownQuestion
  case bogusToken
  case flood
  case notification
  case memory
  case start

  /// The bounds of a row, and on which side of them it must lie.
  package struct Bounds: Sendable {
    package let number: Int
    package let bound: Double
    package let aim: Double
    package let isAtMost: Bool

    fileprivate init(_ number: Int, atLeast bound: Double, aim: Double) {
      (self.number, self.bound, self.aim, isAtMost) = (number, bound, aim, false)
    }

    fileprivate init(_ number: Int, atMost bound: Double, aim: Double) {
      (self.number, self.bound, self.aim, isAtMost) = (number, bound, aim, true)
    }

    func isMet(by value: Double) -> Bool { isAtMost ? value <= bound : value >= bound }
    func reachesAim(_ value: Double) -> Bool { isAtMost ? value <= aim : value >= aim }
  }

  package var bounds: Bounds {
    switch self {
    case .signedTransactions: Bounds(1, atLeast: 0.80, aim: 0.92)
    case .receipts: Bounds(2, atLeast: 0.90, aim: 1.10)
    case .inProcess: Bounds(3, atLeast: 0.70, aim: 0.90)
    case .overHTTP: Bounds(4, atLeast: 0.60, aim: 0.80)
    case .grownFulfilment, .grownQuestion: Bounds(6, atMost: 1.2, aim: 1.05)
    case .bogusToken: Bounds(7, atMost: 0.2, aim: 0.12)
    case .flood: Bounds(7, atMost: 1.5, aim: 1.1)
    case .notification: Bounds(8, atMost: 20, aim: 5)
    case .memory: Bounds(9, atMost: 60, aim: 30)
    case .start: Bounds(9, atMost: 500, aim: 150)
    }
  }
}
