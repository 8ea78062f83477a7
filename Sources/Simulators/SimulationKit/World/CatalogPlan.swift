import PaymentModel
import PaymentPrimitives

/// The configuration changes that a seed schedules while users buy. The plan has its own random stream, so it changes
/// nothing else in the world.
struct CatalogPlan: Hashable, Sendable {
  /// The changes, in order.
  var changes: [Change] = []
  /// Chance, in thousandths, that a purchase made under the old configuration is refunded after a change.
  var refunds = 0
  /// Share of purchases, in thousandths, that choose the product which is added later.
  var wantsNewest = 0

  /// Wrong kinds; each is corrected later.
  var kinds: [WrongKind] = []

  /// A period in which a product is configured with a wrong kind.
  struct WrongKind: Hashable, Sendable {
    let product: ProductIdentifier
    /// How long the wrong kind stays after every server runs with it.
    let lasts: TimeSpan
  }

  /// One change of the configuration; every server takes it over or restarts with it.
  enum Change: Hashable, Sendable {
    /// Gives an entitlement a new name.
    case renameRight(of: ProductIdentifier)
    /// A piece gives more units, or a pass lasts longer.
    case giveMore(of: ProductIdentifier)
    /// Removes a product from the catalog.
    case remove(ProductIdentifier)
    /// The product can no longer be ordered.
    case retire(ProductIdentifier)
    /// A removed product is in the catalog again.
    case bringBack(ProductIdentifier)
    /// Changes the product's App Store id. The old id still names the product, or names nothing.
    case renameAtAppStore(ProductIdentifier, keepsOld: Bool)
    /// The product costs more at WeChat Pay.
    case raisePrice(of: ProductIdentifier)
    case add
    /// Configures a product with a kind that differs from the stores' kind.
    case mistakeKind(of: ProductIdentifier)
    /// Restores the product's own kind.
    case putKindRight(of: ProductIdentifier)
    /// Changes how the configuration treats the team's other app.
    case other(OtherShop.Standing)

    /// Our own id of the product that the change concerns.
    var product: ProductIdentifier {
      switch self {
      case .renameRight(let id), .giveMore(let id), .remove(let id), .retire(let id), .bringBack(let id),
        .renameAtAppStore(let id, _), .raisePrice(let id), .mistakeKind(let id), .putKindRight(let id):
        id
      case .add: WorldShop.newest.id
      case .other: OtherShop.product.id
      }
    }
  }

  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    drawChanges(seed, hazards)
    if hazards.contains(.changedKinds) { drawKinds(seed) }
  }

  private mutating func drawKinds(_ seed: UInt64) {
    var chance = SeededChance(seed: seed, purpose: "plan of wrong kinds")
    guard chance.happens(perMille: 250) else { return }
    for _ in 0..<(1 + chance.number(below: 2)) {
      guard let product = chance.pick(WorldShop.products + WorldShop.subscriptions)?.id else { return }
      kinds.append(WrongKind(product: product, lasts: .seconds(Int64(30 + chance.number(below: 400)))))
    }
  }

  private mutating func drawChanges(_ seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of the configuration")
    let isWide = hazards.contains(.changedCatalog)
    guard isWide || hazards.contains(.changedPrices), chance.happens(perMille: 400) else { return }
    refunds = isWide ? 700 : 0
    for _ in 0..<(1 + chance.number(below: 3)) {
      guard let product = chance.pick(WorldShop.products + WorldShop.subscriptions)?.id else { return }
      switch isWide ? chance.number(below: 11) : 9 + chance.number(below: 2) {
      case 0...2: changes.append(.renameRight(of: product))
      case 3, 4: changes.append(.giveMore(of: product))
      case 5, 6:
        changes += chance.happens(perMille: 500) ? [.remove(product), .bringBack(product)] : [.remove(product)]
      case 8: changes.append(.retire(product))
      case 7: changes.append(.renameAtAppStore(product, keepsOld: chance.happens(perMille: 500)))
      case 9: changes.append(.raisePrice(of: product))
      default: changes.append(.add)
      }
    }
    if changes.contains(.add) { wantsNewest = 200 }
  }

  /// Products that the App Store must sell in addition to the usual ones.
  var furtherStoreProducts: [Product] {
    changes.compactMap { change in
      switch change {
      case .add: WorldShop.newest
      case .renameAtAppStore(let id, _):
        (WorldShop.products + WorldShop.subscriptions).first { $0.id == id }.map { WorldCatalog.renamedAtAppStore($0) }
      default: nil
      }
    }
  }
}
