public import PaymentPrimitives

/// The settings of an app's purchases, as one value.
public struct PurchasingConfiguration: Sendable {
  /// The server's address: `https://pay.example.com`, a path may follow. Plain `http` is accepted only for the local
  /// machine (`localhost`, `127.0.0.1`, `[::1]`), as the simulator uses it.
  public var server: String
  /// The app, as the server's configuration names it.
  public var app: AppIdentifier
  /// Fetches the token with which the app's backend identifies a user. A JSON Web Token is kept until shortly before
  /// its `exp`; any other token is fetched before each request.
  public var userToken: @Sendable (UserTokenRequest) async throws -> String
  /// Allows submissions while no one is signed in; without it transactions wait for `setUser`.
  public var publishableKey: String?
  /// The platform of the customer, as orders record it: `ios`, `android`, …
  public var platform: String?
  /// The store that `purchase` uses by default: `weChatPay` where there is no App Store.
  public var store = Store.appStore
  /// Apple's products to request from the store at the start, so that it knows them when the customer taps.
  public var storeProducts: [StoreProductIdentifier] = []
  /// The texts for the customer; an app can replace the defaults.
  public var messages = CustomerMessages()
  /// The language of the server's error texts.
  public var language = Language.english
  /// Waiting times and retry schedules.
  public var policies = PurchasingPolicies()
  /// Whether `server` may be a plain `http` address on the local network: a simulator on your Mac, tried from a phone.
  /// Set it in debug builds alone, and `NSAllowsLocalNetworking` in their `Info.plist`.
  public var allowsLocalNetworkForDebugging = false
  /// Whether the server is told, at most once a day, how many orders were nearly lost on this device: recovered ones,
  /// transactions without an order, finished transactions that came back, lost callbacks. Nobody is named.
  public var sendsDiagnostics = true
  /// Receives the log lines. They carry no tokens, signed data or personal data.
  public var log: Log = { _ in }

  /// A configuration with its defaults.
  public init(
    server: String, app: AppIdentifier,
    userToken: @escaping @Sendable (UserTokenRequest) async throws -> String
  ) {
    self.server = server
    self.app = app
    self.userToken = userToken
  }
}

/// A request for a user token.
public struct UserTokenRequest: Hashable, Sendable {
  /// The user of the token: always the signed-in user, or the user that a purchase was begun for.
  public let user: UserIdentifier
  /// Whether the server has just refused the last one: then fetch a new one, not one from a cache.
  public let wasRefused: Bool

  /// A request for a token.
  public init(user: UserIdentifier, wasRefused: Bool) {
    self.user = user
    self.wasRefused = wasRefused
  }
}
