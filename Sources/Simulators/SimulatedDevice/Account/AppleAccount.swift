package import AppStoreSimulator
import PaymentPrimitives
import Synchronization

/// An Apple account as devices know it: what Apple still wants of its owner, and whose leave a purchase needs. Several
/// devices may be signed in to one.
package final class AppleAccount: Sendable {
  /// What stands in the way of a purchase.
  package struct Switches: Hashable, Sendable {
    /// New terms wait for consent: the payment fails first, and succeeds once they are accepted (rule ACC-1).
    package var hasNewTerms = false
    /// The payment method must be renewed: like new terms (rule ACC-1).
    package var needsPaymentMethod = false
    /// A parent must approve each purchase (rule ACC-2).
    package var asksToBuy = false
    /// The sandbox's switch: while it is on every payment fails, also after the terms were accepted (rule ACC-3).
    package var interruptsPurchases = false
    /// Payments are forbidden by the device's settings (rule ACC-4).
    package var forbidsPayments = false

    package init() {}
  }

  /// Its name at the simulated App Store.
  package let id: AppleAccountIdentifier
  private let state = Mutex<(switches: Switches, approvals: [Approval])>((Switches(), []))

  /// An account without anything in the way.
  package init(_ id: AppleAccountIdentifier) { self.id = id }

  package var switches: Switches {
    get { state.withLock { $0.switches } }
    set { state.withLock { $0.switches = newValue } }
  }

  /// Purchases that wait for a parent.
  package var approvalsPending: Int { state.withLock { $0.approvals.count } }

  /// A parent answers the oldest request. Approved, it is charged now, whether the app runs or not (rules SK1-17,
  /// SK2-4).
  ///
  /// - Returns: false when nothing waits.
  @discardableResult
  package func answerApproval(_ isApproved: Bool) -> Bool {
    let approval = state.withLock { $0.approvals.isEmpty ? nil : $0.approvals.removeFirst() }
    guard let approval else { return false }
    approval.device.approvalCame(approval, isApproved: isApproved)
    return true
  }

  func await(_ approval: Approval) { state.withLock { $0.approvals.append(approval) } }

  /// The customer accepts what Apple wants of him: it is wanted no more. The sandbox's switch stays (rule ACC-3).
  func accept() {
    state.withLock {
      $0.switches.hasNewTerms = false
      $0.switches.needsPaymentMethod = false
    }
  }
}

/// A purchase that waits for a parent.
struct Approval: Sendable {
  let device: Device
  let payment: DevicePayment
  /// The entry of StoreKit 1's queue; nil under StoreKit 2, which has no object for it (rule SK2-4).
  let entry: Int?
}
