import AppStoreSimulator
package import PaymentPrimitives
import Synchronization

/// The App Store's own sheets: they carry no order, and their results arrive as transactions.
package final class AppStoreSheets: Sendable {
  private struct State {
    var refundsAsked: Set<TransactionIdentifier> = []
    var offerCodes: [StoreProductIdentifier] = []
    var subscriptionSheets = 0
  }

  private let dependencies: Dependencies
  private let tasks: SystemTasks
  private let settings: DeviceSettings
  private let store: AppStoreAccess
  private let queues: TransactionQueues
  private let state = Mutex(State())

  init(
    dependencies: Dependencies, tasks: SystemTasks, settings: DeviceSettings, store: AppStoreAccess,
    queues: TransactionQueues
  ) {
    self.dependencies = dependencies
    self.tasks = tasks
    self.settings = settings
    self.store = store
    self.queues = queues
  }

  // MARK: refunds

  /// How a refund sheet ended.
  package enum RefundEnd: Hashable, Sendable {
    /// The customer asked for a refund; the App Store refunds an hour later (rule SK2-17).
    case sent
    case cancelled
    case sentBefore
    /// The device could not reach the App Store, or the App Store knows no such transaction.
    case failed
  }

  /// Time until the App Store decides. Apple takes up to 48 hours; the model does not need that long.
  private static let refundDecision = TimeSpan.hours(1)

  /// The customer asks for a refund, or closes the sheet without asking (rule SK2-17).
  package func requestRefund(_ id: TransactionIdentifier) async -> RefundEnd? {
    await tasks.answer { () async -> RefundEnd in
      guard !self.settings.behaviours.givesUpRefunds else { return .cancelled }
      let (owner, identifier) = (self.store.owner, self.store.identifier)
      let all = try? await self.store.ask { try await $0.signedTransactions(of: owner, for: identifier) }
      guard let known = all?.first(where: { $0.transaction.id == id }) else { return .failed }
      let isFirst = self.state.withLock { $0.refundsAsked.insert(id).inserted }
      guard isFirst, known.transaction.revocation == nil else { return .sentBefore }
      self.tasks.later { await self.payBack(id) }
      return .sent
    }
  }

  /// The App Store refunds, with or without this device. The device then receives the refund as an update (rules SK2-6,
  /// SK2-17).
  private func payBack(_ id: TransactionIdentifier) async {
    try? await dependencies.sleep(Self.refundDecision)
    let identifier = store.identifier
    guard (try? await store.approvals.reach({ try await $0.refunds.refund(id) })) != nil, store.isUp,
      let signed = try? await store.approvals.reach({ try await $0.signedTransaction(id, for: identifier) })
    else { return }
    queues.currentRun?.yield(settings.behaviours.shown(signed.transaction, signed.signedTransaction))
  }

  // MARK: offer codes

  /// Sets the product that the next offer code gives. Without a code, the customer closes the redemption sheet.
  package func nextOfferCode(for product: StoreProductIdentifier) {
    state.withLock { $0.offerCodes.append(product) }
  }

  /// The customer redeems a code. The transaction has no token, and arrives as an update (rule SK2-23).
  package func redeemOfferCode() async -> Result<Void, DeviceFailure>? {
    await tasks.answer { () async -> Result<Void, DeviceFailure> in
      let code = self.state.withLock { $0.offerCodes.isEmpty ? nil : $0.offerCodes.removeFirst() }
      guard let code else { return .success(()) }
      let request = self.store.request(DevicePayment(product: code, quantity: 1, userName: nil), .storeKit2)
      do throws(DeviceFailure) {
        let purchase = try await self.store.ask { try await $0.purchases.purchase(request) }
        self.store.note(purchase.transaction.id)
        self.queues.surface(
          self.settings.behaviours.shown(purchase.transaction, purchase.signedTransaction))
        return .success(())
      } catch { return .failure(error) }
    }
  }

  // MARK: subscriptions

  /// Opens the subscriptions sheet; nil when the wait was cancelled (rule SK2-24).
  package func manageSubscriptions() async -> Void? {
    await tasks.answer { self.state.withLock { $0.subscriptionSheets += 1 } }
  }

  /// How often the subscriptions sheet was opened.
  package var subscriptionSheets: Int { state.withLock { $0.subscriptionSheets } }
}
