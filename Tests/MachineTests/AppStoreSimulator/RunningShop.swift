import AppStoreProtocol
import AppStoreSimulator
import PaymentPrimitives
import SimulatorCore
import Testing

/// A shop whose subscriptions go on by themselves, and what a server sees of them.
extension SimulatedShop {
  var calendar: SubscriptionCalendar { SubscriptionCalendar(store) }

  /// Lets time pass and the calendar do what was due; a notification of it comes to the server.
  func pass(_ span: TimeSpan) async {
    time.advance(by: span)
    await calendar.keep()
    await sender.sendDue()
  }

  /// Lets time pass until so long after a moment.
  func pass(until moment: Timestamp, plus span: TimeSpan = .zero) async { await pass(moment + span - time.now) }

  /// What is signed of a subscription's future now, verified, with its status.
  func renewal(
    of line: TransactionIdentifier
  ) async throws -> (status: Status, info: JWSRenewalInfoDecodedPayload) {
    let (status, signed) = try await store.signedRenewalInfo(line)
    let verdict = try verifier().verifyRenewalInfo(signed, expecting: Self.expectations, at: await store.now())
    return (status, try #require(verdict.verified?.payload))
  }

  /// What the server was told, verified, in the order in which it happened.
  func told() async throws -> [NotificationVerdict] {
    await sender.sendDue()
    let verdicts = try await received()
    return await store.notifications().compactMap { known in verdicts.first { $0.uuid == known.facts.uuid.text } }
  }

  /// The same as `SUBSCRIBED INITIAL_BUY`.
  func titles() async throws -> [String] { try await told().map(\.title) }

  /// The last thing that the server was told.
  func lastTold() async throws -> NotificationVerdict { try #require(try await told().last) }

  /// Changes what is said of the account.
  func set(_ owner: AppOwner = alice, canPay: Bool, _ environment: SimulatedEnvironment = .production) async throws {
    var account = SimulatedAppleAccount(id: owner.account, environment: environment)
    account.canPay = canPay
    try await store.setAccount(account)
  }

  /// Gives the monthly subscription offers.
  func offer(_ offers: [SimulatedOffer], of product: SimulatedProduct = month) async throws {
    var changed = product
    changed.offers = offers
    try await store.setProduct(changed, bundleId: Self.app.bundleId)
  }
}

extension NotificationVerdict {
  var signedDate: Timestamp? { notification.verified?.payload.signedDate }
  var data: NotificationData? { notification.verified?.payload.data }
}
