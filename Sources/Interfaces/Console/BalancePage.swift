import HTTPMessages
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Every posting on a balance of a user, the newest first, each with its reason.
struct BalancePage {
  let visit: AppVisit
  let user: UserIdentifier
  let unit: UnitName
  let environment: StoreEnvironment
  let page: EntryPage

  private static let entriesMax = 50

  private var language: Language { visit.language }

  /// The answer to a request for the page.
  static func response(
    of user: UserIdentifier, unit: UnitName, console: Console, _ visit: AppVisit
  ) async throws -> HTTPResponse {
    let environment = try console.environment(visit)
    let before = visit.visit.query("before").map { Int64($0) ?? 0 }
    // No page names such a number.
    if let before, before < 1 { throw ConsoleProblem.notFound }
    if visit.showsPersonal { try await console.noteSeen("user", user.text, in: environment.environment, for: visit) }
    let page = BalancePage(
      visit: visit, user: user, unit: unit, environment: environment.environment,
      page: try await console.engine.readEntries(
        of: user, unit: unit, in: environment, before: before, limit: entriesMax))
    return console.page(title(unit)[visit.language], page.markup, for: visit)
  }

  static func title(_ unit: UnitName) -> BilingualText { BilingualText("Balance of \(unit)", "\(unit) 余额") }

  var markup: Markup {
    let sum = page.balance?.amount ?? 0
    let frozen =
      page.balance?.frozenSince == nil
      ? Markup() : " " + Display.tag(BilingualText("frozen", "已冻结")[language], .bad)
    return .element(
      .div, [.style("head")],
      .element(
        .div, .element(.h1, .text(Self.title(unit)[language])),
        .element(
          .div, [.style("tags")], Display.environmentTag(environment, language),
          .element(.b, .text("\(sum)")), frozen,
          .element(.a, [.link(visit.link(to: user, in: environment))], .foreign(user.text)))))
      + ListPanel.table(
        [
          BilingualText("At", "时间"), BilingualText("What", "类型"), Words.amount, BilingualText("Other account", "对方账户"),
          BilingualText("Caused by", "来源"), Words.reason,
        ], page.entries.map(row), title: BilingualText("Newest first", "最新在前"), in: language,
        next: page.next.map { link(before: "\($0)") },
        first: visit.visit.query("before").map { _ in link(before: nil) })
  }

  private func link(before number: String?) -> LinkTarget {
    visit.link(
      "users", user.text, "balances", unit.text,
      query: [(name: "environment", value: environment.rawValue)] + (number.map { [(name: "before", value: $0)] } ?? [])
        + visit.personalQuery)
  }

  private func row(_ entry: LedgerEntry) -> [Markup] {
    let posting = entry.posting
    let amount = posting.balanceChanges.reduce(Int64(0)) { $1.user == user ? $0 &+ $1.amount : $0 }
    let other = posting.debit == .user(user) ? posting.credit : posting.debit
    let kind = String(posting.cause.prefix { $0 != ":" })
    return [
      Display.time(posting.at), .text(Self.word(kind)[language]), .element(.b, .text(Self.signed(amount))),
      .foreign(other.text), source(entry), reason(entry),
    ]
  }

  private static func signed(_ amount: Int64) -> String { amount > 0 ? "+\(amount)" : "\(amount)" }

  private func source(_ entry: LedgerEntry) -> Markup {
    if case .payment(let payment, _) = entry.posting.source {
      return Display.id(payment.transaction.text, to: visit.link(to: payment))
    }
    return visit.personal.words(of: entry).map { .foreign($0.key) } ?? visit.hidden
  }

  /// What the store named, or the words of whoever booked it.
  private func reason(_ entry: LedgerEntry) -> Markup {
    if case .payment = entry.posting.source {
      let cause = entry.posting.cause.drop { $0 != ":" }.dropFirst()
      return cause.isEmpty ? .text("–") : .foreign(String(cause))
    }
    guard entry.booking?.reason != nil else { return .text("–") }
    return visit.personal.words(of: entry)?.reason.map { .foreign($0) } ?? visit.hidden
  }

  /// The kind of a posting for people; a new one is shown by its name.
  static func word(_ kind: String) -> BilingualText {
    switch kind {
    case "grant": BilingualText("granted", "入账")
    case "reversal": BilingualText("taken back", "冲正")
    case "reinstatement": BilingualText("given back", "恢复入账")
    case "writeOff": BilingualText("written off with a refund", "退款核销")
    case "writeOffUndone": BilingualText("write-off undone", "撤销核销")
    case "debit": BilingualText("spent", "消费")
    case "credit": BilingualText("credited", "赠送")
    case "debtWrittenOff": BilingualText("debt written off", "核销欠款")
    case "mergeOut": BilingualText("left with a merge", "合并转出")
    case "mergeIn": BilingualText("came with a merge", "合并转入")
    default: BilingualText(kind, kind)
    }
  }
}
