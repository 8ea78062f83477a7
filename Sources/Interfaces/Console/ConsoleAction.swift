import Markup
package import PaymentModel
import PaymentPrimitives

/// What an operator can do in the console. Each leaves one entry in the audit log, with a reason.
package enum ConsoleAction: String, CaseIterable, Sendable {
  case redrive
  case claim
  case retry
  case release
  case setAside = "set-aside"
  case closeOrder = "close"
  case askStore = "ask-store"
  case refund
  case writeOff = "write-off"
  case extend
  case extendAll = "extend-all"
  case redirect
  case mergeUser = "merge"
  case creditBalance = "credit"
  case giveEntitlement = "give-entitlement"
  case revokeEntitlement = "revoke"
  case setLimit = "set-limit"
  case liftLimit = "lift-limit"
  case eraseUser = "erase"
  case answerComplaint = "answer"
  case approveComplaintRefund = "approve-refund"
  case refuseComplaintRefund = "refuse-refund"
  case completeComplaint = "complete"
  case note
  case notePayment = "add-note"
  case retryAll = "retry-all"
  case redriveAll = "redrive-all"
  case reconcile = "compare"
  case decideRefund = "decide-refund"
  case pauseEndpoint = "pause"
  case resumeEndpoint = "resume"
  case applyNotification = "work-again"
  case assign
  case askApple = "ask-apple"

  /// The path of what it is done on, behind that of the app.
  var place: String {
    switch self {
    case .redrive: "deliveries/{delivery}"
    case .claim, .retry, .release, .setAside, .refund, .notePayment, .decideRefund:
      "payments/{store}/{environment}/{transaction}"
    case .retryAll: "needs-attention"
    case .assign: "needs-attention/{environment}/{item}"
    case .redriveAll: "deliveries/{environment}"
    case .reconcile: "reconciliation"
    case .pauseEndpoint, .resumeEndpoint: "endpoints/{endpoint}"
    case .applyNotification: "notifications/{environment}/{notification}"
    case .askApple: "order-numbers/{number}"
    case .closeOrder, .askStore, .note: "orders/{environment}/{order}"
    case .writeOff, .creditBalance: "users/{environment}/{user}/{unit}"
    case .extend: "subscriptions/{environment}/{original}"
    case .extendAll: "app-store-products/{product}"
    case .redirect: "refunds/{number}"
    case .mergeUser, .giveEntitlement, .setLimit, .eraseUser: "users/{environment}/{user}"
    case .revokeEntitlement: "users/{environment}/{user}/promotional-entitlements/{promotional}"
    case .liftLimit: "users/{environment}/{user}/spending-limits/{currency}"
    case .answerComplaint, .approveComplaintRefund, .refuseComplaintRefund, .completeComplaint:
      "complaints/{complaint}"
    }
  }

  package var permission: OperatorPermission {
    switch self {
    case .redrive, .claim, .retry, .closeOrder, .askStore, .answerComplaint, .completeComplaint, .note, .notePayment,
      .giveEntitlement, .revokeEntitlement, .assign, .askApple:
      .assist
    case .release, .setAside, .extend, .retryAll, .redriveAll, .decideRefund, .pauseEndpoint,
      .resumeEndpoint, .applyNotification:
      .operate
    case .refund, .writeOff, .redirect, .mergeUser, .approveComplaintRefund, .refuseComplaintRefund, .reconcile,
      .creditBalance, .setLimit, .liftLimit:
      .moveMoney
    case .extendAll, .eraseUser: .administer
    }
  }

  /// Whether the operator confirms it with a second factor, if the last one was shown more than five minutes ago.
  var needsProof: Bool {
    [
      .release, .refund, .writeOff, .extend, .extendAll, .redirect, .mergeUser, .eraseUser, .approveComplaintRefund,
      .decideRefund, .creditBalance, .setLimit, .liftLimit,
    ].contains(self)
  }

  /// The use case, as the routes of the API name it; nil if the API has no such route for operators.
  package var useCase: String? {
    switch self {
    case .redrive: "RedriveDelivery"
    case .claim: "ClaimUnclaimedPayment"
    case .retry: "RetryPayment"
    case .release: "ReleasePayment"
    case .setAside: "SetAsidePayment"
    case .refund: "RefundPayment"
    case .writeOff: "WriteOffDebt"
    case .extend: "ExtendSubscription"
    case .extendAll: "ExtendAllSubscribers"
    case .redirect: "RedirectRefund"
    case .answerComplaint: "AnswerComplaint"
    case .completeComplaint: "CompleteComplaint"
    case .retryAll: "RetryStoppedChanges"
    case .reconcile: "Reconcile"
    case .decideRefund: "DecideDisputedRefund"
    case .eraseUser: "EraseUser"
    case .assign: "AssignItem"
    case .askApple: "LookUpOrder"
    case .closeOrder, .askStore, .mergeUser, .approveComplaintRefund, .refuseComplaintRefund, .note,
      .notePayment, .redriveAll, .pauseEndpoint, .resumeEndpoint, .applyNotification, .creditBalance, .giveEntitlement,
      .revokeEntitlement, .setLimit, .liftLimit:
      nil
    }
  }

  /// Its name in the audit log.
  package var entry: String {
    switch self {
    case .redrive: "delivery.redrive"
    case .claim: "payment.claim"
    case .retry: "payment.retry"
    case .release: "payment.release"
    case .setAside: "payment.setAside"
    case .closeOrder: "order.close"
    case .askStore: "order.askStore"
    case .refund: "payment.refund"
    case .writeOff: "balance.writeOff"
    case .extend: "subscription.extend"
    case .extendAll: "product.extend"
    case .redirect: "refund.redirect"
    case .mergeUser: "user.merge"
    case .creditBalance: "balance.credit"
    case .giveEntitlement: "promotionalEntitlement.give"
    case .revokeEntitlement: "promotionalEntitlement.revoke"
    case .setLimit: "spendingLimit.set"
    case .liftLimit: "spendingLimit.lift"
    case .eraseUser: "user.erase"
    case .answerComplaint: "complaint.answer"
    case .approveComplaintRefund: "complaint.approveRefund"
    case .refuseComplaintRefund: "complaint.refuseRefund"
    case .completeComplaint: "complaint.complete"
    case .note: "order.note"
    case .notePayment: "payment.note"
    case .retryAll: "queue.retry"
    case .redriveAll: "delivery.redriveAll"
    case .reconcile: "day.reconcile"
    case .decideRefund: "payment.decideRefund"
    case .pauseEndpoint: "endpoint.pause"
    case .resumeEndpoint: "endpoint.resume"
    case .applyNotification: "notification.workAgain"
    case .assign: "queue.assign"
    case .askApple: "order.lookUp"
    }
  }

  /// What its form asks for beside the reason.
  func fields(namesPurchase: Bool) -> [ActionField] {
    switch self {
    case .claim: namesPurchase ? [.user, .order] : [.user]
    case .refund, .approveComplaintRefund: [.amount]
    case .extend: [.periodEnd, .days, .cause]
    case .extendAll: [.days, .cause, .identifier, .storefronts]
    case .redirect: [.destination, .bank, .account, .holder]
    case .mergeUser: [.user]
    case .eraseUser: [.force]
    case .creditBalance: [.units]
    case .giveEntitlement: [.entitlement, .duration]
    case .setLimit: [.currency, .limit]
    case .reconcile: [.store, .day]
    case .decideRefund: [.stands]
    case .answerComplaint: [.text, .talk]
    case .refuseComplaintRefund: [.text]
    case .assign: [.assignee, .formerAssignee]
    default: []
    }
  }
}
