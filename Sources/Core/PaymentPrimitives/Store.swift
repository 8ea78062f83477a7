/// Where money is paid.
public enum Store: String, Hashable, Comparable, CaseIterable, Sendable {
  /// Apple's In-App Purchase.
  case appStore
  /// WeChat Pay, API v3.
  case weChatPay

  public static func < (a: Store, b: Store) -> Bool { a.rawValue < b.rawValue }
}

/// Which world a payment belongs to. It is part of every payment, grant, balance, entitlement and delivery; worlds
/// never mix.
///
/// It is the payload's word *limited by the trust anchor*: only Apple's roots yield `production` or `sandbox`, an
/// anchor from configuration yields `simulated` whatever the payload says.
public enum StoreEnvironment: String, Hashable, Comparable, CaseIterable, Sendable {
  /// Real money.
  case production
  /// Apple's sandbox: TestFlight, App Review, sandbox accounts.
  case sandbox
  /// Our simulators, or any other anchor from configuration.
  case simulated
  /// StoreKit testing in Xcode: not signed by Apple; only by configuration, never in a production profile.
  case xcode
  /// Apple's `LocalTesting`: like `xcode`.
  case localTesting
  /// Signed by Apple, but without a word on the environment, as until 2022; held until Apple has been asked.
  case undetermined

  public static func < (a: StoreEnvironment, b: StoreEnvironment) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// What kind of thing a product is, in Apple's four kinds.
public enum ProductKind: String, Hashable, CaseIterable, Sendable {
  /// Used up and bought again: coins.
  case consumable
  /// Bought once, kept for ever.
  case nonConsumable
  /// A subscription that the store renews.
  case autoRenewable
  /// A period that the app itself counts.
  case nonRenewing
}
