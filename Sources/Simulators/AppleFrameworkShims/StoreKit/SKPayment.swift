public import Foundation

/// Stand-in for Apple's class of the same name.
open class SKPayment: NSObject {
  fileprivate var product = ""
  fileprivate var pieces = 1
  fileprivate var userName: String?
  fileprivate var discount: SKPaymentDiscount?
  /// Whether it was made from a product; otherwise from a bare id.
  private(set) var hasProduct = false

  /// A payment for a product.
  public convenience init(product: SKProduct) {
    self.init()
    self.product = product.productIdentifier
    hasProduct = true
  }

  public override init() {}

  init(product: String, quantity: Int, userName: String?) {
    self.product = product
    self.pieces = quantity
    self.userName = userName
  }

  open var productIdentifier: String { product }
  open var quantity: Int { pieces }
  open var applicationUsername: String? { userName }
  open var paymentDiscount: SKPaymentDiscount? { discount }
}

/// Stand-in for Apple's class of the same name.
open class SKMutablePayment: SKPayment {
  open override var productIdentifier: String {
    get { product }
    set { product = newValue }
  }
  open override var quantity: Int {
    get { pieces }
    set { pieces = newValue }
  }
  open override var applicationUsername: String? {
    get { userName }
    set { userName = newValue }
  }
  open override var paymentDiscount: SKPaymentDiscount? {
    get { discount }
    set { discount = newValue }
  }
}

/// Stand-in for Apple's class of the same name.
open class SKPaymentDiscount: NSObject {
  public let identifier: String
  public let keyIdentifier: String
  public let nonce: UUID
  public let signature: String
  public let timestamp: NSNumber

  public init(
    identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber
  ) {
    self.identifier = identifier
    self.keyIdentifier = keyIdentifier
    self.nonce = nonce
    self.signature = signature
    self.timestamp = timestamp
  }
}
