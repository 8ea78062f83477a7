package import PaymentPrimitives

/// Converts verified WeChat Pay data into the evidence values of the rest of the system. Only this file knows both
/// vocabularies.
package enum WeChatPayEvidence {
  /// The meaning of an order's transaction for us.
  package enum Finding: Hashable, Sendable {
    case charged(VerifiedCharge)
    /// Not paid yet; this may change at any time.
    case open
    /// Closed at WeChat Pay; only a payment in progress can still succeed.
    case closed
    /// A state that this version does not know, unchanged: neither paid nor closed.
    case unknown(String)
  }

  /// The finding of a verified transaction, from the answer to a query or from a notification.
  ///
  /// - Parameters:
  ///   - signedDate: the time at which WeChat Pay signed it (`Wechatpay-Timestamp`).
  ///   - environment: the environment of the signing keys (`WeChatPayHost.environment(of:)`).
  /// - Throws: `WeChatPayEvidenceErrorCode` if a paid transaction lacks a required field. No field gets a default
  ///   value.
  package static func finding(
    of transaction: PaymentTransaction, app: AppIdentifier, environment: StoreEnvironment, signedDate: Timestamp
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> Finding {
    switch transaction.tradeState {
    case .known(.success), .known(.refund):
      return .charged(try charge(transaction, app, environment: environment, signedDate: signedDate))
    case .known(.closed), .known(.revoked): return .closed
    case .other(let word): return .unknown(word)
    case .known(.notPaid), .known(.userPaying), .known(.payError): return .open
    }
  }

  private static func charge(
    _ transaction: PaymentTransaction, _ app: AppIdentifier, environment: StoreEnvironment, signedDate: Timestamp
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> VerifiedCharge {
    let number = try stated(transaction.transactionId, "transaction_id")
    let amount = try money(stated(transaction.total, "amount.total"), stated(transaction.currency, "amount.currency"))
    let paidDate = try stated(transaction.successTime, "success_time")
    guard paidDate.milliseconds > 0 else { throw absurd("success_time") }
    var charge = VerifiedCharge(
      key: try key(number, app, environment: environment), orderNumber: transaction.outTradeNo, amount: amount,
      merchant: try stated(transaction.mchid, "mchid"), paidDate: paidDate, signedDate: signedDate)
    charge.storeApp = transaction.appid
    charge.tradeType = transaction.tradeType?.text
    charge.payer = transaction.openid
    if let payerTotal = transaction.payerTotal {
      charge.payerAmount = try money(payerTotal, transaction.payerCurrency ?? amount.currency.code)
    }
    charge.isRefundStarted = transaction.tradeState == .known(.refund)
    return charge
  }

  /// The state of a refund, from the answer to its creation or query.
  package static func refund(
    _ facts: RefundFacts, app: AppIdentifier, environment: StoreEnvironment, signedDate: Timestamp
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> VerifiedRefund {
    let currency = try stated(facts.currency, "amount.currency")
    var refund = VerifiedRefund(
      number: facts.outRefundNo, storeNumber: facts.refundId,
      charge: try key(facts.transactionId, app, environment: environment), orderNumber: facts.outTradeNo,
      amount: try money(facts.refund, currency), total: try money(facts.total, currency),
      progress: progress(facts.status, facts.successTime), signedDate: signedDate)
    refund.channel = facts.channel
    refund.createdAt = facts.createTime
    return refund
  }

  /// The state of a refund, from a notification.
  ///
  /// - Parameter mchid: the expected merchant. Refund notifications state no currency; merchant mode only charges CNY.
  package static func refund(
    _ notification: RefundNotification, mchid: String, app: AppIdentifier, environment: StoreEnvironment,
    signedDate: Timestamp
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> VerifiedRefund {
    guard try stated(notification.mchid, "mchid").utf8.elementsEqual(mchid.utf8) else {
      throw CodedError(.otherMerchant)
    }
    return VerifiedRefund(
      number: notification.outRefundNo, storeNumber: notification.refundId,
      charge: try key(notification.transactionId, app, environment: environment), orderNumber: notification.outTradeNo,
      amount: Money(minorUnits: notification.refund, currency: .cny),
      total: Money(minorUnits: notification.total, currency: .cny),
      progress: progress(notification.status, notification.successTime), signedDate: signedDate)
  }

  private static func progress(_ status: WeChatPayValue<RefundStatus>, _ date: Timestamp?) -> VerifiedRefund.Progress {
    switch status {
    case .known(.success): .done(date)
    case .known(.processing): .underWay
    case .known(.closed): .closed
    case .known(.abnormal): .stuck
    case .other(let word): .unknown(word)
    }
  }

  /// Accepts only digits, because WeChat Pay's number becomes part of a permanent key.
  private static func key(
    _ number: String, _ app: AppIdentifier, environment: StoreEnvironment
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> PaymentKey {
    guard (1...32).contains(number.utf8.count), number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw absurd("transaction_id")
    }
    return PaymentKey(
      app: app, store: .weChatPay, environment: environment, transaction: TransactionIdentifier(number))
  }

  private static func money(
    _ fen: Int64, _ currency: String
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> Money {
    guard let currency = CurrencyCode(currency) else { throw absurd("amount.currency") }
    return Money(minorUnits: fen, currency: currency)
  }

  private static func stated<Value>(
    _ value: Value?, _ field: String
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> Value {
    guard let value else { throw CodedError(.missingField, "It states no \(field).") }
    return value
  }

  private static func absurd(_ field: String) -> CodedError<WeChatPayEvidenceErrorCode> {
    CodedError(.absurdField, "Its \(field) cannot be true.")
  }
}

/// The errors of a paid transaction that lacks required fields or has impossible ones.
package enum WeChatPayEvidenceErrorCode: String, ErrorCode {
  /// A field is missing, and a payment cannot be recorded without it.
  case missingField = "wechat_pay_evidence_field_missing"
  /// A field has an impossible value.
  case absurdField = "wechat_pay_evidence_field_absurd"
  case otherMerchant = "wechat_pay_evidence_other_merchant"

  package var meaning: BilingualText {
    switch self {
    case .missingField: BilingualText("The payment lacks a required field.", "支付结果缺少必需的字段。")
    case .absurdField: BilingualText("A field of the payment has an impossible value.", "支付结果中某个字段的值不可能成立。")
    case .otherMerchant: BilingualText("It belongs to another merchant.", "该结果属于另一个商户。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .missingField, .absurdField:
      BilingualText("Ask WeChat Pay for the order again; the evidence is kept.", "请重新向微信支付查询该订单；凭证已保留。")
    case .otherMerchant:
      BilingualText("Compare the notification address with the merchant.", "请核对通知地址与商户是否对应。")
    }
  }

  package var retry: RetryAdvice { .never }
}
