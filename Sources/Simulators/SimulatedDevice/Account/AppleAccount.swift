package import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// An Apple account as devices know it: what it needs before a purchase, and who must approve one. Several devices may
/// be signed in to one account.
package final class AppleAccount: Sendable {
  /// What prevents a purchase.
  package struct Switches: Hashable, Sendable {
    /// New terms wait for consent: the payment fails first, and succeeds after the customer accepts the terms (rule
    /// ACC-1).
    package var hasNewTerms = false
    /// The customer must renew the payment method: works like new terms (rule ACC-1).
    package var needsPaymentMethod = false
    /// A parent must approve each purchase (rule ACC-2).
    package var asksToBuy = false
    /// The sandbox switch: while it is on, every payment fails, also after the customer accepts the terms (rule ACC-3).
    package var interruptsPurchases = false
    /// The device settings forbid payments (rule ACC-4).
    package var forbidsPayments = false

    package init() {}
  }

  /// The identifier of the account at the simulated App Store.
  package let id: AppleAccountIdentifier
  private let state = Mutex<(switches: Switches, approvals: [Approval])>((Switches(), []))

  /// An account where nothing prevents a purchase.
  package init(_ id: AppleAccountIdentifier) { self.id = id }

  package var switches: Switches {
    get { state.withLock { $0.switches } }
    set { state.withLock { $0.switches = newValue } }
  }

  /// Number of purchases that wait for a parent.
  package var approvalsPending: Int { state.withLock { $0.approvals.count } }

  /// A parent answers the oldest request. After approval the App Store charges at once, whether the app runs or not
  /// (rules SK1-17, SK2-4).
  ///
  /// - Returns: false when no request waits.
  @discardableResult
  package func answerApproval(_ isApproved: Bool) -> Bool {
    let approval = state.withLock { $0.approvals.isEmpty ? nil : $0.approvals.removeFirst() }
    guard let approval else { return false }
    approval.payments.approvalCame(approval, isApproved: isApproved)
    return true
  }

  func await(_ approval: Approval) { state.withLock { $0.approvals.append(approval) } }

  /// The customer accepts the new terms and renews the payment method. The sandbox switch stays (rule ACC-3).
  func accept() {
    state.withLock {
      $0.switches.hasNewTerms = false
      $0.switches.needsPaymentMethod = false
    }
  }
}

/// A purchase that waits for a parent.
struct Approval: Sendable {
  let payments: DelayedPayments
  let payment: DevicePayment
  /// The entry of StoreKit 1's queue; nil under StoreKit 2, which has no object for it (rule SK2-4).
  let entry: Int?
}
