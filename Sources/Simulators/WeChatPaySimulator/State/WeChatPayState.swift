import PaymentPrimitives
package import SimulatorCore
import WeChatPayProtocol

/// The whole state that the log records. Live operation and replay use the same `apply`.
package struct WeChatPayState: RecordedState, Equatable {
  typealias Inconsistency = StateInconsistency

  package private(set) var recordCount = 0
  package private(set) var origin: SimulatorOrigin?
  package private(set) var clock = SimulatorClock.real
  package private(set) var behaviours = BehaviourValues<WeChatPayBehaviour>()
  private(set) var faults: [PlannedFault] = []
  private(set) var keys = PlatformKeyPolicy()
  private(set) var merchants: [String: SimulatedMerchant] = [:]
  private(set) var orders: [OrderKey: SimulatedOrder] = [:]
  private(set) var refunds: [RefundKey: SimulatedRefund] = [:]
  private(set) var complaints: [String: SimulatedComplaint] = [:]
  /// What merchants paid into their accounts or withdrew, in order.
  private(set) var transfers: [FundTransfer] = []
  private(set) var notifications: [String: SimulatedPaymentNotification] = [:]

  /// Orders in order of creation.
  private(set) var orderSequence: [OrderKey] = []
  private(set) var refundSequence: [RefundKey] = []
  private(set) var notificationSequence: [String] = []
  /// The orders by prepay id, code URL and transaction id.
  private(set) var orderOfPrepay: [String: OrderKey] = [:]
  private(set) var orderOfCode: [String: OrderKey] = [:]
  private(set) var orderOfTransaction: [String: OrderKey] = [:]
  /// The app id in which each payer was first named: in every other app the payer has another openid.
  private(set) var appidOfOpenid: [String: String] = [:]
  /// Payments and refunds that wait for their time.
  private(set) var dueEndings = DueList<DueItem>()
  /// Notifications that wait for their time. They have a separate list, because it can be very long while a server is
  /// down.
  private(set) var dueNotifications = DueList<DueItem>()

  /// The state before the first record.
  package init() {}

  /// The same state without the record count: a simulator that was killed during a write has one record more.
  package var content: WeChatPayState {
    var content = self
    content.recordCount = 0
    return content
  }

  package mutating func apply(_ record: WeChatPayRecord) throws(StateInconsistency) {
    if recordCount == 0 {
      // If a kill tore the first line, the record about it comes before all others.
      switch record.changes.first {
      case .created, .tornLinesDropped: break
      default: throw Inconsistency("The log does not begin with how the simulator was created.")
      }
    }
    for change in record.changes { try apply(change) }
    recordCount = record.number
  }

  private mutating func apply(_ change: WeChatPayChange) throws(Inconsistency) {
    switch change {
    case .created(let origin):
      guard self.origin == nil else { throw Inconsistency("The simulator is created a second time.") }
      self.origin = origin
    case .tornLinesDropped: break
    case .merchant(let merchant): merchants[merchant.mchid] = merchant
    case .keys(let policy): keys = policy
    case .order(let order): try put(order)
    case .refund(let refund): try put(refund)
    case .complaint(let complaint): complaints[complaint.facts.id] = complaint
    case .transfer(let transfer): transfers.append(transfer)
    case .notification(let notification): put(notification)
    case .clock(let clock): self.clock = clock
    case .behaviour(let behaviour, let value): behaviours[behaviour] = value
    case .faults(let planned): faults = planned
    }
  }

  private mutating func put(_ order: SimulatedOrder) throws(Inconsistency) {
    let key = order.key
    guard merchants[order.mchid] != nil else { throw Inconsistency("The order \(key) belongs to no merchant.") }
    if let earlier = orders[key] {
      guard earlier.fingerprint == order.fingerprint else { throw Inconsistency("The order \(key) became another.") }
      if let moment = earlier.payment?.moment { dueEndings.remove(.init(moment: moment, item: .payment(key))) }
    } else {
      orderSequence.append(key)
      if let openid = order.openid, appidOfOpenid[openid] == nil { appidOfOpenid[openid] = order.appid }
    }
    if let moment = order.payment?.moment { dueEndings.insert(.init(moment: moment, item: .payment(key))) }
    for prepay in order.prepays {
      orderOfPrepay[prepay.id] = key
      if let code = prepay.codeURL { orderOfCode[code] = key }
    }
    if let transactionId = order.transactionId { orderOfTransaction[transactionId] = key }
    orders[key] = order
  }

  private mutating func put(_ refund: SimulatedRefund) throws(Inconsistency) {
    let key = refund.key
    guard orders[refund.order] != nil else { throw Inconsistency("The refund \(key) takes back nothing.") }
    if let earlier = refunds[key] {
      guard earlier.fingerprint == refund.fingerprint else { throw Inconsistency("The refund \(key) became another.") }
      if let moment = earlier.endsAt { dueEndings.remove(.init(moment: moment, item: .refund(key))) }
    } else {
      refundSequence.append(key)
    }
    if let moment = refund.endsAt { dueEndings.insert(.init(moment: moment, item: .refund(key))) }
    refunds[key] = refund
  }

  private mutating func put(_ notification: SimulatedPaymentNotification) {
    if case .waiting(let moment) = notifications[notification.id]?.state {
      dueNotifications.remove(.init(moment: moment, item: .notification(notification.id)))
    } else if notifications[notification.id] == nil {
      notificationSequence.append(notification.id)
    }
    notifications[notification.id] = notification
    if case .waiting(let moment) = notification.state {
      dueNotifications.insert(.init(moment: moment, item: .notification(notification.id)))
    }
  }

  // MARK: queries

  /// The refunds of an order, in order of creation.
  func refunds(of order: SimulatedOrder) -> [SimulatedRefund] {
    order.refundNumbers.compactMap { refunds[RefundKey(mchid: order.mchid, outRefundNo: $0)] }
  }

  /// The state of an order at a moment: an expired order is closed without a command.
  func tradeState(of order: SimulatedOrder, at now: Timestamp) -> TradeState {
    guard order.state == .notPaid else { return order.state }
    let lag = TimeSpan.seconds(behaviours[.expiryLagSeconds])
    return now > order.timeExpire + lag ? .closed : .notPaid
  }
}
