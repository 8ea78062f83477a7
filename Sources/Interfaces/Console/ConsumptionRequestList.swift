import AppStoreIntegration
import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Apple's questions about purchases that customers want refunded, the earliest deadline first.
struct ConsumptionRequestList {
  let visit: AppVisit
  let open: [OpenConsumptionRequest]
  let now: Timestamp

  var markup: Markup {
    let language = visit.language
    let rows = open.map { request -> [Markup] in
      let left = request.deadline > now ? Display.age(request.deadline - now, language) : Self.over[language]
      return [
        Display.id(request.payment.transaction.text, to: visit.link(to: request.payment)),
        Display.time(request.askedAt),
        Display.tag(left, request.deadline - now < .hours(3) ? .bad : .warn), .foreign(request.reason ?? "–"),
        request.user.map { user in
          .element(.a, [.link(visit.link(to: user, in: request.payment.environment))], .foreign(user.text))
        } ?? .text("–"),
        request.isConsented
          ? Display.tag(Self.consented[language], .ok) : Display.tag(Self.notConsented[language], .warn),
        request.answer.map { .element(.pre, .foreign($0.text)) } ?? .text("–"),
      ]
    }
    return .element(.div, [.style("head")], .element(.h1, .text(Words.consumptionRequests[language])))
      + .element(.p, .text(Self.explanation[language]))
      + ListPanel.table(
        [
          Words.payment, BilingualText("Asked", "询问时间"), BilingualText("Time left", "剩余时间"), Words.reason,
          Words.user, BilingualText("Consent", "用户同意"), BilingualText("Would be sent", "将发送的内容"),
        ], rows, title: Words.consumptionRequests, in: language)
  }

  private static let explanation = BilingualText(
    "Apple asks about consumption before it refunds, and takes an answer for twelve hours. Nothing is sent without the"
      + " customer's consent.",
    "Apple 在退款前会询问消费情况，十二小时内接受答复。未经用户同意不会发送任何信息。")
  private static let over = BilingualText("over", "已过期")
  private static let consented = BilingualText("given", "已同意")
  private static let notConsented = BilingualText("not given", "未同意")
}
