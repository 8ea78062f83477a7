import PaymentPrimitives
import SimulatorCore

/// The simulator's errors, including the planned faults. The texts are in `SimulatorErrorCode+Texts.swift`.
package enum SimulatorErrorCode: String, ErrorCode {
  // MARK: the control API
  /// No route has this path.
  case routeUnknown = "simulator_route_unknown"
  /// The path exists, but not with this method.
  case methodNotAllowed = "simulator_method_not_allowed"
  /// The body is larger than the control API reads.
  case bodyTooLarge = "simulator_body_too_large"
  /// The body is not JSON that the simulator accepts.
  case bodyUnreadable = "simulator_body_unreadable"
  /// A field is missing or has the wrong format.
  case fieldInvalid = "simulator_field_invalid"
  /// There is no behaviour setting of that name.
  case behaviourUnknown = "simulator_knob_unknown"

  // MARK: unknown items
  /// No app with that bundle id.
  case appUnknown = "simulator_app_unknown"
  /// No product with that id in that app.
  case productUnknown = "simulator_product_unknown"
  case accountUnknown = "simulator_account_unknown"
  case transactionUnknown = "simulator_transaction_unknown"
  /// No subscription with that original transaction id.
  case subscriptionUnknown = "simulator_subscription_unknown"
  case notificationUnknown = "simulator_notification_unknown"

  // MARK: rules of the App Store
  /// An attempt to change a product's type, group or period, or an account's environment.
  case neverChanges = "simulator_never_changes"
  /// A quantity that the App Store does not sell.
  case quantityNotAllowed = "simulator_quantity_not_allowed"
  /// The account already has this subscription.
  case alreadySubscribed = "simulator_already_subscribed"
  /// Renewal is turned off, or the subscription has ended.
  case notRenewing = "simulator_not_renewing"
  /// The App Store does not extend a free period, a family share, or a subscription for a third time in a year.
  case extensionNotAllowed = "simulator_extension_not_allowed"
  /// The period does not end within a day.
  case renewalTooEarly = "simulator_renewal_too_early"
  /// The product has no such offer, or not for this customer.
  case offerNotAllowed = "simulator_offer_not_allowed"
  /// A promotional offer without the team's signature, or with one that is not valid for this purchase.
  case offerSignatureInvalid = "simulator_offer_signature_invalid"
  /// The refund is larger than the rest of the payment, or nothing is left.
  case alreadyRefunded = "simulator_already_refunded"
  /// No money moved for this transaction.
  case nothingToRefund = "simulator_nothing_to_refund"
  /// The app has no notification URL.
  case notificationAddressMissing = "simulator_notification_address_missing"

  // MARK: planned faults
  /// The purchase failed; nothing was charged.
  case purchaseFailed = "simulator_purchase_failed"
  /// The command took effect, and the answer was lost.
  case answerLost = "simulator_answer_lost"

  // MARK: the simulator itself
  /// A limit of the simulator is reached.
  case full = "simulator_full"
  /// The log is not a simulator's, or was changed.
  case logUnreadable = "simulator_log_unreadable"
  /// The log was written by a later version.
  case logTooNew = "simulator_log_too_new"
  /// The log could not be written or read.
  case logUnavailable = "simulator_log_unavailable"
}

extension SimulatorErrorCode: ControlErrorCode {
  /// The HTTP status that the control API answers with.
  package var status: Int {
    switch self {
    case .fieldInvalid, .bodyUnreadable: 400
    case .routeUnknown, .behaviourUnknown, .appUnknown, .productUnknown, .accountUnknown, .transactionUnknown,
      .subscriptionUnknown, .notificationUnknown:
      404
    case .methodNotAllowed: 405
    case .neverChanges, .alreadySubscribed, .notRenewing, .extensionNotAllowed, .renewalTooEarly, .alreadyRefunded: 409
    case .bodyTooLarge: 413
    case .quantityNotAllowed, .offerNotAllowed, .offerSignatureInvalid, .nothingToRefund, .notificationAddressMissing:
      422
    case .logUnreadable, .logTooNew: 500
    case .purchaseFailed, .full, .logUnavailable: 503
    case .answerLost: 504
    }
  }
}
