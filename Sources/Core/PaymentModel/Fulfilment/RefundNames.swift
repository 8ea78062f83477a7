package import PaymentPrimitives

/// The names of App Store refunds and of their reinstatements (docs/specification/invariants.md, 4.4): the revocation
/// date and the total taken back after the change. The path and the signing time are not part of a name, so a restored
/// backup creates the same names.
struct RefundNames {
  private let kind: GrantChange.Kind
  private let known: [GrantChange]

  /// Names for changes of one kind, after the known changes of the grant.
  init(_ kind: GrantChange.Kind, after known: [GrantChange]) {
    self.kind = kind
    self.known = known
  }

  /// The name of a refund under a revocation's date.
  static func ofTaking(_ revocation: Revocation, from grant: Grant, after known: [GrantChange]) -> String {
    let isAll = grant.takenBack == grant.parts
    return RefundNames(.reversal, after: known).name(String(revocation.date.seconds), isAll ? nil : grant.takenBack)
  }

  /// The name of a reinstatement: the latest date that is not yet undone.
  static func ofUndoing(in grant: Grant, after known: [GrantChange]) -> String {
    let names = RefundNames(.reinstatement, after: known)
    return names.name(names.latestDateInForce ?? "0", grant.takenBack == 0 ? nil : grant.takenBack)
  }

  private func name(_ date: String, _ total: Int64?) -> String {
    let name = total.map { "\(date)/\($0)" } ?? date
    let times = known.count { $0.kind == kind && Self.unnumbered($0.cause) == name }
    return times == 0 ? name : "\(name)#\(times + 1)"
  }

  private static func unnumbered(_ cause: String) -> String {
    String(cause.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0])
  }

  /// The latest date under which something is still taken back. Reinstatements undo the latest date first.
  private var latestDateInForce: String? {
    var inForce: [Int64: Int64] = [:]
    for change in known {
      switch change.kind {
      case .reversal: inForce[Self.date(of: change.cause), default: 0] += change.amount
      case .reinstatement:
        var rest = change.amount
        for date in inForce.keys.sorted(by: >) where rest > 0 {
          let undone = min(rest, inForce[date] ?? 0)
          inForce[date, default: 0] -= undone
          rest -= undone
        }
      case .transfer: break
      }
    }
    return inForce.filter { $0.value > 0 }.keys.max().map { String($0) }
  }

  /// The date in a name: `date` or `date/total`, each with an optional `#n`. An earlier version also wrote
  /// `date@signed`.
  fileprivate static func date(of cause: String) -> Int64 {
    Int64(cause.prefix { $0.isASCII && ($0.isNumber || $0 == "-") }) ?? 0
  }
}

extension GrantChange {
  /// The past periods in which all of a grant was taken back. Each runs from the store's revocation date to the
  /// reinstatement here.
  ///
  /// - Parameter changes: the changes of one grant, in order.
  package static func earlierRefunds(in changes: [GrantChange]) -> [Range<Timestamp>] {
    var refunds: [Range<Timestamp>] = []
    var since: Timestamp?
    for change in changes {
      switch change.kind {
      case .reversal where !change.cause.contains("/"):
        since = since ?? Timestamp(milliseconds: RefundNames.date(of: change.cause) * 1000)
      case .reinstatement:
        if let since, since < change.at { refunds.append(since..<change.at) }
        since = nil
      case .reversal, .transfer: break
      }
    }
    return refunds
  }
}
