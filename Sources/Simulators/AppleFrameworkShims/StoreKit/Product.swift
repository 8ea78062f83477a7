import AppStoreProtocol
import AppStoreSimulator
public import Foundation
import PaymentPrimitives
import SimulatedDevice
public import UIKit

/// Stand-in for Apple's structure of the same name.
public struct Product: Sendable, Hashable, Identifiable {
  /// Stand-in for Apple's structure of the same name.
  public struct ProductType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let consumable = ProductType(rawValue: "Consumable")
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
    public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
  }

  /// Stand-in for Apple's enumeration of the same name.
  public enum PurchaseResult: Sendable {
    case success(VerificationResult<Transaction>)
    case userCancelled
    case pending
  }

  /// Stand-in for Apple's enumeration of the same name.
  public enum PurchaseError: Error, Hashable, Sendable {
    case invalidQuantity
    case productUnavailable
    case purchaseNotAllowed
    case ineligibleForOffer
    case invalidOfferIdentifier
    case invalidOfferPrice
    case invalidOfferSignature
    case missingOfferParameters
  }

  /// Stand-in for Apple's structure of the same name.
  public struct PurchaseOption: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case token(UUID)
      case quantity(Int)
      case winBackOffer(String)
      case promotionalOffer(String, SimulatedOfferSignature?)
      case introductoryOffer(String)
    }
    let kind: Kind

    public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption(kind: .token(token)) }
    public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption(kind: .quantity(quantity)) }
    public static func promotionalOffer(
      offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
    ) -> PurchaseOption {
      PurchaseOption(
        kind: .promotionalOffer(
          offerID,
          .ofStoreKit(
            key: keyID, nonce: nonce, timestamp: Int64(timestamp), signature: signature.base64EncodedString())))
    }
    public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
      [PurchaseOption(kind: .promotionalOffer(offerID, .jws(compactJWS)))]
    }
    public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
      PurchaseOption(kind: .introductoryOffer(compactJWS))
    }
    public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption {
      PurchaseOption(kind: .winBackOffer(offer.id ?? ""))
    }
  }

  public let id: String
  public let type: ProductType
  public let displayName: String
  public let description: String
  public let price: Decimal
  public let displayPrice: String
  public let isFamilyShareable: Bool
  public let subscription: SubscriptionInfo?
  private let currency: String

  public var priceFormatStyle: Decimal.FormatStyle.Currency {
    Decimal.FormatStyle.Currency(code: currency, locale: Locale(identifier: "zh_CN"))
  }

  init(_ product: SimulatedProduct) {
    id = product.id.text
    type = ProductType(rawValue: product.kind.type.rawValue)
    displayName = product.id.text
    description = ""
    price = Decimal(product.price.milliunits) / 1000
    displayPrice = "\(price) \(product.price.currency)"
    isFamilyShareable = false
    subscription = SubscriptionInfo(product)
    currency = product.price.currency
  }

  /// The products with these ids; unknown ids are left out (rule SK2-22).
  public static func products<Identifiers: Collection>(
    for identifiers: Identifiers
  ) async throws -> [Product] where Identifiers.Element == String {
    guard let answer = await theRun().device.storeKit2.products(Set(identifiers)) else { throw CancellationError() }
    switch answer {
    case .success(let products): return products.map(Product.init)
    case .failure(let failure): throw failure.forStoreKit2
    }
  }

  /// Opens no sheet, because it is not told a place for it (rule SK2-28).
  @MainActor public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
    try await pay(options, hasPlace: false)
  }

  @MainActor public func purchase(
    confirmIn scene: some UIScene, options: Set<PurchaseOption> = []
  ) async throws -> PurchaseResult {
    try await pay(options, hasPlace: scene.isInForeground)
  }

  @MainActor public func purchase(
    confirmIn viewController: UIViewController, options: Set<PurchaseOption> = []
  ) async throws -> PurchaseResult {
    try await pay(options, hasPlace: viewController.viewIfLoaded?.window?.windowScene?.isInForeground == true)
  }

  private func pay(_ options: Set<PurchaseOption>, hasPlace: Bool) async throws -> PurchaseResult {
    let run = theRun()
    var payment = DevicePayment(product: StoreProductIdentifier(id), quantity: 1, userName: nil)
    for option in options {
      switch option.kind {
      case .token(let token): payment.userName = token.uuidString
      case .quantity(let quantity): payment.quantity = quantity
      case .winBackOffer(let id): payment.offer = id
      case .promotionalOffer(let id, let signature): (payment.offer, payment.offerSignature) = (id, signature)
      case .introductoryOffer(let jws): payment.offerSignature = .jws(jws)
      }
    }
    guard payment.quantity >= 1 else { throw PurchaseError.invalidQuantity }
    switch await run.device.storeKit2.purchase(payment, from: run, hasPlace: hasPlace) {
    case .success(let shown): return .success(VerificationResult(shown))
    case .pending: return .pending
    case .cancelled: return .userCancelled
    case .failed(let failure): throw failure.forStoreKit2
    case nil: throw CancellationError()
    }
  }
}

extension UIScene {
  fileprivate var isInForeground: Bool {
    activationState == .foregroundActive || activationState == .foregroundInactive
  }
}

extension DeviceFailure {
  var forStoreKit2: any Error {
    switch self {
    case .unknown(inner: 0): StoreKitError.unknown
    case .unknown(let inner): StoreKitError.systemError(NSError(domain: "ASDServerErrorDomain", code: inner))
    case .signedOut: StoreKitError.systemError(NSError(domain: "ASDErrorDomain", code: 509))
    case .cancelled: StoreKitError.userCancelled
    case .notAllowed: Product.PurchaseError.purchaseNotAllowed
    case .productUnavailable: Product.PurchaseError.productUnavailable
    case .quantityNotAllowed: Product.PurchaseError.invalidQuantity
    case .networkDown: StoreKitError.networkError(URLError(.notConnectedToInternet))
    case .offerNotAllowed: Product.PurchaseError.ineligibleForOffer
    case .offerSignatureInvalid: Product.PurchaseError.invalidOfferSignature
    }
  }
}

extension SimulatedOfferSignature {
  /// A promotional offer signature, built from the values that StoreKit receives.
  static func ofStoreKit(key: String, nonce: UUID, timestamp: Int64, signature: String) -> SimulatedOfferSignature? {
    guard let nonce = OfferNonce(nonce.uuidString) else { return nil }
    return .signature(
      PromotionalOfferSignature(
        keyIdentifier: key, nonce: nonce, timestamp: Timestamp(milliseconds: timestamp), signature: signature))
  }
}
