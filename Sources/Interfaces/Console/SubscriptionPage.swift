import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Subscriptions that the store is asked about again, the next one first.
struct SubscriptionList {
  let visit: AppVisit
  let subscriptions: [Subscription]
  let next: String?
  let isFirst: Bool

  var markup: Markup {
    let language = visit.language
    let rows = subscriptions.map { subscription -> [Markup] in
      let key = subscription.key
      let target = visit.link(
        "subscriptions", key.transaction.text, query: [("environment", key.environment.rawValue)])
      return [
        Display.id(key.transaction.text, to: target),
        subscription.claimant.map { user in
          .element(.a, [.link(visit.link(to: user, in: key.environment))], .foreign(user.text))
        } ?? .text("–"), subscription.periodEnd.map { Display.time($0) } ?? .text("–"),
        Display.tag(SubscriptionPage.renewal(subscription)[language]),
        subscription.askAt.map { Display.time($0) } ?? .text("–"),
      ]
    }
    let kept = visit.visit.query("environment").map { [(name: "environment", value: $0)] } ?? []
    let filters = ListFilters(
      choices: [
        ConsolePages.environments
      ], target: visit.link("subscriptions"))
    return .element(.div, [.style("head")], .element(.h1, .text(Words.subscriptions[language])))
      + ListPanel.table(
        [
          Words.subscription, BilingualText("Claimed by", "认领人"), SubscriptionPage.periodEnd,
          SubscriptionPage.renews, BilingualText("Asked again", "下次查询"),
        ], rows, title: Words.subscriptions, in: language, filters: filters.markup(visit),
        next: next.map { visit.link("subscriptions", query: kept + [("after", $0)]) },
        first: isFirst ? nil : visit.link("subscriptions", query: kept))
  }

  static func text(_ position: (askAt: Timestamp, key: PaymentKey)) -> String {
    "\(position.askAt.milliseconds).\(position.key.store.rawValue).\(position.key.transaction)"
  }

  static func position(_ text: String, in appEnvironment: AppEnvironment) -> (askAt: Timestamp, key: PaymentKey)? {
    let parts = text.split(separator: ".", maxSplits: 2)
    guard parts.count == 3, let moment = Int64(parts[0]), let store = Store(rawValue: String(parts[1])) else {
      return nil
    }
    let key = PaymentKey(
      app: appEnvironment.app, store: store, environment: appEnvironment.environment,
      transaction: TransactionIdentifier(String(parts[2])))
    return (Timestamp(milliseconds: moment), key)
  }
}

/// One subscription: how it stands, and its newest transactions.
struct SubscriptionPage {
  let visit: AppVisit
  let story: SubscriptionStory

  private var language: Language { visit.language }

  var markup: Markup {
    let subscription = story.subscription
    let environment = subscription.key.environment
    let renewal = subscription.renewal
    let holder = subscription.transfer
    return .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("subscriptions"))], .text(Words.subscriptions[language])))
      + .element(
        .div, [.style("head")],
        .element(
          .div, .element(.h1, .text(Words.subscription[language])),
          Display.id(subscription.key.transaction.text, language),
          .element(.div, [.style("tags")], Display.environmentTag(environment, language))))
      + .element(
        .section, [.style("panel")],
        .element(
          .div, [.style("body")],
          Display.pairs(
            [
              (Self.renews, .text(Self.renewal(subscription)[language])),
              (Self.periodEnd, subscription.periodEnd.map { Display.time($0) }),
              (Self.renewsTo, renewal?.renewsTo.map { .foreign($0.text) }),
              (Self.grace, renewal?.gracePeriodExpiresDate.map { Display.time($0) }),
              (Self.price, renewal?.priceIncrease.map { .text(Words.words(for: $0)[language]) }),
              (Self.claimant, subscription.claimant.map { user($0, environment) }),
              (Self.movedTo, holder.map { user($0.user, environment) + " " + Display.time($0.at) }),
              (Self.duplicates, story.duplicates.isEmpty ? nil : duplicates),
            ], language), extend))
      + ListPanel.payments(
        story.payments, title: story.hasMorePayments ? Self.newest : Words.payments, visit)
  }

  /// What puts off the end of the period, if the end that the operator sees is still the one at Apple.
  private var extend: Markup {
    let key = story.subscription.key
    guard key.store == .appStore, let end = story.subscription.periodEnd else { return Markup() }
    return .element(
      .div, [.style("actions")],
      visit.form(
        .extend, on: ["subscriptions", key.environment.rawValue, key.transaction.text],
        given: [.periodEnd: end.iso8601]))
  }

  private func user(_ user: UserIdentifier, _ environment: StoreEnvironment) -> Markup {
    .element(.a, [.link(visit.link(to: user, in: environment))], .foreign(user.text))
  }

  private var duplicates: Markup {
    .foreign(story.duplicates.map(\.transaction.text).joined(separator: ", "))
  }

  static func renewal(_ subscription: Subscription) -> BilingualText {
    guard let renewal = subscription.renewal else { return BilingualText("not told", "未知") }
    if renewal.isInBillingRetry { return BilingualText("Apple retries the charge", "Apple 正在重试扣款") }
    if renewal.willRenew { return BilingualText("renews", "自动续期") }
    let why = renewal.expiration?.rawValue
    return BilingualText(why.map { "ends: \($0)" } ?? "ends", why.map { "到期结束：\($0)" } ?? "到期结束")
  }

  static let periodEnd = BilingualText("Period ends", "本期结束")
  static let renews = BilingualText("Renewal", "续期")
  private static let renewsTo = BilingualText("Renews to", "续期商品")
  private static let grace = BilingualText("Grace period until", "宽限期至")
  private static let price = BilingualText("Price increase", "涨价")
  private static let claimant = BilingualText("Claimed by", "认领人")
  private static let movedTo = BilingualText("Moved by a restore to", "恢复购买后转至")
  private static let duplicates = BilingualText("Further ids", "其他交易号")
  private static let newest = BilingualText("Newest payments", "最新支付")
}
