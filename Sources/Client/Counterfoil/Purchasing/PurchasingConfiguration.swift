public import PaymentPrimitives

/// Everything that an app decides about its purchases, as one value.
public struct PurchasingConfiguration: Sendable {
  /// The server's address: `https://pay.example.com`, a path may follow. Plain `http` is accepted for this machine
  /// only (`localhost`, `127.0.0.1`, `[::1]`), as the simulator speaks it.
  public var server: String
  /// The app, as the server's configuration names it.
  public var app: AppIdentifier
  /// Fetches the token by which the app's backend vouches for a user. Asked before each request: keep it while it
  /// is valid.
  public var userToken: @Sendable (UserTokenRequest) async throws -> String
  /// Lets transactions be submitted while nobody is signed in; without it they wait for `setUser`.
  public var publishableKey: String?
  /// Where the customer stands, as orders record it: `ios`, `android`, …
  public var platform: String?
  /// The store that `purchase` pays when it is not told: `weChatPay` where there is no App Store.
  public var store = Store.appStore
  /// Apple's products to ask the store for at the start, so that it knows them when the customer taps.
  public var storeProducts: [StoreProductIdentifier] = []
  /// The app's own words for the customer, in place of ours.
  public var messages = CustomerMessages()
  /// The language in which the server is asked to explain its refusals.
  public var language = Language.english
  /// How long to wait, how often to ask.
  public var policies = PurchasingPolicies()
  /// Where log lines go. They carry no token, no signed data and no person.
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

/// What a user token is wanted for.
public struct UserTokenRequest: Hashable, Sendable {
  /// Whose token: always the signed-in user, or the one for whom a purchase was begun.
  public let user: UserIdentifier
  /// Whether the server has just refused the last one: fetch a new one then, do not take it from a cache.
  public let wasRefused: Bool

  /// A wish for a token.
  public init(user: UserIdentifier, wasRefused: Bool) {
    self.user = user
    self.wasRefused = wasRefused
  }
}

extension PurchasingConfiguration {
  /// The server's address without a slash at its end; a purchase is never sent in the clear over a network.
  func checkedServer() throws(PurchasingError) -> String {
    var base = server
    while base.hasSuffix("/") { base.removeLast() }
    let scheme = base.prefix { $0 != ":" }
    let host = base.dropFirst(scheme.count + 3).prefix { $0 != "/" }
    let isHere = ["localhost", "127.0.0.1", "[::1]"].contains { name in
      host == name || host.hasPrefix(name + ":")
    }
    guard base.hasPrefix("https://") || (base.hasPrefix("http://") && isHere), !host.isEmpty,
      !host.contains("@"), base.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw PurchasingError(
        .configurationInvalid, "`server` must be an https address, or http on this machine.")
    }
    guard (1...64).contains(app.text.utf8.count) else {
      throw PurchasingError(.configurationInvalid, "`app` must have 1 to 64 bytes.")
    }
    return base
  }
}
