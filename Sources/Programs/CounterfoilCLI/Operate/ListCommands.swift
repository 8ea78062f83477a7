import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON

/// The commands that list or show what an operator reads, each from the running server.
enum ListCommands {
  static let payments = OperatorList(
    path: "/v1/operator/payments", member: "payments", filters: ["state", "store", "product", "user", "from", "to"],
    columns: [
      "purchaseDate", "transactionId", "store", "quantity", "productId", "state", "reason", "ownerId", "orderId",
    ])
  static let orders = OperatorList(
    path: "/v1/operator/orders", member: "orders", filters: ["state", "store", "product", "user", "from", "to"],
    columns: ["createdAt", "id", "userId", "quantity", "productId", "store", "state", "delivery", "reference"])
  private static let refundsList = OperatorList(
    path: "/v1/operator/refunds", member: "refunds", filters: ["state", "from", "to"],
    columns: ["createdAt", "id", "transactionId", "amount", "currency", "state", "failure", "reason"])
  private static let openRequests = OperatorList(
    path: "/v1/operator/consumption-requests", member: "open", filters: ["since"],
    columns: [
      "deadline", "transactionId", "reason", "userId", "consented", "wouldSend.deliveryStatus",
      "wouldSend.consumptionPercentage", "wouldSend.refundPreference",
    ], hasPages: false)
  private static let subscriptionsList = OperatorList(
    path: "/v1/operator/subscriptions", member: "subscriptions",
    columns: ["nextQuestionAt", "originalTransactionId", "periodEnd", "willRenew", "expiration", "claimantId"])
  private static let deliveriesList = OperatorList(
    path: "/v1/operator/deliveries", member: "deliveries", filters: ["state"],
    columns: ["id", "state", "attempts", "nextAttemptAt", "delivery.type", "delivery.transactionId", "lastProblem"])
  private static let days = OperatorList(
    path: "/v1/operator/reconciliations", member: "reconciliations", filters: ["store", "from", "to"],
    columns: ["day", "store", "differences", "healed", "payments.count", "payments.amount", "doneAt"], hasPages: false)

  static let all = [
    QueueCommand.command, refunds, subscriptions, notifications, deliveries, reconciliations, EventsCommand.command,
    DiagnosticsCommand.command,
  ]

  private static let refunds = command(
    "refunds", BilingualText("list refunds, or Apple's consumption requests", "列出退款，或 Apple 的消耗请求"),
    lists: ["list": refundsList, "consumption-requests": openRequests],
    usage: """
      usage: counterfoil refunds list [--state STATE] [--from MOMENT] [--to MOMENT] [OPTIONS]
             counterfoil refunds consumption-requests [--since MOMENT] [OPTIONS]

      Lists refunds at WeChat Pay, the oldest first, of the last 31 days; or what Apple asks about purchases that
      customers want refunded, the earliest deadline first, with what would be sent. With --json also past outcomes.

        --state STATE       asked, underWay, done, failed or stuck
        --from MOMENT       asked since then, such as 2025-10-09T00:00:00Z
        --to MOMENT         asked before then
        --since MOMENT      consumption requests since then
      """, valued: ["state", "from", "to", "since"])

  private static let subscriptions = command(
    "subscriptions", BilingualText("list subscriptions, or show one", "列出订阅，或显示某个订阅"),
    lists: ["list": subscriptionsList], shows: ["show": ("/v1/operator/subscriptions/", OperatorReport.subscription)],
    usage: """
      usage: counterfoil subscriptions list [OPTIONS]
             counterfoil subscriptions show ORIGINAL_TRANSACTION_ID [OPTIONS]

      Lists the subscriptions that Apple is asked about again, the next one first, or shows one with its transactions.

      """)

  private static let deliveries = command(
    "deliveries", BilingualText("list deliveries, or show one with its failed attempts", "列出发货通知，或显示其失败的尝试"),
    lists: ["list": deliveriesList], shows: ["show": ("/v1/operator/deliveries/", OperatorReport.delivery)],
    usage: """
      usage: counterfoil deliveries list [--state STATE] [OPTIONS]
             counterfoil deliveries show DELIVERY_ID [OPTIONS]

      Lists deliveries in order of their making, or shows one with its failed attempts one by one.

        --state STATE       parked (without it), pending, acknowledged or all
      """, valued: ["state"])

  private static let notificationsList = OperatorList(
    path: "/v1/operator/notifications", member: "notifications", filters: ["store", "state", "type"],
    columns: ["receivedAt", "id", "type", "subtype", "transactionId", "effect"])

  private static let notifications = Command.of(
    "notifications list", BilingualText("list notifications of the stores", "列出商店通知"),
    usage: """
      usage: counterfoil notifications list [--store STORE] [--state STATE] [--type TYPE] [OPTIONS]

      Lists the notifications of both stores, the newest first. With a filter, a page may be short and the next go on.

        --store STORE       appStore or weChatPay
        --state STATE       applied (it took effect) or kept (it had none)
        --type TYPE         as the store wrote it, such as REFUND or TRANSACTION.SUCCESS
      \(OperatorList.pagingUsage)
      \(OperatorServer.usage)

      Exit codes: 0 printed, 1 the server did not answer, 2 wrong usage.

      """, valued: OperatorServer.valued + OperatorList.paging + ["store", "state", "type"]
  ) { options, platform in try await notificationsList.print(options, platform) }

  private static let reconciliations = command(
    "reconciliations", BilingualText("list the days that were compared, or the differences of one", "列出已核对的日期，或某日的差异"),
    lists: ["list": days], shows: ["show": ("/v1/operator/reconciliations/weChatPay/", OperatorReport.day)],
    usage: """
      usage: counterfoil reconciliations list [--from DAY] [--to DAY] [OPTIONS]
             counterfoil reconciliations show DAY [OPTIONS]

      Lists the days whose bill was compared, the newest first, or shows the differences of a day at WeChat Pay.

        --store S           appStore or weChatPay
        --from DAY          since that day, such as 2025-10-09
        --to DAY            up to that day
      """, valued: ["store", "from", "to"])

  /// A command with a word that says what to list or show.
  private static func command(
    _ name: String, _ purpose: BilingualText, lists: [String: OperatorList],
    shows: [String: (path: String, report: @Sendable (JSONValue) -> String)] = [:], usage: String,
    valued: [String] = []
  ) -> Command {
    let words = (lists.keys + shows.keys.map { $0 + " ID" }).sorted().map { "`\(name) \($0)`" }.joined(
      separator: " or ")
    return Command.of(
      name, purpose,
      usage: usage + "\n" + OperatorList.pagingUsage + "\n" + OperatorServer.usage + """


        Exit codes: 0 printed, 1 there is no such thing or the server did not answer, 2 wrong usage.

        """,
      valued: OperatorServer.valued + OperatorList.paging + valued, wordsMax: 2
    ) { options, platform in
      guard let word = options.words.first else { throw UsageError("\(words) is needed.") }
      if let list = lists[word], options.words.count == 1 { return try await list.print(options, platform) }
      guard let show = shows[word], options.words.count == 2, !options.words[1].isEmpty else {
        throw UsageError("\(words) is needed.")
      }
      let environment = try options.one("environment").map { "?environment=" + RequestTarget.encode($0) } ?? ""
      let answers = try await OperatorServer.of(options, platform).answers(
        to: show.path + RequestTarget.encode(options.words[1]) + environment, isMissing: { isUnknown($0) },
        CommandLineProgram.language(platform))
      for answer in answers {
        platform.print(options.has("json") ? answer.text + "\n" : show.report(answer))
      }
      return ExitCode.done
    }
  }

  /// Whether an app answers that it has no such thing: another app may have it.
  private static func isUnknown(_ answer: JSONValue) -> Bool {
    let codes: [EngineErrorCode] = [.paymentUnknown, .deliveryUnknown, .dayNotCompared]
    return codes.contains { $0.rawValue == answer["code"]?.string }
  }
}
