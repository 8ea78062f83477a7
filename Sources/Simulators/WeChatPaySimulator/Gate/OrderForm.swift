import WeChatPayProtocol

/// The body formats of all calls. Source: WeChat Pay's pages of the calls, merchant mode.
enum OrderForm {
  /// A hundred billion yuan, in fen: no order is larger.
  static let fenMax: Int64 = 10_000_000_000_000

  private static let fen = BodyForm.integer(1...fenMax)
  private static let currency = BodyForm.word(["CNY"])
  private static let orderNumber = BodyForm.number(6...32, others: "_-|*")
  private static let refundNumber = BodyForm.number(1...64, others: "_-|*@")

  /// The body that opens an order.
  static func prepay(_ tradeType: TradeType) -> BodyForm {
    var members: [BodyForm.Member] = [
      BodyForm.must("appid", .text(1...32)), BodyForm.must("mchid", .text(1...32)),
      BodyForm.must("description", .text(1...127)), BodyForm.must("out_trade_no", orderNumber),
      BodyForm.may("time_expire", .moment), BodyForm.may("attach", .text(0...128)),
      BodyForm.must("notify_url", .address(255)), BodyForm.may("goods_tag", .text(0...32)),
      BodyForm.may("support_fapiao", .bool),
      BodyForm.may(
        "limit_pay", .list(.word(["no_balance", "no_credit", "no_debit", "balance_only"]), countMax: 4)),
      BodyForm.must("amount", .members([BodyForm.must("total", fen), BodyForm.may("currency", currency)])),
      BodyForm.may("detail", detail), BodyForm.may("settle_info", .members([BodyForm.may("profit_sharing", .bool)])),
    ]
    if tradeType == .jsapi {
      members.append(BodyForm.must("payer", .members([BodyForm.must("openid", .text(1...128))])))
    }
    let scene = BodyForm.members(sceneMembers(tradeType))
    members.append(tradeType == .h5 ? BodyForm.must("scene_info", scene) : BodyForm.may("scene_info", scene))
    return .members(members)
  }

  private static func sceneMembers(_ tradeType: TradeType) -> [BodyForm.Member] {
    let address = BodyForm.text(1...45)
    var members: [BodyForm.Member] = [
      tradeType == .h5 ? BodyForm.must("payer_client_ip", address) : BodyForm.may("payer_client_ip", address),
      BodyForm.may("device_id", .text(1...32)),
      BodyForm.may(
        "store_info",
        .members([
          BodyForm.must("id", .text(1...32)), BodyForm.may("name", .text(1...256)),
          BodyForm.may("area_code", .text(1...32)), BodyForm.may("address", .text(1...512)),
        ])),
    ]
    guard tradeType == .h5 else { return members }
    members.append(
      BodyForm.must(
        "h5_info",
        .members([
          BodyForm.must("type", .word(["iOS", "Android", "Wap"])), BodyForm.may("app_name", .text(1...64)),
          BodyForm.may("app_url", .text(1...128)), BodyForm.may("bundle_id", .text(1...128)),
          BodyForm.may("package_name", .text(1...128)),
        ])))
    return members
  }

  private static let detail = BodyForm.members([
    BodyForm.may("cost_price", fen), BodyForm.may("invoice_id", .text(1...32)),
    BodyForm.may(
      "goods_detail",
      .list(
        .members([
          BodyForm.must("merchant_goods_id", .text(1...32)), BodyForm.may("wechatpay_goods_id", .text(1...32)),
          BodyForm.may("goods_name", .text(1...256)), BodyForm.must("quantity", .integer(1...fenMax)),
          BodyForm.must("unit_price", fen),
        ]), countMax: 100)),
  ])

  /// The body that closes an order.
  static let close = BodyForm.members([BodyForm.must("mchid", .text(1...32))])

  private static let complainted = BodyForm.must("complainted_mchid", .text(1...64))
  static let complaintAnswer = BodyForm.members([complainted, BodyForm.must("response_content", .text(1...200))])
  static let complaintEnd = BodyForm.members([complainted])
  static let complaintRefund = BodyForm.members([
    BodyForm.must("action", .word(["APPROVE", "REJECT"])), BodyForm.may("launch_refund_day", .integer(0...31)),
    BodyForm.may("reject_reason", .text(1...200)), BodyForm.may("remark", .text(1...200)),
  ])

  /// The body that requests a refund.
  static let refund = BodyForm.members([
    BodyForm.may("transaction_id", .number(1...32, others: "")), BodyForm.may("out_trade_no", orderNumber),
    BodyForm.must("out_refund_no", refundNumber), BodyForm.may("reason", .text(1...80)),
    BodyForm.may("notify_url", .address(256)), BodyForm.may("funds_account", .word(["AVAILABLE", "UNSETTLED"])),
    BodyForm.must(
      "amount",
      .members([
        BodyForm.must("refund", fen), BodyForm.must("total", fen), BodyForm.must("currency", currency),
        BodyForm.may(
          "from",
          .list(
            .members([
              BodyForm.must("account", .word(["AVAILABLE", "UNAVAILABLE"])), BodyForm.must("amount", fen),
            ]), countMax: 10)),
      ])),
    BodyForm.may(
      "goods_detail",
      .list(
        .members([
          BodyForm.must("merchant_goods_id", .text(1...32)), BodyForm.may("wechatpay_goods_id", .text(1...32)),
          BodyForm.may("goods_name", .text(1...256)), BodyForm.must("unit_price", fen),
          BodyForm.must("refund_amount", fen), BodyForm.must("refund_quantity", .integer(1...fenMax)),
        ]), countMax: 100)),
  ])

  /// The body that sends an abnormal refund to a bank account.
  static let abnormalRefund = BodyForm.members([
    BodyForm.must("out_refund_no", refundNumber),
    BodyForm.must("type", .word(["USER_BANK_CARD", "MERCHANT_BANK_CARD"])),
    BodyForm.may("bank_type", .word(AbnormalRefundDecision.banks.keys.sorted())),
    BodyForm.may("bank_account", .text(1...1024)), BodyForm.may("real_name", .text(1...1024)),
  ])

  static let echo = BodyForm.members([
    BodyForm.must("echo_message", .text(1...256)), BodyForm.may("encrypted_echo_message", .text(1...1024)),
    BodyForm.may("notify_url", .address(255)),
  ])
}
