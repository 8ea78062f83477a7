/// A value from one of Apple's lists: a case that this version knows, or the value as it came.
///
/// Apple adds values without notice. An unknown one is kept and is neither success nor failure.
package enum KnownOrRaw<Known>: Hashable, Sendable
where Known: RawRepresentable & Hashable & Sendable, Known.RawValue: Hashable & Sendable {
  /// A value that this version knows.
  case known(Known)
  case raw(Known.RawValue)

  package init(_ rawValue: Known.RawValue) {
    self = Known(rawValue: rawValue).map { .known($0) } ?? .raw(rawValue)
  }

  package var rawValue: Known.RawValue {
    switch self {
    case .known(let value): value.rawValue
    case .raw(let value): value
    }
  }

  /// The case, if this version knows it.
  package var known: Known? {
    guard case .known(let value) = self else { return nil }
    return value
  }
}
