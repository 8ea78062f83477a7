public import PaymentPrimitives

/// A user's entitlements at one moment, as the server stated them.
public struct EntitlementSnapshot: Hashable, Sendable {
  /// The entitlements. In a kept answer, those whose end has passed since are `expired`.
  public var entitlements: [Entitlement]
  /// When the server stated them, by the server's clock (by the device's, if a gateway leaves the time out).
  public var statedAt: Timestamp
  /// How old the answer is.
  public var age: TimeSpan
  /// Whether the answer was kept on the device, and not asked for now.
  public var isKept: Bool

  /// A snapshot, for the tests of an app.
  public init(_ entitlements: [Entitlement], statedAt: Timestamp, age: TimeSpan = .zero, isKept: Bool = false) {
    self.entitlements = entitlements
    self.statedAt = statedAt
    self.age = age
    self.isKept = isKept
  }

  /// Whether the user has access by an entitlement of that name.
  public func givesAccess(to name: EntitlementName) -> Bool {
    entitlements.contains { $0.entitlement == name && $0.state.givesAccess }
  }
}

/// The server's last answer about a user's entitlements, as the vault keeps it.
public struct KeptEntitlements: Hashable, Sendable {
  /// The app.
  public let app: AppIdentifier
  /// The user.
  public let user: UserIdentifier
  /// The entitlements as the server stated them.
  public let entitlements: [Entitlement]
  /// When the server stated them, by its clock.
  public let statedAt: Timestamp
  /// When they arrived, by the device's clock.
  public let writtenAt: Timestamp

  /// The snapshot at a moment of the device's clock; nil if that clock was set back, because the age is unknown then.
  func snapshot(at now: Timestamp) -> EntitlementSnapshot? {
    guard now >= writtenAt else { return nil }
    let age = now - writtenAt
    let serverNow = statedAt + age
    return EntitlementSnapshot(
      entitlements.map { $0.asOf(serverNow) }, statedAt: statedAt, age: age, isKept: true)
  }
}

extension Entitlement {
  /// The entitlement at a later moment, if nothing else happens: access ends with its time.
  fileprivate func asOf(_ now: Timestamp) -> Entitlement {
    guard state.givesAccess, let end = [expiresAt, gracePeriodExpiresAt].compactMap({ $0 }).max(), now >= end else {
      return self
    }
    var ended = self
    ended.state = .expired
    return ended
  }
}
