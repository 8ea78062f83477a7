/// What the journal can say. Names are stored data: a name never changes, and none is used for something else.
///
/// The journal is written for people. No decision reads it.
package struct JournalEvent: Hashable, Sendable {
  /// A stable dotted name: `payment.fulfilled`.
  package let name: String

  private init(_ name: String) { self.name = name }

  // MARK: orders

  package static let orderCreated = JournalEvent("order.created")
  package static let orderPaid = JournalEvent("order.paid")
  package static let orderPaidLate = JournalEvent("order.paidLate")
  /// An earlier payment of the same subscription took the order over.
  package static let orderPairingMoved = JournalEvent("order.pairingMoved")
  /// A payment without an order got one of its own.
  package static let orderDerived = JournalEvent("order.derived")
  package static let orderApprovalPending = JournalEvent("order.approvalPending")
  package static func orderClosed(_ reason: CloseReason) -> JournalEvent {
    JournalEvent("order.closed.\(reason.rawValue)")
  }

  // MARK: payments

  /// A payment reached a state.
  package static func payment(_ state: PaymentState) -> JournalEvent { JournalEvent("payment.\(state.name)") }
  /// New facts of a payment that change nothing else.
  package static let paymentUpdateKept = JournalEvent("payment.newsKept")
  /// A claim of a waiting payment was stored for later.
  package static let paymentClaimKept = JournalEvent("payment.claimKept")
  /// A later payment of a subscription lost its order to an earlier one.
  package static let paymentOrderMoved = JournalEvent("payment.orderMoved")
  /// Another transaction id of the same purchase.
  package static let duplicateFound = JournalEvent("payment.echo")
  /// The ids of a purchase disagree on a refund.
  package static let idsDisagree = JournalEvent("payment.idsDisagree")
  package static let idsAgree = JournalEvent("payment.idsAgree")
  package static let refundConfirmedByOperator = JournalEvent("payment.refundConfirmedByOperator")
  package static let refundUndoneByOperator = JournalEvent("payment.refundUndoneByOperator")
  /// The store names another owner than the one that has the grant.
  package static let ownerLearnedLate = JournalEvent("payment.ownerLearnedLate")
  /// Two statements of WeChat Pay about a granted charge differ.
  package static let chargeContradicted = JournalEvent("payment.contradicted")
  package static let environmentLearned = JournalEvent("payment.environmentLearned")
  package static let finishedHere = JournalEvent("payment.finishedHere")
  package static let notFinishedHere = JournalEvent("payment.notFinishedHere")
  package static let tokenSet = JournalEvent("payment.tokenSet")
  package static let tokenNotSet = JournalEvent("payment.tokenNotSet")
  package static let setAside = JournalEvent("payment.setAside")
  package static let released = JournalEvent("payment.released")
  package static let retryAsked = JournalEvent("payment.retryAsked")

  /// An operator let WeChat Pay send a stuck refund to a bank account.
  package static let refundRedirected = JournalEvent("payment.refundRedirected")

  // MARK: complaints

  /// The customer complained at the store.
  package static let complaintOpened = JournalEvent("complaint.opened")
  /// The customer complained once more, under the same number.
  package static let complaintRepeated = JournalEvent("complaint.repeated")
  package static let complaintAnswered = JournalEvent("complaint.answered")
  package static let complaintRefundApproved = JournalEvent("complaint.refundApproved")
  package static let complaintRefundRefused = JournalEvent("complaint.refundRefused")
  /// An operator told the store that it is done.
  package static let complaintCompleted = JournalEvent("complaint.completed")
  /// It is over, by the store's word: an operator ended it, or the customer withdrew it.
  package static let complaintDone = JournalEvent("complaint.done")

  // MARK: subscriptions

  /// An operator let Apple put off the end of the period.
  package static let subscriptionExtended = JournalEvent("line.extended")
  package static let subscriptionBegan = JournalEvent("line.began")
  package static let subscriptionRenewed = JournalEvent("line.renewed")
  /// A receipt shows a period, and not which one was renewed.
  package static let subscriptionPeriodAdded = JournalEvent("line.periodAdded")
  package static let subscriptionRenews = JournalEvent("line.renews")
  package static let subscriptionEndsWithItsPeriod = JournalEvent("line.endsWithItsPeriod")
  package static let subscriptionRenewsToAnother = JournalEvent("line.renewsToAnother")
  package static let subscriptionInBillingRetry = JournalEvent("line.billingRetry")
  package static let subscriptionBillingRecovered = JournalEvent("line.billingRecovered")
  package static let subscriptionInGracePeriod = JournalEvent("line.gracePeriod")
  package static let subscriptionExpired = JournalEvent("line.expired")
  package static let priceIncreasePending = JournalEvent("line.priceIncreasePending")
  package static let priceIncreaseAccepted = JournalEvent("line.priceIncreaseAccepted")
  package static let renewalUpdateKept = JournalEvent("line.newsKept")

  // MARK: grants and refunds

  package static let grantPeriodChanged = JournalEvent("grant.periodChanged")
  package static let entitlementMoved = JournalEvent("right.moved")
  package static let entitlementShared = JournalEvent("right.shared")
  package static let refundAsked = JournalEvent("refund.asked")
  package static let refundMadeAtStore = JournalEvent("refund.madeAtStore")
  /// A refund reached a state.
  package static func refund(_ state: Refund.State) -> JournalEvent { JournalEvent("refund.\(state.name)") }
  package static let consumptionAsked = JournalEvent("consumption.asked")
  package static let consumptionAskedTooLate = JournalEvent("consumption.askedTooLate")
  package static let consumptionAnswered = JournalEvent("consumption.answered")
  package static let consumptionNotAnswered = JournalEvent("consumption.notAnswered")
  package static let consumptionRefused = JournalEvent("consumption.refused")

  // MARK: orders at WeChat Pay

  package static let prepayRefused = JournalEvent("weChatPay.prepayRefused")
  package static let prepared = JournalEvent("weChatPay.prepared")
  package static let prepareUnknown = JournalEvent("weChatPay.prepareUnknown")
  package static let closingAtStore = JournalEvent("weChatPay.closing")
  package static let closedAtStore = JournalEvent("weChatPay.closed")

  // MARK: the rest

  /// An operator wrote a note for the team.
  package static let operatorNoted = JournalEvent("operator.noted")

  /// The order or payment got another user, because two users were merged.
  package static let userMerged = JournalEvent("user.merged")

  /// An event for the app's backend that no other entry carries.
  package static let eventTold = JournalEvent("event.told")
  /// An endpoint did not take an event for 30 days; the feed still has it.
  package static let eventParked = JournalEvent("event.parked")

  package static let deliveryParked = JournalEvent("delivery.parked")
  package static let deliveryRedriven = JournalEvent("delivery.redriven")
  /// The earlier system's delivery was imported.
  package static let deliveryImported = JournalEvent("import.delivered")
  package static let invariantBroken = JournalEvent("invariant.broken")
  /// The events that an operator lists over all payments; they are few, and have an index.
  package static let listed = [
    chargeContradicted, consumptionAskedTooLate, consumptionAnswered, consumptionNotAnswered, consumptionRefused,
  ]
  /// A change that an invariant had stopped took effect.
  package static let stoppedChangeTookEffect = JournalEvent("change.tookEffect")
}
