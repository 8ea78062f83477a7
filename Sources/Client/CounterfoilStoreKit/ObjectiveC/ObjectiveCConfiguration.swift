#if canImport(ObjectiveC)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// The settings of an app's purchases, for Objective-C. Set them before the client is made: it copies them.
  @objc(CFLConfiguration) public final class ObjectiveCConfiguration: NSObject {
    /// Asks the app for a user token. Call `answer` once, on any thread; with nil if there is no token.
    public typealias UserToken =
      @Sendable (_ user: String, _ wasRefused: Bool, _ answer: @escaping @Sendable (String?) -> Void) -> Void

    /// The server's address, as in `PurchasingConfiguration`.
    @objc public let server: String
    /// The app, as the server's configuration names it.
    @objc public let app: String
    private let userToken: UserToken
    /// Allows submissions while no one is signed in.
    @objc public var publishableKey: String?
    /// Apple's products to request from the store at the start.
    @objc public var storeProducts: [String] = []
    /// Whether StoreKit 1 opens the sheets; otherwise StoreKit 2 does.
    @objc public var usesStoreKit1 = false
    /// Whether the server is told how many orders were nearly lost on this device.
    @objc public var sendsDiagnostics = true
    /// Whether a debug build may reach a server on the local network without encryption.
    @objc public var allowsLocalNetworkForDebugging = false
    /// Receives the log lines, each as one text without tokens or persons.
    @objc public var log: (@Sendable (String) -> Void)?

    /// The settings with their defaults.
    @objc public init(server: String, app: String, userToken: @escaping UserToken) {
      self.server = server
      self.app = app
      self.userToken = userToken
    }

    /// The language of the customer.
    static var language: Language { Locale.preferredLanguages.first?.hasPrefix("zh") == true ? .chinese : .english }

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
      configuration.language = Self.language
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
