/// A store that takes payments.
public enum Store: String, Hashable, Comparable, CaseIterable, Sendable {
  /// Apple's In-App Purchase.
  case appStore
  /// WeChat Pay, API v3.
  case weChatPay

  public static func < (a: Store, b: Store) -> Bool { a.rawValue < b.rawValue }
}

/// The environment of a payment. It is part of every payment, grant, balance, entitlement and delivery; environments
/// never mix.
///
/// It is the payload's value *limited by the trust anchor*: only Apple's roots give `production` or `sandbox`. An
/// anchor from configuration gives `simulated`, whatever the payload says.
public enum StoreEnvironment: String, Hashable, Comparable, CaseIterable, Sendable {
  /// Real money.
  case production
  /// Apple's sandbox: TestFlight, App Review, sandbox accounts.
  case sandbox
  /// Our simulators, or any other anchor from configuration.
  case simulated
  /// StoreKit testing in Xcode: not signed by Apple. Only by configuration, never in a production profile.
  case xcode
  /// Apple's `LocalTesting`: like `xcode`.
  case localTesting
  /// Signed by Apple without an environment, as until 2022; held until Apple has answered.
  case undetermined

  public static func < (a: StoreEnvironment, b: StoreEnvironment) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// The kind of a product: one of Apple's four kinds.
public enum ProductKind: String, Hashable, CaseIterable, Sendable {
  /// Consumed and bought again, such as coins.
  case consumable
  /// Bought once, kept for ever.
  case nonConsumable
  /// A subscription that the store renews.
  case autoRenewable
  /// A period that the app itself counts.
  case nonRenewing
}
