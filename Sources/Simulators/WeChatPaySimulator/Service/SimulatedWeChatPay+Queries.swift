package import Cryptography
package import HTTPMessages
package import PaymentPrimitives
import SimulatorCore
package import WeChatPayProtocol

// Queries of a person, a test or a demo. Each answers in one step of the actor.

extension SimulatedWeChatPay {
  /// The state now, and what signs it.
  var snapshot: WeChatPaySnapshot {
    WeChatPaySnapshot(state: commands.state, now: now(), keys: keys, dependencies: dependencies)
  }

  package func merchants() -> [SimulatedMerchant] {
    commands.state.merchants.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The planned faults.
  package func faults() -> [PlannedFault] { commands.state.faults }

  // MARK: orders and refunds

  /// All orders in order of creation; those of one merchant or of all.
  package func orders(mchid: String? = nil) -> [SimulatedOrder] {
    let state = commands.state
    return state.orderSequence.compactMap { state.orders[$0] }.filter { mchid == nil || $0.mchid == mchid }
  }

  /// An order with its current state; nil for an unknown one.
  package func order(_ key: OrderKey) -> (order: SimulatedOrder, state: TradeState)? {
    commands.state.orders[key].map { ($0, commands.state.tradeState(of: $0, at: now())) }
  }

  /// All refunds in order of creation; those of one merchant or of all.
  package func refunds(mchid: String? = nil) -> [SimulatedRefund] {
    let state = commands.state
    return state.refundSequence.compactMap { state.refunds[$0] }.filter { mchid == nil || $0.key.mchid == mchid }
  }

  /// The order of a link or code, if it can be paid now; otherwise the reason.
  func look(_ visit: CashierVisit, openid: String) -> Result<SimulatedOrder, CashierProblem> {
    CashierDecision(visit: visit, openid: openid).payable(snapshot.context)
  }

  // MARK: keys

  /// The keys, and the choice of signing keys.
  package func keyPolicy() -> PlatformKeyPolicy { commands.state.keys }

  /// A platform public key, as the merchant platform shows it: a server has to trust it.
  ///
  /// - Parameter name: the first one, or the one that replaces it.
  package func platformPublicKey(_ name: PlatformKeyName = .publicKey) -> (identifier: String, key: RSAPublicKey) {
    (platform.publicKeyIdentifier(of: name), keys.key(name, in: keyPolicy()).privateKey.publicKey)
  }

  /// The platform certificates, in order.
  package func platformCertificates() -> [X509Certificate] { keys.certificates(in: keyPolicy()) }

  // MARK: notifications and requests

  /// All notifications in order, with their attempts; those of one merchant or of all.
  package func notifications(mchid: String? = nil) -> [SimulatedPaymentNotification] {
    let state = commands.state
    return state.notificationSequence.compactMap { state.notifications[$0] }
      .filter { mchid == nil || $0.mchid == mchid }
  }

  /// A notification as it would be sent now, with a new signature.
  ///
  /// - Throws: `notificationUnknown`.
  package func request(of id: String) throws(CodedError<WeChatPaySimulatorErrorCode>) -> HTTPRequest {
    guard let notification = commands.state.notifications[id] else { throw CodedError(.notificationUnknown) }
    return PaymentNotificationRequest(snapshot: snapshot).request(for: notification, fault: nil)
  }

  /// The last requests to the API, oldest first.
  package func exchanges() -> [WeChatPayExchangeNote] { exchangeJournal.notes }

  package func forgetExchanges() { exchangeJournal.forget() }
}
