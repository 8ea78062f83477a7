/// A value from one of Apple's lists: a case that this version knows, or the raw value.
///
/// Apple adds values without notice. An unknown value is kept and means neither success nor failure.
package enum KnownOrRaw<Known>: Hashable, Sendable
where Known: RawRepresentable & Hashable & Sendable, Known.RawValue: Hashable & Sendable {
  /// A case that this version knows.
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

  /// The known case; nil if this version does not know the value.
  package var known: Known? {
    guard case .known(let value) = self else { return nil }
    return value
  }
}
