#if canImport(ObjectiveC)
  import Counterfoil
  public import Foundation
  import PaymentPrimitives

  /// A product as the store describes it, for Objective-C.
  @objc(CFLProduct) public final class ObjectiveCProduct: NSObject, Sendable {
    /// Apple's product id.
    @objc public let productIdentifier: String
    /// Its name in the customer's language.
    @objc public let name: String
    /// Its description in the customer's language.
    @objc public let productDescription: String
    /// The price as the store formats it: show this.
    @objc public let displayPrice: String
    /// Thousandths of the currency's main unit; nil if the store states the price in words alone.
    @objc public let priceMilliunits: NSNumber?
    /// The currency, such as `CNY`.
    @objc public let currency: String?
    /// `consumable`, `nonConsumable`, `autoRenewable` or `nonRenewing`; nil under StoreKit 1.
    @objc public let kind: String?
    /// The group of a subscription.
    @objc public let subscriptionGroup: String?
    /// Whether it can be shared in a family.
    @objc public let isFamilyShareable: Bool

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
  @objc(CFLOpenOrder) public final class ObjectiveCOpenOrder: NSObject, Sendable {
    /// The order's id.
    @objc public let orderId: String
    /// Eight letters that name the order on a telephone.
    @objc public let supportCode: String
    /// The ordered product.
    @objc public let product: String
    /// Number of pieces.
    @objc public let quantity: Int
    /// `appStore` or `weChatPay`.
    @objc public let store: String
    /// `created`, `paying`, `failedOnce`, `deferred`, `paid`, `setAside` or `owned`.
    @objc public let phase: String
    /// When the server made it.
    @objc public let createdAt: Date

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
  @objc(CFLPurchaseDetails) public final class ObjectiveCPurchaseDetails: NSObject {
    /// Number of pieces, 1 to 10.
    @objc public var quantity = 1
    /// `appStore` or `weChatPay`; nil: the store of the configuration.
    @objc public var store: String?
    /// Where in the app it was begun, for reports.
    @objc public var scene: String?
    /// The app's own number of the order.
    @objc public var reference: String?
    /// A promotional offer that the server signs for this order.
    @objc public var promotionalOffer: String?
    /// A win-back offer, by its id (StoreKit 2, iOS 18).
    @objc public var winBackOffer: String?
    /// The purchase that the customer began in the App Store, as its event names it.
    @objc public var promotedPayment: ObjectiveCPromotedPayment?

    /// One piece at the usual store.
    @objc public override init() {}

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
  @objc(CFLPromotedPayment) public final class ObjectiveCPromotedPayment: NSObject, Sendable {
    let payment: PromotedPayment
    /// Apple's product id.
    @objc public var productIdentifier: String { payment.product.text }
    /// Number of pieces.
    @objc public var quantity: Int { payment.quantity }

    init(_ payment: PromotedPayment) { self.payment = payment }
  }

  /// A purchase that the app's earlier code stored, for Objective-C: see `EarlierRecord`.
  @objc(CFLEarlierRecord) public final class ObjectiveCEarlierRecord: NSObject {
    /// The app's own order number.
    @objc public let reference: String
    /// Apple's product id.
    @objc public let productIdentifier: String
    /// The user that the purchase belongs to.
    @objc public let user: String
    /// Number of pieces.
    @objc public var quantity = 1
    /// The stored receipt or signed transaction.
    @objc public var evidence: String?
    /// The store's number.
    @objc public var transactionId: String?
    /// The amount that the customer saw.
    @objc public var amount: String?
    /// Its currency.
    @objc public var currency: String?

    /// A record with the least that such code stored.
    @objc public init(reference: String, productIdentifier: String, user: String) {
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
