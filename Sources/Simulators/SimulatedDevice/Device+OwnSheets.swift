import AppStoreSimulator
package import PaymentPrimitives
import Synchronization

// The store's own sheets: they carry no order, and what comes of them comes as transactions.

/// How the sheet ended in which the customer asks for his money back.
package enum RefundSheetEnd: Hashable, Sendable {
  /// He asked; the store pays back an hour later (rule SK2-17).
  case sent
  case cancelled
  case sentBefore
  /// The store could not be reached, or knows no such transaction.
  case failed
}

extension Device {
  /// The store decides after this much (Apple takes up to 48 hours; the model does not need them).
  private static let refundDecision = TimeSpan.hours(1)

  /// The customer asks for his money back, unless he gives it up (rule SK2-17).
  package func requestRefund(_ id: TransactionIdentifier) async -> RefundSheetEnd? {
    await system { () async -> RefundSheetEnd in
      guard !self.knobs.givesUpRefunds else { return .cancelled }
      let (owner, identifier) = (self.owner, self.identifier)
      let all = try? await self.ask { try await $0.signedTransactions(of: owner, for: identifier) }
      guard let known = all?.first(where: { $0.transaction.id == id }) else { return .failed }
      let isFirst = self.state.withLock { $0.refundsAsked.insert(id).inserted }
      guard isFirst, known.transaction.revocation == nil else { return .sentBefore }
      self.later { await self.payBack(id) }
      return .sent
    }
  }

  /// The store pays back, with or without this device, which then hears of it as an update (rules SK2-6, SK2-17).
  private func payBack(_ id: TransactionIdentifier) async {
    try? await surroundings.sleep(Self.refundDecision)
    let identifier = identifier
    guard (try? await approvals.reach({ try await $0.refund(id) })) != nil, appleLink.isUp,
      let signed = try? await approvals.reach({ try await $0.signedTransaction(id, for: identifier) })
    else { return }
    currentRun?.yield(shown(signed.transaction, signed.signedTransaction))
  }

  /// The code that the customer types into the next redemption sheet, by what it gives him; without one he closes the
  /// sheet.
  package func nextOfferCode(for product: StoreProductIdentifier) {
    state.withLock { $0.offerCodes.append(product) }
  }

  /// The customer redeems a code. The transaction has no token, and comes as an update (rule SK2-23).
  package func redeemOfferCode() async -> Result<Void, DeviceFailure>? {
    await system { () async -> Result<Void, DeviceFailure> in
      let code = self.state.withLock { $0.offerCodes.isEmpty ? nil : $0.offerCodes.removeFirst() }
      guard let code else { return .success(()) }
      let request = self.request(DevicePayment(product: code, quantity: 1, userName: nil), .storeKit2)
      do throws(DeviceFailure) {
        let purchase = try await self.ask { try await $0.purchase(request) }
        self.state.withLock { $0.charges.append(purchase.transaction.id) }
        self.surface(self.shown(purchase.transaction, purchase.signedTransaction))
        return .success(())
      } catch { return .failure(error) }
    }
  }

  /// Opens the sheet of subscriptions; nil when the waiting was cancelled (rule SK2-24).
  package func manageSubscriptions() async -> Void? {
    await system { self.state.withLock { $0.subscriptionSheets += 1 } }
  }

  /// How often the sheet of subscriptions was opened.
  package var subscriptionSheets: Int { state.withLock { $0.subscriptionSheets } }
}
