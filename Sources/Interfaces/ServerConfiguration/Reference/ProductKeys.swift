import PaymentPrimitives
import TOMLConfiguration

/// The keys of `[[app.product]]`.
enum ProductKeys {
  static let all = [
    ConfigurationKey(
      "app[].product[]", .tables,
      standard: .depends(BilingualText("at least one, unless the app is retired", "至少一个，除非应用已停用")),
      reload: .atOnce,
      example: """
        id = "coins.100"
        kind = "consumable"
        app_store_product_ids = ["com.example.shop.coins100"]
        units = { unit = "coin", amount = 100 }
        """,
      meaning: BilingualText(
        "What can be bought, and what it gives. Never remove a product that was bought: set sold = false.",
        "可以购买的商品及其内容。切勿删除已售出的商品：请设置 sold = false。")),
    ConfigurationKey(
      "app[].product[].id", .text(bytes: 1...255), standard: .required, reload: .atOnce, example: #"id = "coins.100""#,
      meaning: BilingualText("Our name of the product, in orders and deliveries.", "商品在订单与发货通知中的名称。")),
    ConfigurationKey(
      "app[].product[].kind", .word(["consumable", "nonConsumable", "autoRenewable", "nonRenewing"]),
      standard: .required, reload: .atOnce, example: #"kind = "consumable""#,
      meaning: BilingualText(
        "Apple's kind of the product. It never changes once something was bought.", "商品类型，沿用 Apple 的四种。售出后不可更改。")),
    ConfigurationKey(
      "app[].product[].app_store_product_ids", .list(.text(bytes: 1...255), count: 0...1000),
      reload: .atOnce, example: #"app_store_product_ids = ["com.example.shop.coins100"]"#,
      meaning: BilingualText(
        "Its product ids in App Store Connect. Keep those of earlier versions of the app.",
        "在 App Store Connect 中的商品 id。旧版应用使用的也要保留。")),
    ConfigurationKey(
      "app[].product[].wechat_price_fen", .integer(1...1_000_000_000), reload: .atOnce,
      example: "wechat_price_fen = 600", unit: BilingualText("fen, 1/100 yuan", "分"),
      meaning: BilingualText(
        "Its price at WeChat Pay. Without it the product is not sold there.", "在微信支付的价格。不填写则不通过微信支付销售。")),
    ConfigurationKey(
      "app[].product[].wechat_description", .text(bytes: 1...381),
      standard: .depends(BilingualText("the product's id", "商品的 id")), reload: .atOnce,
      example: "wechat_price_fen = 600\nwechat_description = \"100 coins\"",
      meaning: BilingualText("What a payer reads in WeChat's cashier.", "付款人在微信收银台看到的商品描述。")),
    ConfigurationKey(
      "app[].product[].physical", .bool, standard: .value("false"), reload: .atOnce, example: "physical = false",
      meaning: BilingualText(
        "Whether it is a physical good or service, which Apple allows to be sold on iOS through WeChat Pay.",
        "是否为实物或线下服务；Apple 允许在 iOS 上通过微信支付销售此类商品。")),
    ConfigurationKey(
      "app[].product[].sold", .bool, standard: .value("true"), reload: .atOnce, example: "sold = false",
      meaning: BilingualText(
        "Whether it can still be ordered. What was bought goes on under its entry.", "是否仍可下单。已售出的部分照常处理。")),
    ConfigurationKey(
      "app[].product[].debt", .word(["negative", "clamp", "freeze"]), standard: .value(#""negative""#),
      reload: .atOnce, example: #"debt = "negative""#,
      meaning: BilingualText(
        "What happens when units are refunded that were already spent: the balance goes below zero, stops at zero, or "
          + "is frozen until the debt is settled.",
        "已花掉的数量被退款时：余额变为负数（negative）、停在零（clamp），或冻结直至结清（freeze）。")),
    ConfigurationKey(
      "app[].product[].units", .table,
      standard: .depends(BilingualText("units or entitlement, one of the two", "units 与 entitlement 二选一")),
      reload: .atOnce, example: "unit = \"coin\"\namount = 100",
      meaning: BilingualText(
        "The units that one piece gives. Short form: units = { unit = \"coin\", amount = 100 }.",
        "每件商品给予的数量。简写：units = { unit = \"coin\", amount = 100 }。")),
    ConfigurationKey(
      "app[].product[].units.unit", .text(bytes: 1...64), standard: .required, reload: .atOnce,
      example: #"unit = "coin""#,
      meaning: BilingualText("The name of the unit; a user has one balance of each.", "单位名称；用户对每种单位各有一个余额。")),
    ConfigurationKey(
      "app[].product[].units.amount", .integer(1...1_000_000_000_000), standard: .required, reload: .atOnce,
      example: "amount = 100", unit: BilingualText("units for one piece", "每件商品的数量"),
      meaning: BilingualText("How many units one piece gives.", "每件商品给予多少。")),
    ConfigurationKey(
      "app[].product[].entitlement", .text(bytes: 1...255),
      standard: .depends(BilingualText("units or entitlement, one of the two", "units 与 entitlement 二选一")),
      reload: .atOnce, example: "kind = \"nonConsumable\"\nentitlement = \"premium\"",
      meaning: BilingualText("The right that the product gives.", "商品给予的权益。")),
    ConfigurationKey(
      "app[].product[].period", .duration(.minutes(1) ... .days(3660)),
      standard: .depends(BilingualText("for ever, or as long as the store renews it", "永久，或以商店的续订为准")),
      reload: .atOnce, example: "kind = \"nonRenewing\"\nentitlement = \"season\"\nperiod = \"90d\"",
      meaning: BilingualText(
        "How long the right lasts. Only for kind = \"nonRenewing\".", "权益的时长。仅用于 kind = \"nonRenewing\"。")),
  ]
}
