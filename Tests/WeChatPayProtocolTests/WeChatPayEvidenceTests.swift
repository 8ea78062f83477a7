import PaymentPrimitives
import StrictJSON
import Testing
import WeChatPayProtocol

@Suite struct `Evidence from WeChat Pay` {
  private let signed = Timestamp(seconds: 1_760_000_000)
  private let app = AppIdentifier("shop")
  private let order = OrderIdentifier(high: 0x0199_C8A1_ABCD_7000, low: 0x8000_0000_0000_0001)

  private func transaction(_ state: TradeState = .success) -> PaymentTransaction {
    var transaction = PaymentTransaction(outTradeNo: order.outTradeNo, tradeState: state)
    transaction.appid = "wx2421b1c4370ec43b"
    transaction.mchid = "1900007291"
    transaction.transactionId = "4200002500202510090000000001"
    transaction.tradeType = .known(.app)
    transaction.successTime = Timestamp(iso8601: "2025-10-09T08:53:10Z")
    transaction.total = 600
    transaction.payerTotal = 500
    transaction.currency = "CNY"
    transaction.openid = "o1"
    return transaction
  }

  private func finding(
    _ transaction: PaymentTransaction
  ) throws(CodedError<WeChatPayEvidenceErrorCode>) -> WeChatPayEvidence.Finding {
    try WeChatPayEvidence.finding(of: transaction, app: app, environment: .production, signedDate: signed)
  }

  private func charge(_ transaction: PaymentTransaction) throws -> VerifiedCharge {
    guard case .charged(let charge) = try finding(transaction) else {
      throw CodedError<WeChatPayEvidenceErrorCode>(.missingField, "It is not a charge.")
    }
    return charge
  }

  @Test func `of a payment with a missing or impossible field is refused, and nothing is filled in`() {
    let lacking: [(inout PaymentTransaction) -> Void] = [
      { $0.transactionId = nil }, { $0.total = nil }, { $0.currency = nil }, { $0.successTime = nil },
      { $0.mchid = nil },
    ]
    for change in lacking {
      var transaction = transaction()
      change(&transaction)
      #expect(throws: CodedError<WeChatPayEvidenceErrorCode>(.missingField)) { try finding(transaction) }
    }
    let absurd: [(inout PaymentTransaction) -> Void] = [
      { $0.transactionId = "42 OR 1=1" }, { $0.currency = "yuan" }, { $0.successTime = Timestamp(seconds: 0) },
      { $0.transactionId = String(repeating: "4", count: 33) }, { $0.payerCurrency = "?" },
    ]
    for change in absurd {
      var transaction = transaction()
      change(&transaction)
      #expect(throws: CodedError<WeChatPayEvidenceErrorCode>(.absurdField)) { try finding(transaction) }
    }
  }

  @Test func `of an unpaid order is open, closed or unknown, and never a charge`() throws {
    for state in [TradeState.notPaid, .userPaying, .payError] { #expect(try finding(transaction(state)) == .open) }
    for state in [TradeState.closed, .revoked] { #expect(try finding(transaction(state)) == .closed) }
    var strange = transaction()
    strange.tradeState = .other("FROZEN")
    #expect(try finding(strange) == .unknown("FROZEN"))
  }

  @Test func `of a refunded payment is a charge first`() throws {
    #expect(try charge(transaction(.refund)).isRefundStarted)
    #expect(try !charge(transaction()).isRefundStarted)
  }

  @Test func `of a payment states the charge, the amounts and the order`() throws {
    let charge = try charge(transaction())
    #expect(charge.key.store == .weChatPay)
    #expect(charge.key.environment == .production)
    #expect(charge.key.transaction == "4200002500202510090000000001")
    #expect(charge.order == order)
    #expect(charge.amount == Money(minorUnits: 600, currency: .cny))
    #expect(charge.payerAmount == Money(minorUnits: 500, currency: .cny))
    #expect(charge.tradeType == "APP")
    #expect(charge.signedDate == signed)
  }

  @Test func `names one of our orders only by 32 upper-case hexadecimal digits`() throws {
    for number in [
      order.outTradeNo.lowercased(), order.appAccountToken, "ORD20251009000001", order.outTradeNo + "0",
      String(order.outTradeNo.dropLast()),
    ] {
      var transaction = transaction()
      transaction.outTradeNo = number
      #expect(try charge(transaction).order == nil, "\(number)")
    }
  }

  @Test func `pays its order unless it differs in one of five named ways (A12, A13)`() throws {
    let charge = try charge(transaction())
    let expected = ExpectedCharge(
      order: order, amount: Money(minorUnits: 600, currency: .cny), merchant: "1900007291",
      storeApp: "wx2421b1c4370ec43b")
    #expect(charge.differences(from: expected).isEmpty)
    let changes: [(ChargeDifference, (inout ExpectedCharge) -> Void)] = [
      (.order, { $0.order = OrderIdentifier(high: 1, low: 1) }),
      (.amount, { $0.amount = Money(minorUnits: 601, currency: .cny) }),
      (.currency, { $0.amount = Money(minorUnits: 600, currency: CurrencyCode("HKD") ?? .cny) }),
      (.merchant, { $0.merchant = "1900007292" }), (.storeApp, { $0.storeApp = "wx0" }),
    ]
    #expect(Set(changes.map(\.0)) == Set(ChargeDifference.allCases))
    for (difference, change) in changes {
      var other = expected
      change(&other)
      #expect(charge.differences(from: other) == [difference])
    }
    var silent = transaction()
    silent.appid = nil
    #expect(try self.charge(silent).differences(from: expected) == [.storeApp])
  }

  @Test func `becomes a payment for the product in the order's snapshot`() throws {
    let payment = try charge(transaction()).payment(of: "diamonds60", kind: .consumable, quantity: 2)
    #expect(payment.token == order)
    #expect(payment.quantity == 2)
    #expect(payment.storeProduct == "diamonds60")
    #expect(payment.purchaseDate == Timestamp(iso8601: "2025-10-09T08:53:10Z"))
    #expect(payment.price == StatedPrice(milliunits: 6000, currency: "CNY"))
    #expect(payment.originalTransaction == payment.key.transaction)
  }

  @Test func `of a refund states its progress, and is done only when WeChat Pay reports success`() throws {
    let date = Timestamp(iso8601: "2025-10-09T09:09:58Z")
    let cases: [(RefundStatus, VerifiedRefund.Progress)] = [
      (.success, .done(date)), (.processing, .underWay), (.closed, .closed), (.abnormal, .stuck),
    ]
    #expect(cases.map(\.0).count == RefundStatus.allCases.count)
    for (status, progress) in cases {
      var facts = RefundFacts(
        refundId: "503", outRefundNo: "RF1", transactionId: "42", outTradeNo: order.outTradeNo, status: status,
        total: 600, refund: 100)
      facts.currency = "CNY"
      facts.successTime = date
      let asked = try WeChatPayEvidence.refund(facts, app: app, environment: .simulated, signedDate: signed)
      #expect(asked.progress == progress)
      #expect(asked.amount == Money(minorUnits: 100, currency: .cny))
      #expect(asked.charge.environment == .simulated)
      let told = try WeChatPayEvidence.refund(
        RefundNotification(of: facts, mchid: "1900007291"), mchid: "1900007291", app: app, environment: .simulated,
        signedDate: signed)
      #expect(told == asked, "whichever path brings the update")
      #expect(throws: CodedError<WeChatPayEvidenceErrorCode>(.otherMerchant)) {
        try WeChatPayEvidence.refund(
          RefundNotification(of: facts, mchid: "1900007291"), mchid: "1", app: app, environment: .simulated,
          signedDate: signed)
      }
    }
  }
}
