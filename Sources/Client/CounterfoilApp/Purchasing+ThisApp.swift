#if canImport(StoreKit)
  public import Counterfoil
  import CounterfoilStoreKit
  import CounterfoilURLSession
  import Foundation
  package import HTTPMessages
  public import PaymentPrimitives

  extension Purchasing {
    /// Which of Apple's two interfaces an app buys with. Both show the same store; one process uses one of them.
    public enum StoreInterface: Hashable, Sendable {
      /// StoreKit 2: `Product` and `Transaction`.
      case storeKit2
      /// StoreKit 1: `SKPaymentQueue`, for apps that prefer it.
      case storeKit1
    }

    /// The purchases of this app on this device: StoreKit 2, the Keychain, the system's network, clock, language and
    /// log.
    ///
    ///     let purchasing = try Purchasing.forThisApp(server: "https://pay.example.com", app: "shop") {
    ///       try await backend.paymentToken(for: $0.user)
    ///     }
    ///     await purchasing.start()
    ///     await purchasing.setUser("alice")
    ///     let outcome = try await purchasing.purchase("coins100")
    ///
    /// Make one, at the launch of the app.
    ///
    /// - Parameters:
    ///   - server: the address of Counterfoil's server.
    ///   - app: the app, as the server's configuration names it.
    ///   - interface: Apple's interface to buy with.
    ///   - weChat: the WeChat app, if this app pays with it.
    ///   - configure: changes to the other settings.
    ///   - userToken: fetches the token with which the app's backend identifies a user.
    /// - Throws: `PurchasingError` with `configurationInvalid`.
    public static func forThisApp(
      server: String, app: AppIdentifier, interface: StoreInterface = .storeKit2, weChat: (any WeChatApp)? = nil,
      configure: (inout PurchasingConfiguration) -> Void = { _ in },
      userToken: @escaping @Sendable (UserTokenRequest) async throws -> String
    ) throws(PurchasingError) -> Purchasing {
      var configuration = PurchasingConfiguration(server: server, app: app, userToken: userToken)
      configuration.language = .ofThisDevice
      configuration.messages = CustomerMessages(catalogIn: .main)
      configuration.log = SystemLog.lines(subsystem: Bundle.main.bundleIdentifier ?? "counterfoil")
      configure(&configuration)
      return try make(
        configuration, interface, weChat: weChat, exchange: .urlSession(), dependencies: .ofThisDevice, start: .asTask)
    }

    /// The same with another network and clock.
    package static func make(
      _ configuration: PurchasingConfiguration, _ interface: StoreInterface, weChat: (any WeChatApp)?,
      exchange: HTTPExchange, dependencies: Dependencies, start: AdapterStart
    ) throws(PurchasingError) -> Purchasing {
      var configuration = configuration
      if configuration.platform == nil { configuration.platform = Self.platform }
      let queue: any StoreQueue =
        switch interface {
        case .storeKit2:
          StoreKit2Queue(products: configuration.storeProducts, dependencies: dependencies, start: start)
        case .storeKit1: StoreKit1Queue(dependencies: dependencies, start: start)
        }
      return try Purchasing(
        configuration, queue: queue, vault: KeychainVault(), exchange: exchange, dependencies: dependencies,
        weChat: weChat)
    }

    private static var platform: String {
      #if os(macOS)
        "macos"
      #elseif os(tvOS)
        "tvos"
      #elseif os(watchOS)
        "watchos"
      #elseif os(visionOS)
        "visionos"
      #else
        "ios"
      #endif
    }
  }

  extension Language {
    /// The first language that the customer prefers, of those that have texts.
    public static var ofThisDevice: Language { of(Locale.preferredLanguages) }

    /// The first of these languages that has texts; English if none has.
    package static func of(_ preferred: [String]) -> Language {
      for language in preferred {
        if language.hasPrefix("zh") { return .chinese }
        if language.hasPrefix("en") { return .english }
      }
      return .english
    }
  }
#endif
