#if canImport(Flutter)
  package import CounterfoilApp
  import Flutter
  import Foundation

  /// A call of Dart, read and checked.
  enum ChannelRequest: Sendable {
    case configure(PluginSettings)
    case consentGiven
    case setUser(String?)
    case purchase(PurchaseRequest)
    case recover(RecoveryReason)
    case restorePurchases
    case openOrders
    case products
    case balances
    case entitlements
    case takeOver([HandedRecord])
    case requestRefund(OrderIdentifier)
    case redeemOfferCode
    case manageSubscriptions
    case weChatResponded(errCode: Int, prepayId: String?, extData: String?)

    /// Nil for a method that this version does not know.
    ///
    /// - Throws: `PurchasingError` for arguments that are absent or of another type: an app may mix versions of the two
    ///   halves.
    init?(_ call: FlutterMethodCall) throws(PurchasingError) {
      let arguments = ChannelArguments(call.arguments)
      switch call.method {
      case "configure": self = .configure(try PluginSettings(arguments))
      case "consentGiven": self = .consentGiven
      case "setUser": self = .setUser(try Self.user(arguments.optionalText("user")))
      case "purchase": self = .purchase(try PurchaseRequest(arguments))
      case "recover": self = .recover(try Self.reason(arguments.optionalText("reason")))
      case "restorePurchases": self = .restorePurchases
      case "openOrders": self = .openOrders
      case "products": self = .products
      case "balances": self = .balances
      case "entitlements": self = .entitlements
      case "takeOver": self = .takeOver(try HandedRecord.all(arguments))
      case "requestRefund": self = .requestRefund(try Self.order(arguments.text("order")))
      case "redeemOfferCode": self = .redeemOfferCode
      case "manageSubscriptions": self = .manageSubscriptions
      case "weChatResponded":
        guard let code = try arguments.optionalNumber("errCode") else { throw ChannelArguments.wrong("no errCode") }
        self = .weChatResponded(
          errCode: code, prepayId: try arguments.optionalText("prepayId"),
          extData: try arguments.optionalText("extData"))
      default: return nil
      }
    }

    private static func user(_ user: String?) throws(PurchasingError) -> String? {
      guard let user else { return nil }
      guard (1...255).contains(user.utf8.count),
        user.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else {
        throw PurchasingError(.configurationInvalid, "A user is 1 to 255 bytes without control characters.")
      }
      return user
    }

    private static func order(_ text: String) throws(PurchasingError) -> OrderIdentifier {
      guard let order = OrderIdentifier(text) else { throw ChannelArguments.wrong("an order \"\(text.prefix(64))\"") }
      return order
    }

    private static func reason(_ word: String?) throws(PurchasingError) -> RecoveryReason {
      switch word {
      case nil, "userAsked": return .userAsked
      case "foreground": return .foreground
      case "link": return .link
      case "networkBack": return .networkBack
      case "push": return .push
      case let other?: throw ChannelArguments.wrong("reason \"\(other)\"")
      }
    }
  }

  /// What the app has set at its start.
  package struct PluginSettings: Hashable, Sendable {
    package let server: String
    package let app: String
    let weChatAppId: String?
    let universalLink: String?
    package let language: Language

    init(_ arguments: ChannelArguments) throws(PurchasingError) {
      server = try arguments.text("server")
      app = try arguments.text("app")
      weChatAppId = try arguments.optionalText("weChatAppId")
      universalLink = try arguments.optionalText("universalLink")
      switch try arguments.optionalText("language") {
      case nil, "zh": language = .chinese
      case "en": language = .english
      case let other?: throw ChannelArguments.wrong("language \"\(other)\"")
      }
    }
  }

  /// What a tap asks for.
  struct PurchaseRequest: Hashable, Sendable {
    let product: String
    let quantity: Int
    let store: Store?
    let reference: String?
    let scene: String?
    let promotionalOffer: String?
    let winBackOffer: String?

    var details: PurchaseDetails {
      var details = PurchaseDetails()
      (details.scene, details.reference, details.promotionalOffer) = (scene, reference, promotionalOffer)
      details.offer = winBackOffer.map { .winBack(id: $0) }
      return details
    }

    init(_ arguments: ChannelArguments) throws(PurchasingError) {
      product = try arguments.text("productId")
      quantity = try arguments.optionalNumber("quantity") ?? 1
      let name = try arguments.optionalText("store")
      store = name.flatMap { Store(rawValue: $0) }
      if let name, store == nil { throw ChannelArguments.wrong("store \"\(name)\"") }
      reference = try arguments.optionalText("reference")
      scene = try arguments.optionalText("scene")
      promotionalOffer = try arguments.optionalText("promotionalOffer")
      winBackOffer = try arguments.optionalText("winBackOffer")
    }
  }

  /// A record that the app's earlier code stored.
  struct HandedRecord: Sendable {
    let reference: String
    let user: String
    let product: String?

    static func all(_ arguments: ChannelArguments) throws(PurchasingError) -> [HandedRecord] {
      var records: [HandedRecord] = []
      for record in try arguments.list("records") {
        records.append(
          HandedRecord(
            reference: try record.text("reference"), user: try record.text("user"),
            product: try record.optionalText("productId")))
      }
      return records
    }
  }

  /// The arguments of a call.
  struct ChannelArguments {
    private let values: [String: Any]

    init(_ arguments: Any?) { values = arguments as? [String: Any] ?? [:] }

    func text(_ name: String) throws(PurchasingError) -> String {
      guard let text = try optionalText(name) else { throw Self.wrong("no \(name)") }
      return text
    }

    func optionalText(_ name: String) throws(PurchasingError) -> String? {
      guard let value = value(name) else { return nil }
      guard let text = value as? String else { throw Self.wrong("\(name) of another type") }
      return text
    }

    func optionalNumber(_ name: String) throws(PurchasingError) -> Int? {
      guard let value = value(name) else { return nil }
      guard let number = value as? Int else { throw Self.wrong("\(name) of another type") }
      return number
    }

    func list(_ name: String) throws(PurchasingError) -> [ChannelArguments] {
      guard let list = value(name) as? [Any] else { throw Self.wrong("no list \(name)") }
      var arguments: [ChannelArguments] = []
      for item in list {
        guard item is [String: Any] else { throw Self.wrong("\(name) without maps") }
        arguments.append(ChannelArguments(item))
      }
      return arguments
    }

    /// A null crosses the channel as `NSNull`.
    private func value(_ name: String) -> Any? { values[name].flatMap { $0 is NSNull ? nil : $0 } }

    static func wrong(_ what: String) -> PurchasingError {
      PurchasingError(.configurationInvalid, "The Dart side of counterfoil_flutter sent \(what).")
    }
  }
#endif
