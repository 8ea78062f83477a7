package import StrictJSON

/// What can go wrong on demand. The names are permanent.
package enum WeChatPayFault: String, CaseIterable, Hashable, Sendable {
  // MARK: calls, before anything is done
  case unreachable
  /// The connection breaks before the request is processed.
  case loseRequest
  /// A gateway answers 502 with HTML; nothing is done.
  case htmlError
  /// 503 `SERVICE_UNAVAILABLE` without a signature; nothing is done.
  case serviceUnavailable
  /// A signed 500 `SYSTEM_ERROR`; nothing is done.
  case systemError
  /// A signed 429; nothing is done.
  case frequencyLimited
  /// Refunds: a signed 403 `NOT_ENOUGH`; nothing is done.
  case notEnough

  // MARK: calls, after everything is done
  /// The answer never comes.
  case loseAnswer
  case slow
  /// A gateway answers 502 with HTML in the place of the answer.
  case htmlAfterEffect
  /// A signed 500 `SYSTEM_ERROR` in the place of the answer.
  case systemErrorAfterEffect
  /// The body of the answer ends early.
  case cutAnswer
  case unsigned
  case wrongSignature
  /// The signature is one of those that a merchant must refuse (`WECHATPAY/SIGNTEST/`).
  case probe
  /// The signature names a key that nobody knows.
  case unknownKey
  /// Signed 301 seconds ago.
  case staleTimestamp
  /// Queries, payment notifications, bills: one fen more than the order had.
  case alteredAmount
  /// Queries, payment notifications: the content is that of another order.
  case otherOrder
  /// Prepay: the order is paid, and told of, before the answer.
  case payBeforeAnswer

  // MARK: refunds
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
  /// The announced checksum is another one.
  case wrongHash
  case cutFile
  /// A line is missing, its amount too: the file is consistent and wrong.
  case missingRow
  /// A payment that never was.
  case additionalRow
  /// The first line stands there twice.
  case doubledRow
  /// The first two lines name each other's payments.
  case swappedRows
  /// The lines of refunds are missing.
  case missingRefunds
}

/// What a fault may be planned for: a call of the API, or a kind of notification. The names are permanent.
package enum WeChatPayOperation: String, CaseIterable, Hashable, Sendable {
  /// Opening an order, in any of the four ways.
  case prepay
  /// Asking for an order by the merchant's number.
  case query
  /// Asking for an order by WeChat Pay's number.
  case queryTransaction
  /// Closing an order.
  case close
  case refund
  /// Asking how far a refund is.
  case queryRefund
  case tradeBill
  case downloadBill
  case certificates
  case echo
  case paymentNotification
  case refundNotification
  /// Telling that the self-test came through.
  case echoNotification

  /// Whether it is something that the simulator sends.
  var isNotification: Bool { self == .paymentNotification || self == .refundNotification || self == .echoNotification }
}

/// A fault that waits for its occasion.
package struct PlannedFault: Hashable, Sendable {
  package var fault: WeChatPayFault
  /// For what; nil: any call, no notification.
  package var operation: WeChatPayOperation?
  /// At which host of WeChat Pay's alone, as it stands in the request: `api2.mch.weixin.qq.com`; nil: any.
  package var host: String?
  package var skip: Int64
  /// How often it strikes; nil: for ever.
  package var count: Int64?
  /// With which chance at each occasion, in percent.
  package var percent: Int64

  /// A fault that strikes at the next so many occasions.
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

  /// Whether this is an occasion for it.
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

  /// The fault as the log and the control API have it.
  package var json: JSONValue {
    .members([
      ("fault", .string(fault.rawValue)), ("operation", operation.map { .string($0.rawValue) }),
      ("host", host.map { .string($0) }), ("skip", skip == 0 ? nil : .integer(skip)),
      ("count", count.map { .integer($0) } ?? "always"), ("percent", percent == 100 ? nil : .integer(percent)),
    ])
  }
}
