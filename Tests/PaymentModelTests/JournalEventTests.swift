import PaymentModel
import Testing

@Suite struct `The names of journal events` {
  @Test func `are stored data and never change`() {
    let names: [(JournalEvent, String)] = [
      (.orderClosed(.alreadyOwned), "order.closed.alreadyOwned"), (.payment(.reversed(amount: 1)), "payment.reversed"),
      (.refund(.underWay), "refund.underWay"), (.paymentUpdateKept, "payment.newsKept"),
      (.duplicateFound, "payment.echo"), (.entitlementMoved, "right.moved"), (.entitlementShared, "right.shared"),
      (.subscriptionRenews, "line.renews"), (.renewalUpdateKept, "line.newsKept"),
      (.subscriptionInBillingRetry, "line.billingRetry"), (.closedAtStore, "weChatPay.closed"),
      (.deliveryImported, "import.delivered"), (.stoppedChangeTookEffect, "change.tookEffect"),
      (.userMerged, "user.merged"),
    ]
    for (event, name) in names { #expect(event.name == name) }
  }
}
