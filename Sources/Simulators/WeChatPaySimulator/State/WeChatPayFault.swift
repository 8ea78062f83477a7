package import StrictJSON

/// The faults that can be planned. The names are permanent.
package enum WeChatPayFault: String, CaseIterable, Hashable, Sendable {
  // MARK: calls, before they take effect
  case unreachable
  /// The connection breaks before the server processes the request.
  case loseRequest
  /// A gateway answers 502 with HTML; the call has no effect.
  case htmlError
  /// 503 `SERVICE_UNAVAILABLE` without a signature; the call has no effect.
  case serviceUnavailable
  /// A signed 500 `SYSTEM_ERROR`; the call has no effect.
  case systemError
  /// A signed 429; the call has no effect.
  case frequencyLimited
  /// Refunds: a signed 403 `NOT_ENOUGH`; the call has no effect.
  case notEnough
  /// Refusals for reasons that only WeChat Pay knows: a signed error, and the call has no effect. Prepay: `RULE_LIMIT`.
  case ruleLimit
  /// Prepay: `ACCOUNT_ERROR`.
  case accountError
  /// Prepay: `TRADE_ERROR`.
  case tradeError
  /// Refunds: `USER_ACCOUNT_ABNORMAL`.
  case userAccountAbnormal
  /// Prepay, refunds: `MCH_NOT_EXISTS`.
  case merchantUnknown

  // MARK: calls, after they took effect
  /// The answer is lost.
  case loseAnswer
  case slow
  /// A gateway answers 502 with HTML instead of the answer.
  case htmlAfterEffect
  /// A signed 500 `SYSTEM_ERROR` instead of the answer.
  case systemErrorAfterEffect
  /// The body of the answer ends early.
  case cutAnswer
  case unsigned
  case wrongSignature
  /// The signature is a signature probe that a merchant must reject (`WECHATPAY/SIGNTEST/`).
  case probe
  /// The signature names an unknown key.
  case unknownKey
  /// Signed 301 seconds ago.
  case staleTimestamp
  /// Queries, payment notifications, bills: one fen more than the order has.
  case alteredAmount
  /// Queries, payment notifications: the content is that of another order.
  case otherOrder
  /// Queries, refunds, notifications: the state is a word that nobody knows, and so is a refund's channel.
  case unknownWord
  /// Prepay: the payment and its notification come before the answer.
  case payBeforeAnswer

  // MARK: refunds
  /// Refunds and their queries: the channel is a word that nobody knows, and the state is true.
  case unknownChannel
  case abnormalRefund
  case closedRefund

  // MARK: notifications
  case loseNotification
  case loseAttempt
  /// The content is encrypted under another APIv3 key.
  case otherAPIv3Key
  case otherMerchant
  case unknownEventType

  // MARK: bills
  /// The announced checksum is wrong.
  case wrongHash
  case cutFile
  /// A row and its amount are missing: the file is consistent but wrong.
  case missingRow
  /// A payment that does not exist.
  case additionalRow
  /// The first row is there twice.
  case doubledRow
  /// The transaction ids of the first two rows are swapped.
  case swappedRows
  /// The rows of refunds are missing.
  case missingRefunds
  /// The first row is of a kind that nobody knows.
  case unknownRow
  /// Trade bills: the fee of the first row is one fen more.
  case alteredFee
}

/// The target of a planned fault: a call of the API, or a kind of notification. The names are permanent.
package enum WeChatPayOperation: String, CaseIterable, Hashable, Sendable {
  /// Opens an order, with any of the four trade types.
  case prepay
  /// Queries an order by the merchant's number.
  case query
  /// Queries an order by WeChat Pay's number.
  case queryTransaction
  case close
  case refund
  /// Queries the state of a refund.
  case queryRefund
  /// Sends an abnormal refund to a bank account.
  case abnormalRefund
  case tradeBill
  case fundFlowBill
  case downloadBill
  case certificates
  case echo
  case complaints
  case complaint
  case complaintHistory
  case answerComplaint
  case completeComplaint
  case decideComplaintRefund
  case complaintPicture
  case paymentNotification
  case refundNotification
  case complaintNotification
  /// The notification that the self-test succeeded.
  case echoNotification

  /// Whether the simulator sends it.
  var isNotification: Bool {
    [.paymentNotification, .refundNotification, .complaintNotification, .echoNotification].contains(self)
  }
}

package struct PlannedFault: Hashable, Sendable {
  package var fault: WeChatPayFault
  /// The operation that it applies to; nil: any call, but no notification.
  package var operation: WeChatPayOperation?
  /// The host that it applies to, as the request writes it, for example `api2.mch.weixin.qq.com`; nil: any.
  package var host: String?
  package var skip: Int64
  /// How often it occurs; nil: always.
  package var count: Int64?
  /// Its probability at each matching call, in percent.
  package var percent: Int64

  /// A fault that occurs in the next matching calls.
  ///
  /// - Parameters:
  ///   - skip: the matching calls that pass first.
  ///   - count: the number of failing calls; nil: all.
  package init(
    _ fault: WeChatPayFault, of operation: WeChatPayOperation? = nil, host: String? = nil, skip: Int64 = 0,
    count: Int64? = 1, percent: Int64 = 100
  ) {
    self.fault = fault
    self.operation = operation
    self.host = host
    self.skip = skip
    self.count = count
    self.percent = percent
  }

  /// Whether it applies to this operation and host.
  func applies(to operation: WeChatPayOperation, host: String?) -> Bool {
    guard self.host == nil || self.host == host else { return false }
    return self.operation.map { $0 == operation } ?? !operation.isNotification
  }

  init(_ fields: JSONFields) throws(JSONFieldError) {
    fault = try fields.converted("fault", "the name of a fault", WeChatPayFault.init(rawValue:))
    operation = try fields.optionallyConverted(
      "operation", "the name of an operation", WeChatPayOperation.init(rawValue:))
    host = try fields.optionalString("host", bytesMax: 255)
    skip = try fields.optionalInteger("skip", in: 0...1_000_000) ?? 0
    count =
      try fields.value("count") == .string("always") ? nil : fields.optionalInteger("count", in: 1...1_000_000) ?? 1
    percent = try fields.optionalInteger("percent", in: 1...100) ?? 100
  }

  /// The fault as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("fault", .string(fault.rawValue)), ("operation", operation.map { .string($0.rawValue) }),
      ("host", host.map { .string($0) }), ("skip", skip == 0 ? nil : .integer(skip)),
      ("count", count.map { .integer($0) } ?? "always"), ("percent", percent == 100 ? nil : .integer(percent)),
    ])
  }
}
