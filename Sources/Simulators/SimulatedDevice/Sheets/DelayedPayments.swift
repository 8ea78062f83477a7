import AppStoreSimulator
import PaymentPrimitives

/// Payments that continue outside the app, after the customer's consent or a parent's approval.
struct DelayedPayments: Sendable {
  let dependencies: Dependencies
  let tasks: SystemTasks
  let settings: DeviceSettings
  let store: AppStoreAccess
  let queues: TransactionQueues

  // MARK: consent

  /// The customer accepts Apple's request. A new payment for the same product and quantity follows, outside the app.
  /// StoreKit 1 has lost the token by then; StoreKit 2 keeps it (rules SK1-14, SK2-14).
  func awaitConsent(
    _ payment: DevicePayment, _ interface: SimulatedPurchaseRequest.Interface, after span: TimeSpan?
  ) {
    guard let span else { return }
    tasks.later {
      try? await dependencies.sleep(span)
      settings.account.accept()
      var again = payment
      if interface == .storeKit1 { again.userName = nil }
      do throws(DeviceFailure) {
        // Rule ACC-3: as long as the sandbox switch is on, the new payment fails as well.
        guard !settings.account.switches.interruptsPurchases else { throw .unknown(inner: 3038) }
        let purchase = try await store.charge(again, interface)
        queues.surface(settings.behaviours.shown(purchase.transaction, purchase.signedTransaction))
      } catch {
        if interface == .storeKit1 { queues.addFailed(again, error) }
      }
    }
  }

  // MARK: approval

  /// - Parameter entry: the entry of StoreKit 1's queue; nil under StoreKit 2.
  func awaitApproval(_ payment: DevicePayment, entry: Int?) {
    settings.account.await(Approval(payments: self, payment: payment, entry: entry))
  }

  /// A parent answered. This does not need the app; the device needs its link only to learn the result (rules SK1-17,
  /// SK2-4).
  func approvalCame(_ approval: Approval, isApproved: Bool) {
    tasks.later {
      guard isApproved else {
        // Rule SK2-4: StoreKit 2 does not report a decline.
        if let handle = approval.entry { queues.decline(handle) }
        return
      }
      let request = store.request(approval.payment, approval.entry == nil ? .storeKit2 : .storeKit1)
      guard let purchase = try? await store.approvals.reach({ try await $0.purchases.purchase(request) }) else {
        return
      }
      store.note(purchase.transaction.id)
      if let handle = approval.entry { queues.approve(handle, purchase.transaction, isLinkUp: store.isUp) }
      guard store.isUp else { return }
      queues.surface(settings.behaviours.shown(purchase.transaction, purchase.signedTransaction))
    }
  }
}
