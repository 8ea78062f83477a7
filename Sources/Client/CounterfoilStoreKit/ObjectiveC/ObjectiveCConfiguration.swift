#if canImport(StoreKit)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// The settings of an app's purchases, for Objective-C. Set them before the client is made: it copies them.
  #if canImport(ObjectiveC)
    @objc(CFLConfiguration) @objcMembers
  #endif
  public final class ObjectiveCConfiguration: NSObject {
    /// Asks the app for a user token. Call `answer` once, on any thread; with nil if there is no token.
    public typealias UserToken =
      @Sendable (_ user: String, _ wasRefused: Bool, _ answer: @escaping @Sendable (String?) -> Void) -> Void

    /// The server's address, as in `PurchasingConfiguration`.
    public let server: String
    /// The app, as the server's configuration names it.
    public let app: String
    private let userToken: UserToken
    /// Allows submissions while no one is signed in.
    public var publishableKey: String?
    /// Apple's products to request from the store at the start.
    public var storeProducts: [String] = []
    /// The language of the texts for the customer, such as `zh-Hans` or `en`; nil: the device's.
    public var language: String?
    /// Whether StoreKit 1 opens the sheets; otherwise StoreKit 2 does.
    public var usesStoreKit1 = false
    /// Whether the server is told how many orders were nearly lost on this device.
    public var sendsDiagnostics = true
    /// Whether a debug build may reach a server on the local network without encryption.
    public var allowsLocalNetworkForDebugging = false
    /// Receives the log lines, each as one text without tokens or persons.
    public var log: (@Sendable (String) -> Void)?

    /// The settings with their defaults.
    public init(server: String, app: String, userToken: @escaping UserToken) {
      self.server = server
      self.app = app
      self.userToken = userToken
    }

    /// The language of the texts that the language names, such as `zh-Hans` or `en`.
    private static func language(_ name: String?) -> Language { name?.hasPrefix("zh") == true ? .chinese : .english }

    var swift: PurchasingConfiguration {
      let ask = userToken
      var configuration = PurchasingConfiguration(server: server, app: AppIdentifier(app)) { request in
        // A block may be called twice: the first answer counts.
        let (answers, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
        ask(request.user.text, request.wasRefused) { token in
          continuation.yield(token)
          continuation.finish()
        }
        for await case let token? in answers { return token }
        throw PurchasingError(.userTokenUnavailable, "The app gave no token.")
      }
      configuration.publishableKey = publishableKey
      configuration.platform = "ios"
      configuration.storeProducts = storeProducts.map { StoreProductIdentifier($0) }
      configuration.language = Self.language(language ?? Locale.preferredLanguages.first)
      configuration.sendsDiagnostics = sendsDiagnostics
      configuration.allowsLocalNetworkForDebugging = allowsLocalNetworkForDebugging
      if let log {
        configuration.log = { event in
          log(([event.name] + event.fields.map { "\($0.name)=\($0.value)" }).joined(separator: " "))
        }
      }
      return configuration
    }
  }
#endif
