import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// `counterfoil orders`: lists orders, or shows the trace of one.
enum OrdersCommand {
  static let command = Command.of(
    "orders", BilingualText("list orders, or show the journal of one", "列出订单，或显示某个订单的流水"),
    usage: """
      usage: counterfoil orders [--app ID] [--user ID] [--open] [--limit N] [--json]
             counterfoil orders ORDER_ID_OR_REFERENCE [--json]
             counterfoil orders --server URL [--state STATE] [--store S] [--product ID] [--user ID] [--from MOMENT]
                                [--to MOMENT] [--after POSITION] [--limit N] [--json]

      Lists orders, newest first, or shows the journal of one. It only reads, and works beside a running server. With
      --server it asks that server, with an operator's key in COUNTERFOIL_OPERATOR_KEY.

        --app ID            only that app's
        --user ID           only that user's
        --open              only those that await payment
        --limit N           1 to 1000 (otherwise 20)
        --environment E     otherwise the app's own

      With --server:

        --state STATE       awaitingPayment, paid or closed
        --store S           appStore or weChatPay
        --product ID        only that product's
        --from MOMENT       made since then, such as 2025-10-09T00:00:00Z
        --to MOMENT         made before then
        --after POSITION    goes on where a list ended, which names its position
        --server URL        the address of the running server
      \(ServerFlags.usage)
        --json              one JSON object a line

      Exit codes: 0 printed, 1 no such order, 2 wrong usage or no readable database.

      """,
    valued: ["app", "user", "limit", "environment", "server", "state", "store", "product", "from", "to", "after"]
      + ServerFlags.valued, flags: ["open"], wordsMax: 1
  ) { options, platform in
    if try options.one("server") != nil {
      guard options.words.isEmpty, !options.has("open") else {
        throw UsageError("With --server, orders are listed; --state awaitingPayment lists the open ones.")
      }
      return try await ListCommands.orders.print(options, platform)
    }
    for name in ["state", "store", "product", "from", "to", "after"] {
      guard try options.one(name) == nil else { throw UsageError("--\(name) is for --server.") }
    }
    let database = try await ReportedDatabase.reading(options, platform)
    let appEnvironments = try appEnvironments(options, database)
    if let name = options.words.first {
      return try await tell(name, appEnvironments, database: database, options: options, platform: platform)
    }
    return try await list(appEnvironments, database, options: options, platform: platform)
  }

  private static func appEnvironments(_ options: Options, _ database: ReportedDatabase) throws -> [AppEnvironment] {
    let named = try options.one("app")
    let apps = database.apps.filter { named == nil || $0.id.text == named }
    guard !apps.isEmpty else { throw UsageError("No app of that id is configured.") }
    guard let word = try options.one("environment") else {
      return apps.compactMap(\.appEnvironments.last)
    }
    guard let environment = StoreEnvironment(rawValue: word) else {
      throw UsageError("--environment is one of \(StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return apps.map { AppEnvironment(app: $0.id, environment: environment) }
  }

  private static func list(
    _ appEnvironments: [AppEnvironment], _ database: ReportedDatabase, options: Options, platform: Platform
  ) async throws -> Int32 {
    let limit = Int(try options.number("limit", in: 1...1000) ?? 20)
    let user = try options.one("user").map { UserIdentifier($0) }
    let openOnly = options.has("open")
    let orders = try await database.reader.read { database in
      var orders: [Order] = []
      for appEnvironment in appEnvironments {
        var query = OrderQuery(appEnvironment: appEnvironment, limit: limit)
        query.user = user
        query.openOnly = openOnly
        orders += try database.orders(query)
      }
      return orders.sorted { ($0.position, $0.key) > ($1.position, $1.key) }.prefix(limit).map { $0 }
    }
    for order in orders {
      platform.print((options.has("json") ? OrderReport.json(order).text : OrderReport.line(order)) + "\n")
    }
    if orders.isEmpty, !options.has("json") { platform.print("no orders\n") }
    return ExitCode.done
  }

  private static func tell(
    _ name: String, _ appEnvironments: [AppEnvironment], database: ReportedDatabase, options: Options,
    platform: Platform
  ) async throws -> Int32 {
    let report = try await database.reader.read { database -> OrderReport? in
      for appEnvironment in appEnvironments {
        let order =
          if let id = OrderIdentifier(name) {
            try database.order(OrderKey(appEnvironment: appEnvironment, id: id))
          } else {
            try database.order(referenceFromBackend: name, in: appEnvironment)
          }
        if let order { return try OrderReport(order, in: database) }
      }
      return nil
    }
    guard let report else { throw CommandFailure("there is no order \(name).") }
    platform.print(options.has("json") ? report.json.text + "\n" : report.text)
    return ExitCode.done
  }
}
