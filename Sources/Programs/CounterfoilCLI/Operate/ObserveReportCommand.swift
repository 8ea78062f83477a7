import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// `counterfoil observe report`: the payments that Counterfoil would have granted while it only observed. Compare them
/// with the records of the earlier system.
enum ObserveReportCommand {
  /// Payments that are read at a time.
  private static let page = 500

  static let command = Command.of(
    "observe report", BilingualText("show what would have been granted while observing", "显示观察期间本应入账的内容"),
    usage: """
      usage: counterfoil observe report [--app ID] [--environment E] [--totals] [--json]

      Lists each payment that `mode = "observe"` has seen, with the user, the rule and what the user would have got, and
      the totals at the end. Nothing was granted. A payment without an owner matched no user. Reads only; works beside a
      running server.

        --app ID            only that app's
        --environment E     otherwise the apps' own
        --totals            the totals alone
      \(ServerFlags.usage)
        --json              one JSON object a line

      Exit codes: 0 printed, 2 wrong usage or no readable database.

      """,
    valued: ["app", "environment"] + ServerFlags.valued, flags: ["totals"]
  ) { options, platform in
    let database = try await ReportedDatabase.reading(options, platform)
    let named = try options.one("app")
    let word = try options.one("environment")
    let apps = database.apps.filter { named == nil || $0.id.text == named }
    guard !apps.isEmpty else { throw UsageError("No app of that id is configured.") }
    let catalogs = Dictionary(apps.map { ($0.id, $0.catalog) }) { first, _ in first }
    let appEnvironments = Set(
      apps.flatMap { app in
        word == nil ? app.appEnvironments.suffix(1) : app.appEnvironments.filter { $0.environment.rawValue == word }
      }
    )
    var totals = Totals()
    var last: PaymentKey?
    while true {
      let payments = try await database.reader.read { [last] in try $0.payments(after: last, limit: page) }
      for payment in payments where appEnvironments.contains(payment.key.appEnvironment) && payment.state == .imported {
        let observed = catalogs[payment.key.app].flatMap { ObservedGrant(payment, in: $0) }
        guard observed != nil || payment.owner == nil else { continue }
        totals.add(observed)
        guard !options.has("totals") else { continue }
        platform.print((options.has("json") ? json(payment, observed).text : line(payment, observed)) + "\n")
      }
      guard let end = payments.last else { break }
      last = end.key
    }
    platform.print(
      options.has("json") ? totals.json.text + "\n" : totals.text(CommandLineProgram.language(platform)))
    return ExitCode.done
  }

  private struct Totals {
    var grants = 0
    var withoutOwner = 0
    var units: [String: Int64] = [:]
    var entitlements: [String: Int64] = [:]

    mutating func add(_ observed: ObservedGrant?) {
      guard let observed else { return withoutOwner += 1 }
      grants += 1
      switch observed.content {
      case .units(let unit, let amount):
        let (sum, overflow) = (units[unit.text] ?? 0).addingReportingOverflow(amount)
        units[unit.text] = overflow ? .max : sum
      case .entitlement(let name, _, _): entitlements[name.text, default: 0] += 1
      case nil: break
      }
    }

    var json: JSONValue {
      func members(_ counts: [String: Int64]) -> JSONValue {
        .members(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
      }
      return .members([
        (
          "totals",
          .members([
            ("grants", .integer(grants)), ("withoutOwner", .integer(withoutOwner)), ("units", members(units)),
            ("entitlements", members(entitlements)),
          ])
        )
      ])
    }

    func text(_ language: Language) -> String {
      let words = BilingualText(
        "would have been granted: \(grants), without an owner: \(withoutOwner)",
        "本应入账：\(grants)，无归属：\(withoutOwner)")
      let lines = (units.sorted { $0.key < $1.key } + entitlements.sorted { $0.key < $1.key }).map {
        "  \($0.value) \($0.key)"
      }
      return ([words[language]] + lines).joined(separator: "\n") + "\n"
    }
  }

  private static func line(_ payment: Payment, _ observed: ObservedGrant?) -> String {
    let gives =
      switch observed?.content {
      case .units(let unit, let amount): "\(amount) \(unit)"
      case .entitlement(let name, _, let until): "\(name)" + (until.map { " until \($0.iso8601)" } ?? "")
      case nil: ""
      }
    let words = [
      payment.facts.purchaseDate.iso8601, payment.key.transaction.text, payment.facts.storeProduct.text,
      observed?.user.text ?? "-", observed?.rule.rawValue ?? "-", gives,
      observed?.flags.map(\.rawValue).sorted().joined(separator: ",") ?? "",
    ]
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  private static func json(_ payment: Payment, _ observed: ObservedGrant?) -> JSONValue {
    .members([
      ("transactionId", .string(payment.key.transaction.text)), ("app", .string(payment.key.app.text)),
      ("environment", .string(payment.key.environment.rawValue)),
      ("productId", .string(payment.facts.storeProduct.text)),
      ("purchaseDate", .string(payment.facts.purchaseDate.iso8601)), ("wouldGrant", observed?.json),
    ])
  }
}
