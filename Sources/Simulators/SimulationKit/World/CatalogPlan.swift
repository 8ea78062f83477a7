import PaymentModel
import PaymentPrimitives

/// What a seed decides of the shop's configuration while people buy. It is drawn apart, so that it changes nothing of
/// what else happens.
struct CatalogPlan: Hashable, Sendable {
  /// The changes, in their order.
  var changes: [Change] = []
  /// How often something is given back after a change of what it was, in thousandths.
  var refunds = 0
  /// How often somebody wants what is sold later, in thousandths of purchases.
  var wantsNewest = 0

  /// Wrong kinds, each of which is put right again.
  var kinds: [WrongKind] = []

  /// For a while a product is configured with a wrong kind.
  struct WrongKind: Hashable, Sendable {
    let product: ProductIdentifier
    /// For how long after every server was started with it.
    let lasts: TimeSpan
  }

  /// One change of the configuration; every server is started again with it.
  enum Change: Hashable, Sendable {
    /// A right has another name from now on.
    case renameRight(of: ProductIdentifier)
    /// A piece gives more, or a pass lasts longer.
    case giveMore(of: ProductIdentifier)
    /// A product is in the catalog no more.
    case remove(ProductIdentifier)
    /// A product cannot be ordered any more.
    case retire(ProductIdentifier)
    /// A product that was removed is back.
    case bringBack(ProductIdentifier)
    /// A product has another number at the App Store; the old one goes on to mean it, or means nothing.
    case renameAtAppStore(ProductIdentifier, keepsOld: Bool)
    /// A product costs more at WeChat Pay.
    case raisePrice(of: ProductIdentifier)
    case add
    /// A product has another kind than the stores sell it as.
    case mistakeKind(of: ProductIdentifier)
    /// It has its own kind again.
    case putKindRight(of: ProductIdentifier)
    /// The configuration speaks otherwise of the team's other app.
    case other(OtherShop.Standing)

    /// Our own id of what it is about.
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

  /// What the App Store must sell beside the usual.
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
