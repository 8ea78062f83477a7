import StrictJSON
import TestFixtures
import Testing
import WeChatPayProtocol

/// Every field that WeChat Pay publishes for what this system reads. The names are those of the pages about queries of
/// orders, refunds and their notifications (pay.weixin.qq.com/doc/v3, September 2026); the values are made up.
@Suite struct `A field that WeChat Pay has published` {
  private static let transaction = """
    {"appid":"wx0000000000000001","mchid":"1900000001","out_trade_no":"ORDERNUMBER1",
    "transaction_id":"4200000000000001",
    "trade_type":"NATIVE","trade_state":"SUCCESS","trade_state_desc":"支付成功","bank_type":"CMC_DEBIT",
    "attach":"附加",
    "success_time":"2026-09-01T10:34:56+08:00","payer":{"openid":"oPayer"},
    "amount":{"total":600,"payer_total":500,"currency":"CNY","payer_currency":"CNY"},"scene_info":{"device_id":"d-1"},
    "promotion_detail":[{"coupon_id":"109519","name":"券","scope":"GLOBAL","type":"NOCASH","amount":100,
    "stock_id":"931386","wechatpay_contribute":0,"merchant_contribute":100,"other_contribute":0,"currency":"CNY",
    "goods_detail":[{"goods_id":"M1006","quantity":1,"unit_price":100,"discount_amount":1,"goods_remark":"备注"}]}]}
    """

  private static let refund = """
    {"refund_id":"50000000000001","out_refund_no":"REFUND1","transaction_id":"4200000000000001",
    "out_trade_no":"ORDERNUMBER1","channel":"ORIGINAL","user_received_account":"支付用户零钱",
    "success_time":"2026-09-02T10:34:56+08:00","create_time":"2026-09-02T10:30:00+08:00","status":"SUCCESS",
    "funds_account":"AVAILABLE","amount":{"total":600,"refund":250,"from":[{"account":"AVAILABLE","amount":250}],
    "payer_total":500,"payer_refund":200,"settlement_refund":250,"settlement_total":600,"discount_refund":50,
    "currency":"CNY","refund_fee":2},"promotion_detail":[{"promotion_id":"109519","scope":"GLOBAL","type":"COUPON",
    "amount":100,"refund_amount":50,"goods_detail":[{"merchant_goods_id":"1","goods_name":"n","unit_price":1,
    "refund_amount":1,"refund_quantity":1,"wechatpay_goods_id":"1"}]}]}
    """

  private static let notification = """
    {"mchid":"1900000001","out_trade_no":"ORDERNUMBER1","transaction_id":"4200000000000001","out_refund_no":"REFUND1",
    "refund_id":"50000000000001","refund_status":"SUCCESS","success_time":"2026-09-02T10:34:56+08:00",
    "user_received_account":"支付用户零钱","amount":{"total":600,"refund":250,"payer_total":500,"payer_refund":200}}
    """

  private static let kinds: [(name: String, text: String, reread: @Sendable (JSONValue) throws -> JSONValue)] = [
    ("an order", transaction, { try PaymentTransaction($0).json }), ("a refund", refund, { try RefundFacts($0).json }),
    ("a refund's notification", notification, { try RefundNotification($0).json }),
  ]

  @Test(arguments: kinds.indices)
  func `is in the codec: what is read and written again is the same`(_ index: Int) throws {
    let (name, text, reread) = Self.kinds[index]
    let value = try JSONReader.read(text.utf8)
    #expect(try reread(value).sorted == value.sorted, "\(name)")
  }

  /// Each with its value replaced by a word that is not published.
  @Test func `may have a word that is not published, which is kept as it is`() throws {
    let unknown = JSONValue.string("NEW_IN_2030")
    for (index, names) in [
      (0, ["trade_type", "trade_state", "bank_type"]), (1, ["channel", "status", "funds_account"]),
      (2, ["refund_status"]),
    ] {
      let (kind, text, reread) = Self.kinds[index]
      for name in names {
        let value = try JSONReader.read(text.utf8).with([(name, unknown)])
        #expect(try reread(value)[name] == unknown, "\(kind): \(name)")
      }
    }
  }

  @Test func `may stand beside one that is not published, which disturbs nothing`() throws {
    for (kind, text, reread) in Self.kinds {
      let value = try JSONReader.read(text.utf8)
      let more = value.with([("a_field_of_tomorrow", .members([("known", .bool(false))]))])
      #expect(try reread(more).sorted == value.sorted, "\(kind)")
    }
  }

  @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)"))
  func `is in the codec as the SDKs' own samples have it`() throws {
    for (file, index) in [
      ("EventSamples__Transactions__TransactionResource", 0),
      ("ModelSamples__Refund__CreateRefundDomesticRefundResponse", 1),
      ("ModelSamples__Refund__CreateRefundDomesticAbnormalRefundApplyResponse", 1),
    ] {
      let bytes = try Fixtures.bytes("wechatpay/samples/\(file).json")
      let value = try JSONReader.read(Array(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]))
      #expect(try Self.kinds[index].reread(value).sorted == value.sorted, "\(file)")
    }
  }
}
