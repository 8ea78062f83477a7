package import PaymentPrimitives

/// Which of several credentials signs a call: the newest, unless the store refused it a moment ago and accepted a
/// former one.
package struct CredentialChoice: Sendable {
  /// How long a former one goes first; then the newest is tried again.
  package static let pause = TimeSpan.minutes(1)

  private var former: (number: Int, until: Timestamp)?

  package init() {}

  /// The numbers of so many credentials, in the order in which they are tried; the newest has the number 0.
  package func order(of count: Int, at now: Timestamp) -> [Int] {
    let first = first(of: count, at: now)
    return [first] + (0..<count).filter { $0 != first }
  }

  /// The number of the credential that is tried first.
  package func first(of count: Int, at now: Timestamp) -> Int {
    guard let former, former.number < count, now < former.until, former.until <= now + Self.pause else { return 0 }
    return former.number
  }

  /// Notes that the store has accepted a credential.
  ///
  /// - Returns: whether it is a former one that a minute ago was not the choice: an operator should know.
  package mutating func accepted(_ number: Int, of count: Int, at now: Timestamp) -> Bool {
    guard number != first(of: count, at: now) else { return false }
    former = number == 0 ? nil : (number, now + Self.pause)
    return number != 0
  }
}
