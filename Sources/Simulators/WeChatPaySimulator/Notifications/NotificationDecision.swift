import PaymentPrimitives
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// What a command tells merchants, and the faults of that.
enum NotificationDecision {
  /// The faults of a whole notification; the faults of one attempt are decided when it is sent.
  private static let faultsOfContent: Set<WeChatPayFault> = [
    .loseNotification, .otherAPIv3Key, .otherMerchant, .unknownEventType, .alteredAmount, .otherOrder,
    .unknownWord,
  ]

  /// Adds a notification of a payment, due after the set delay.
  static func tellOfPayment(_ order: SimulatedOrder, _ decision: inout CommandContext) {
    let fault = decision.strike(.paymentNotification) { Self.faultsOfContent.contains($0) }
    var transaction = order.transaction(in: .success)
    switch fault {
    case .alteredAmount: transaction.alterAmount()
    case .otherOrder: takeOtherOrder(&transaction, decision)
    case .otherMerchant: transaction.mchid = Self.otherMerchant
    case .unknownWord: transaction.tradeState = .other(Self.unknownWord)
    default: break
    }
    decision.put(
      notification(
        .paymentNotification, of: order.mchid, to: order.notifyURL, event: .transactionSuccess,
        content: transaction.json,
        fault: fault, decision))
  }

  /// Adds a notification of a refund's end.
  static func tellOfRefund(_ refund: SimulatedRefund, _ decision: inout CommandContext) {
    guard let url = refund.notifyURL else { return }
    let fault = decision.strike(.refundNotification) { Self.faultsOfContent.contains($0) }
    var content = RefundNotification(of: refund.facts, mchid: refund.key.mchid)
    switch fault {
    case .alteredAmount: content.refund += 1
    case .otherOrder: content.outTradeNo = Self.otherNumber
    case .otherMerchant: content.mchid = Self.otherMerchant
    case .unknownWord: content.status = .other(Self.unknownWord)
    default: break
    }
    guard let event = WeChatPayEventType(rawValue: "REFUND." + refund.status.rawValue) else { return }
    decision.put(
      notification(
        .refundNotification, of: refund.key.mchid, to: url, event: event, content: content.json, fault: fault, decision)
    )
  }

  /// Adds a notification that the self-test succeeded.
  static func tellOfEcho(
    _ message: String, of mchid: String, to url: String, _ decision: inout CommandContext
  ) {
    let fault = decision.strike(.echoNotification) { Self.faultsOfContent.contains($0) }
    let content = JSONValue.members([("echo_message", .string(message))])
    decision.put(
      notification(
        .echoNotification, of: mchid, to: url, event: .securityEchoSuccess, content: content, fault: fault, decision)
    )
  }

  /// Adds a notification that something happened to a complaint; only its number stands there.
  static func tell(
    of complaint: SimulatedComplaint, action: String, isNew: Bool, _ decision: inout CommandContext
  ) {
    let fault = decision.strike(.complaintNotification) { Self.faultsOfContent.contains($0) }
    let content = ComplaintNotice(id: complaint.facts.id, action: fault == .unknownWord ? unknownWord : action)
    decision.put(
      notification(
        .complaintNotification, of: complaint.mchid, to: complaint.notifyURL,
        event: isNew ? .complaintCreate : .complaintStateChange, content: content.json, fault: fault, decision))
  }

  /// A word that WeChat Pay has not published.
  static let unknownWord = "NEW_IN_2030"

  private static let otherMerchant = "1999999999"
  private static let otherNumber = "SOMEBODYELSES0001"

  /// Replaces the content of an answer or notification by another paid order of the merchant, or by an unknown order if
  /// there is none.
  static func takeOtherOrder(_ transaction: inout PaymentTransaction, _ context: CommandContext) {
    let state = context.state
    let number = transaction.outTradeNo
    let other = state.orderSequence.last { key in
      key.mchid == transaction.mchid && key.outTradeNo != number && state.orders[key]?.state == .success
    }
    if let other, let order = state.orders[other] {
      transaction = order.transaction(in: .success)
    } else {
      transaction.outTradeNo = Self.otherNumber
      transaction.transactionId = "4200009999" + context.eightDigits() + "0000000000"
    }
  }

  private static func notification(
    _ operation: WeChatPayOperation, of mchid: String, to url: String, event: WeChatPayEventType,
    content: JSONValue, fault: WeChatPayFault?, _ decision: CommandContext
  ) -> WeChatPayChange {
    let (state, now) = (decision.state, decision.now)
    let jitter = state.behaviours[.notificationJitterMilliseconds]
    let delay = state.behaviours[.notificationDelayMilliseconds] + (jitter > 0 ? decision.chance(below: jitter + 1) : 0)
    let isSent = !state.behaviours.isOn(.notifyNever) && state.merchants[mchid]?.testAPIv3Key != nil
    return .notification(
      SimulatedPaymentNotification(
        id: decision.identifier(), operation: operation, mchid: mchid, url: url,
        eventType: fault == .unknownEventType ? "SOMETHING.NEW" : event.rawValue, createdAt: now,
        plaintext: content.text, nonce: decision.digits(12), fault: fault,
        state: isSent ? .waiting(until: now + .milliseconds(delay)) : .neverSent))
  }
}

extension PaymentTransaction {
  /// Adds one fen to the amounts.
  mutating func alterAmount() {
    total = total.map { $0 + 1 }
    payerTotal = payerTotal.map { $0 + 1 }
  }
}
