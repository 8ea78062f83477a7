public import Counterfoil
public import PaymentPrimitives

/// Everything that a shop's page shows.
public struct ShopState: Hashable, Sendable {
  /// A text to show to the customer once, in their language.
  public struct Notice: Hashable, Sendable, Identifiable {
    /// Counts the notices of this model.
    public let id: Int
    /// The subject; an app may look for particular ones.
    public let key: CustomerMessageKey
    /// The text.
    public let text: String
    /// The order, as the customer may name it to support.
    public let order: OrderIdentifier?
  }

  /// The entitlements and balances of the signed-in user, as far as this page knows.
  public enum Rights: Hashable, Sendable {
    /// Not read yet.
    case unread
    /// The server's last answer.
    case read(entitlements: [Entitlement], balances: [Balance])
    /// The server could not be asked: the entitlements are not known now. It does not mean that the user has none.
    case unreadable(PurchasingError)
  }

  /// The products for sale, as far as this page knows.
  public enum Products: Hashable, Sendable {
    /// Not read yet.
    case unread
    /// They are being read for the first time.
    case loading
    /// The last answer.
    case read(Catalog)
    /// The server could not be asked. It does not mean that nothing is for sale.
    case unreadable(PurchasingError)

    /// The products to show.
    public var items: [CatalogItem] {
      guard case .read(let catalog) = self else { return [] }
      return catalog.items
    }
  }

  /// The orders of the signed-in user that are not complete yet, oldest first.
  public internal(set) var openOrders: [OpenOrder] = []
  /// Products for which a purchase of this page runs and the customer waits here.
  public internal(set) var busy: Set<ProductIdentifier> = []
  /// Products for which the customer is in another app, which was opened to pay.
  public internal(set) var away: Set<ProductIdentifier> = []
  /// Purchases that the customer began in the App Store and this app has not bought yet.
  public internal(set) var promoted: [PromotedPayment] = []
  /// The text for the customer; nil after they dismissed it. A newer text replaces an older one.
  public internal(set) var notice: Notice?
  /// Counts the grants: a view that shows a balance reads it again when this changes.
  public internal(set) var grants = 0
  /// The entitlements and balances of the signed-in user.
  public internal(set) var rights = Rights.unread
  /// The products for sale.
  public internal(set) var products = Products.unread
  /// What the user has bought, newest first.
  public internal(set) var purchases: [PastPurchase] = []
  /// Whether this customer can pay here; nil before it was checked.
  public internal(set) var availability: PurchaseAvailability?
  /// Whether a restore runs.
  public internal(set) var isRestoring = false

  init() {}
}
