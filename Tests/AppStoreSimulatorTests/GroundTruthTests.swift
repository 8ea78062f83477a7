import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

/// The totals of a product in one account's app.
private struct Sum: Hashable {
  var pieces: Int64 = 0
  var milliunits: Int64 = 0
  /// Thousandths of a percent of each payment, added up.
  var refunded: Int64 = 0
}

private struct Account: Hashable {
  let owner: AppOwner
  let product: String
}

@Suite struct `The ground truth of a simulated App Store` {
  private static let products = SimulatedShop.products.dropLast()

  /// A random busy time: purchases, refunds, finishes, renewals, faults, restarts.
  private func busyTime(seed: UInt64) async throws -> SimulatedShop {
    var chance = SplitMix64(seed: seed)
    var shop = try await SimulatedShop(chance.oneIn(2) ? .production : .sandbox, seed: seed)
    let faults: [SimulatorBehaviour] = [
      .failPurchases, .losePurchaseAnswers, .loseTokens, .loseFinishes, .loseFinishAnswers, .newIdWhenOwned,
    ]
    for _ in 0..<60 {
      let owner = chance.one(of: [SimulatedShop.alice, SimulatedShop.bob])
      do {
        switch chance.number(below: 12) {
        case 0...5:
          let quantity = chance.oneIn(3) ? chance.number(below: 12) : 1
          let interface = chance.one(of: SimulatedPurchaseRequest.Interface.allCases)
          try await shop.buy(chance.one(of: Array(Self.products)), by: owner) {
            $0.quantity = quantity
            $0.interface = interface
          }
        case 6:
          let transactions = await shop.store.transactions()
          guard !transactions.isEmpty else { continue }
          let part = chance.oneIn(2) ? nil : Int64(chance.number(below: 60_000))
          _ = try await shop.store.refunds.refund(chance.one(of: transactions).id, percentage: part)
        case 7: try await shop.finish(chance.one(of: Array(Self.products)), of: owner)
        case 8:
          let lines = await shop.store.transactions().filter { $0.period != nil }.map(\.originalId)
          guard !lines.isEmpty else { continue }
          _ = try await shop.store.subscriptions.renew(chance.one(of: lines))
        case 9: shop.time.advance(by: .minutes(Int64(chance.number(below: 60 * 24 * 20))))
        case 10: try await shop.store.setBehaviour(chance.one(of: faults), to: 1)
        default: shop = try await shop.restarted()
        }
      } catch let error as CodedError<SimulatorErrorCode> {
        // The store refused, or its answer was lost; the truth must be right in both cases.
        #expect(error.code != .logUnavailable && error.code != .logUnreadable)
      }
    }
    return shop
  }

  @Test(arguments: UInt64(1)...20)
  func `is the sum of all that the store signs, for devices and in notifications (AS-TRUTH-1)`(
    seed: UInt64
  ) async throws {
    let shop = try await busyTime(seed: seed)
    let charges = await shop.store.charges()
    var truth: [Account: Sum] = [:]
    for charge in charges {
      let account = Account(owner: charge.transaction.owner, product: charge.transaction.product.text)
      truth[account, default: Sum()].pieces += Int64(charge.transaction.quantity)
      truth[account, default: Sum()].milliunits += charge.milliunits
      truth[account, default: Sum()].refunded += charge.refundedPercentage
    }
    var signed: [Account: Sum] = [:]
    var quantities: [String: Int64] = [:]
    for owner in [SimulatedShop.alice, SimulatedShop.bob] {
      for item in try await shop.store.signedTransactions(of: owner, for: SimulatedShop.device) {
        let payload = try await shop.verified(item.signedTransaction)
        let (id, quantity) = (try #require(payload.transactionId), try #require(payload.quantity))
        #expect(quantities.updateValue(quantity, forKey: id) == nil)
        // A further id of a non-consumable was paid only once, under its original id.
        if payload.type == .known(.nonConsumable), id != payload.originalTransactionId { continue }
        let account = Account(owner: owner, product: try #require(payload.productId))
        signed[account, default: Sum()].pieces += quantity
        signed[account, default: Sum()].milliunits += quantity * (try #require(payload.price))
        signed[account, default: Sum()].refunded += payload.revocationPercentage ?? 0
      }
    }
    #expect(signed == truth)
    try await compare(charges, with: await shop.store.notifications(), in: shop)
    #expect(try await shop.restarted().store.charges() == charges)
  }

  /// Each charge and each refund has exactly one notification of its own, with the same quantity.
  private func compare(
    _ charges: [SimulatedCharge], with notifications: [SimulatedNotification], in shop: SimulatedShop
  ) async throws {
    var told: [String: Int64] = [:]
    var refunded: [String: Int64] = [:]
    for notification in notifications {
      let verdict = try await shop.verified(
        notification: try await shop.store.signedPayload(of: notification.facts.uuid))
      let payload = try #require(verdict.transaction?.verified?.payload)
      let id = try #require(payload.transactionId)
      if verdict.title == "REFUND" {
        refunded[id] = payload.revocationPercentage
      } else {
        #expect(told.updateValue(try #require(payload.quantity), forKey: id) == nil)
      }
    }
    #expect(
      told == Dictionary(uniqueKeysWithValues: charges.map { ($0.transaction.id.text, Int64($0.transaction.quantity)) })
    )
    let paidBack = charges.filter { $0.refundedPercentage > 0 }
    #expect(
      refunded == Dictionary(uniqueKeysWithValues: paidBack.map { ($0.transaction.id.text, $0.refundedPercentage) }))
  }
}
