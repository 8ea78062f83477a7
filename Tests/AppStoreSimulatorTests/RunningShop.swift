import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import TestDoubles
import Testing

/// A shop with subscriptions that renew by themselves, and what a server sees of them.
extension SimulatedShop {
  var calendar: SubscriptionCalendar { SubscriptionCalendar(store) }

  /// Lets time pass and runs the calendar; the server receives the notifications.
  func pass(_ span: TimeSpan) async {
    time.advance(by: span)
    await calendar.keep()
    await sender.sendDue()
  }

  /// Lets time pass until the given span after a moment.
  func pass(until moment: Timestamp, plus span: TimeSpan = .zero) async { await pass(moment + span - time.now) }

  /// The signed renewal information of a subscription now, verified, with its status.
  func renewal(
    of line: TransactionIdentifier
  ) async throws -> (status: Status, info: JWSRenewalInfoDecodedPayload) {
    let (status, signed) = try await store.signedRenewalInfo(line)
    let verdict = try verifier().verifyRenewalInfo(signed, expecting: Self.expectations, at: await store.now())
    return (status, try #require(verdict.verified?.payload))
  }

  /// The notifications that the server received, verified, in the order of their events.
  func told() async throws -> [NotificationVerdict] {
    await sender.sendDue()
    let verdicts = try await received()
    return await store.notifications().compactMap { known in verdicts.first { $0.uuid == known.facts.uuid.text } }
  }

  /// Types and subtypes, as `SUBSCRIBED INITIAL_BUY`.
  func titles() async throws -> [String] { try await told().map(\.title) }

  /// The last notification that the server received.
  func lastTold() async throws -> NotificationVerdict { try #require(try await told().last) }

  /// Sets whether the account can pay.
  func set(_ owner: AppOwner = alice, canPay: Bool, _ environment: SimulatedEnvironment = .production) async throws {
    var account = SimulatedAppleAccount(id: owner.account, environment: environment)
    account.canPay = canPay
    try await store.catalog.setAccount(account)
  }

  /// Gives offers to the monthly subscription.
  func offer(_ offers: [SimulatedOffer], of product: SimulatedProduct = month) async throws {
    var changed = product
    changed.offers = offers
    try await store.catalog.setProduct(changed, bundleId: Self.app.bundleId)
  }
}

extension NotificationVerdict {
  var signedDate: Timestamp? { notification.verified?.payload.signedDate }
  var data: NotificationData? { notification.verified?.payload.data }
}
