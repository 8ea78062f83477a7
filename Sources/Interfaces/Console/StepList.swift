import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// How far the money is: six steps, each done, open, waiting or failed.
enum StepList {
  private enum Mark: String {
    case done = "ok"
    case todo
    case waiting = "warn"
    case failed = "bad"

    var icon: Markup {
      switch self {
      case .done: Icon.done
      case .todo: Icon.open
      case .waiting, .failed: Icon.failed
      }
    }

    /// For those who do not see the mark.
    var words: BilingualText {
      switch self {
      case .done: BilingualText(": done", "：已完成")
      case .todo: BilingualText(": not yet", "：尚未")
      case .waiting: BilingualText(": waiting", "：等待中")
      case .failed: BilingualText(": not done", "：未完成")
      }
    }
  }

  static func markup(_ story: OrderStory, price: String?, _ language: Language) -> Markup {
    let order = story.details.order
    let payment = story.details.payment
    // A payment that waits was charged and verified, too.
    let charged = payment ?? story.unmatched.first
    let grant = story.relations.grant
    var steps: [Markup] = [
      step(BilingualText("Ordered", "下单"), is: .done, Display.clock(order.createdAt), in: language),
      step(
        BilingualText("Charged", "扣款"), is: charged == nil ? .todo : .done,
        charged.flatMap { Display.amount(of: $0) } ?? charged.map { Display.clock($0.facts.purchaseDate) }
          ?? (price ?? "–"), in: language),
      step(
        BilingualText("Verified", "核验"), is: charged == nil ? .todo : .done,
        charged.map { Display.clock($0.firstSeenAt) } ?? "–", in: language),
      step(
        BilingualText("Matched", "匹配"), is: payment?.match != nil ? .done : charged == nil ? .todo : .failed,
        matched(payment?.match, or: charged?.state, language), in: language),
      step(
        BilingualText("Granted", "入账"), is: grant != nil ? .done : charged == nil ? .todo : .failed,
        grant.map { Display.text($0.content, language) } ?? "–", in: language),
      told(story.details.deliveries, language),
    ]
    if let grant, grant.takenBack > 0 {
      steps.append(step(BilingualText("Taken back", "冲正"), is: .waiting, "\(grant.takenBack)", in: language))
    }
    return .element(
      .ol,
      [.style("panel steps"), .of(.ariaLabel, BilingualText("How far the money is", "资金进度")[language])],
      all: steps)
  }

  /// The rule of the match; without one, why the payment waits.
  private static func matched(_ match: MatchRecord?, or state: PaymentState?, _ language: Language) -> String {
    if let match { return Words.words(for: match.rule)[language] }
    return state.map { Words.detail($0.reason ?? $0.name, language) } ?? "–"
  }

  private static func told(_ deliveries: [Delivery], _ language: Language) -> Markup {
    let title = BilingualText("Backend told", "通知后端")
    guard !deliveries.isEmpty else { return step(title, is: .todo, "–", in: language) }
    if deliveries.allSatisfy(\.isAcknowledged) {
      return step(title, is: .done, BilingualText("acknowledged", "已确认")[language], in: language)
    }
    let hasFailed = deliveries.contains { !$0.isAcknowledged && ($0.attempts > 0 || $0.state != .pending) }
    return step(
      title, is: hasFailed ? .failed : .waiting, BilingualText("not acknowledged", "未确认")[language], in: language)
  }

  private static func step(
    _ title: BilingualText, is mark: Mark, _ detail: String, in language: Language
  ) -> Markup {
    .element(
      .li, [.style(mark.rawValue)], mark.icon,
      .element(.b, .text(title[language]), .element(.span, [.style("sr")], .text(mark.words[language]))),
      .element(.small, .text(detail)))
  }
}
