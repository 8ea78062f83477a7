#if canImport(StoreKit)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// A product as the store describes it, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLProduct) @objcMembers
  #endif
  public final class ObjectiveCProduct: NSObject, Sendable {
    /// Apple's product id.
    public let productIdentifier: String
    /// Its name in the customer's language.
    public let name: String
    /// Its description in the customer's language.
    public let productDescription: String
    /// The price as the store formats it: show this.
    public let displayPrice: String
    /// Thousandths of the currency's main unit; nil if the store states the price in words alone.
    public let priceMilliunits: NSNumber?
    /// The currency, such as `CNY`.
    public let currency: String?
    /// `consumable`, `nonConsumable`, `autoRenewable` or `nonRenewing`; nil under StoreKit 1.
    public let kind: String?
    /// The group of a subscription.
    public let subscriptionGroup: String?
    /// Whether it can be shared in a family.
    public let isFamilyShareable: Bool

    init(_ product: StoreProduct) {
      productIdentifier = product.id.text
      name = product.name
      productDescription = product.description
      displayPrice = product.displayPrice
      priceMilliunits = product.price.map { NSNumber(value: $0.milliunits) }
      currency = product.price?.currency
      kind = product.kind?.rawValue
      subscriptionGroup = product.subscriptionGroup
      isFamilyShareable = product.isFamilyShareable
    }
  }

  /// An order that this device still has a record of, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLOpenOrder) @objcMembers
  #endif
  public final class ObjectiveCOpenOrder: NSObject, Sendable {
    /// The order's id.
    public let orderId: String
    /// Eight letters that name the order on a telephone.
    public let supportCode: String
    /// The ordered product.
    public let product: String
    /// Number of pieces.
    public let quantity: Int
    /// `appStore` or `weChatPay`.
    public let store: String
    /// `created`, `paying`, `failedOnce`, `deferred`, `paid`, `setAside` or `owned`.
    public let phase: String
    /// When the server made it.
    public let createdAt: Date

    init(_ open: OpenOrder) {
      orderId = open.order.id.appAccountToken
      supportCode = open.order.id.supportCode
      product = open.product.text
      quantity = open.quantity
      store = open.store.rawValue
      phase =
        switch open.phase {
        case .created: "created"
        case .paying: "paying"
        case .failedOnce: "failedOnce"
        case .deferred: "deferred"
        case .paid: "paid"
        case .setAside: "setAside"
        case .owned: "owned"
        }
      createdAt = open.order.createdAt.date
    }
  }

  /// What a purchase says besides its product, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLPurchaseDetails) @objcMembers
  #endif
  public final class ObjectiveCPurchaseDetails: NSObject {
    /// Number of pieces, 1 to 10.
    public var quantity = 1
    /// `appStore` or `weChatPay`; nil: the store of the configuration.
    public var store: String?
    /// Where in the app it was begun, for reports.
    public var scene: String?
    /// The app's own number of the order.
    public var reference: String?
    /// A promotional offer that the server signs for this order.
    public var promotionalOffer: String?
    /// A win-back offer, by its id (StoreKit 2, iOS 18).
    public var winBackOffer: String?
    /// The purchase that the customer began in the App Store, as its event names it.
    public var promotedPayment: ObjectiveCPromotedPayment?

    /// One piece at the usual store.
    public override init() {}

    var swift: PurchaseDetails {
      var details = PurchaseDetails()
      details.scene = scene
      details.reference = reference
      details.promotionalOffer = promotionalOffer
      details.offer = winBackOffer.map { .winBack(id: $0) }
      details.promoted = promotedPayment?.payment
      return details
    }
  }

  /// A purchase that the customer began in the App Store, for Objective-C.
  #if canImport(ObjectiveC)
    @objc(CFLPromotedPayment) @objcMembers
  #endif
  public final class ObjectiveCPromotedPayment: NSObject, Sendable {
    let payment: PromotedPayment
    /// Apple's product id.
    public var productIdentifier: String { payment.product.text }
    /// Number of pieces.
    public var quantity: Int { payment.quantity }

    init(_ payment: PromotedPayment) { self.payment = payment }
  }

  /// A purchase that the app's earlier code stored, for Objective-C: see `EarlierRecord`.
  #if canImport(ObjectiveC)
    @objc(CFLEarlierRecord) @objcMembers
  #endif
  public final class ObjectiveCEarlierRecord: NSObject {
    /// The app's own order number.
    public let reference: String
    /// Apple's product id.
    public let productIdentifier: String
    /// The user that the purchase belongs to.
    public let user: String
    /// Number of pieces.
    public var quantity = 1
    /// The stored receipt or signed transaction.
    public var evidence: String?
    /// The store's number.
    public var transactionId: String?
    /// The amount that the customer saw.
    public var amount: String?
    /// Its currency.
    public var currency: String?

    /// A record with the least that such code stored.
    public init(reference: String, productIdentifier: String, user: String) {
      self.reference = reference
      self.productIdentifier = productIdentifier
      self.user = user
    }

    var swift: EarlierRecord {
      var record = EarlierRecord(
        reference: reference, product: StoreProductIdentifier(productIdentifier), user: UserIdentifier(user))
      record.quantity = quantity
      record.evidence = evidence
      record.transaction = transactionId.map { TransactionIdentifier($0) }
      record.amount = amount
      record.currency = currency
      return record
    }
  }
#endif
