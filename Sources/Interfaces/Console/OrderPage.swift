import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Everything about one order on one page: the answer first, then what it rests on.
struct OrderPage {
  let visit: AppVisit
  let story: OrderStory
  /// The payment's own story, with the store's statements; nil while unpaid.
  let paymentStory: PaymentStory?
  /// The failed attempts of all its deliveries.
  let attempts: [DeliveryAttempt]
  let balances: [Balance]
  /// What the user complained about at WeChat Pay, as far as it is about this order.
  let complaints: [Complaint]
  let now: Timestamp

  private var order: Order { story.details.order }
  private var payment: Payment? { story.details.payment }
  private var language: Language { visit.language }
  private var environment: StoreEnvironment { order.key.appEnvironment.environment }
  private var goods: String { Display.text(order.product.grant) }
  private var price: String? {
    payment.flatMap { Display.amount(of: $0) }
      ?? (order.store == .weChatPay ? order.product.weChatPrice : nil)
      .map { Display.text($0) }
  }

  var title: String { BilingualText("Order", "订单")[language] + " " + order.key.id.description.suffix(12) }

  var markup: Markup {
    let situation = OrderSituation(story, at: now)
    return crumbs + head + answer(situation) + ticket + StepList.markup(story, price: price, language)
      + .element(
        .div, [.style("cols")],
        .element(
          .div, [.style("stack")],
          complaints.isEmpty ? Markup() : ComplaintList.table(complaints, visit, now: now), timelinePanel),
        .element(.div, [.style("side-col")], side))
  }

  private var crumbs: Markup {
    .element(
      .nav, [.style("crumbs"), .of(.ariaLabel, Words.place[language])],
      .element(.a, [.link(visit.link("orders"))], .text(Words.orders[language])),
      .element(.span, [.of(.ariaHidden, "true")], "/"),
      .element(.a, [.link(visit.link(to: order.user, in: environment))], .foreign(order.user.text)))
  }

  private var head: Markup {
    let words = BilingualText("\(goods) × \(order.quantity) for ", "\(goods) × \(order.quantity)，用户 ")
    return .element(
      .div, [.style("head")],
      .element(
        .div, .element(.h1, .text(words[language]), .foreign(order.user.text)),
        Display.id(order.key.id.description, language), .element(.div, [.style("tags")], all: tags)))
  }

  private var tags: [Markup] {
    var tags = [Display.environmentTag(environment, language)]
    switch order.state {
    case .awaitingPayment: tags.append(Display.tag(BilingualText("Open", "待支付")[language], .warn))
    case .paid: tags.append(Display.tag(BilingualText("Paid", "已支付")[language], .ok))
    case .closed: tags.append(Display.tag(BilingualText("Closed", "已关闭")[language]))
    }
    if let payment {
      tags.append(Display.tag(Words.stateName(payment.state.name, in: language), payment.state.wasGranted ? .ok : .bad))
    }
    if order.frozenBecause != nil { tags.append(Display.tag(BilingualText("Frozen", "已冻结")[language], .bad)) }
    return tags
  }

  private func answer(_ situation: OrderSituation) -> Markup {
    let sentence = situation.sentence(OrderSentence.Values(amount: price, goods: goods))
    return .element(
      .section,
      [
        .style("panel answer \(sentence.tone.rawValue)"),
        .of(.ariaLabel, BilingualText("In one sentence", "一句话说明")[language]),
      ], .element(.i),
      .element(
        .p, [.style("say")], .element(.b, .text(sentence.headline[language])), " ",
        .text(sentence.detail[language])), .element(.div, [.style("do")], actions),
      PaymentPage.telling(sentence.customer, language))
  }

  /// What can be done now, the most useful first.
  private var actions: Markup {
    var forms: [Markup] = []
    if let open = story.details.deliveries.first(where: { !$0.isAcknowledged }) {
      forms.append(visit.form(.redrive, on: ["deliveries", open.id.text], isMain: true))
    }
    if let waiting = story.unmatched.first {
      forms.append(
        .element(
          .a, [.style("button main"), .link(visit.link(to: waiting.key))],
          .text(BilingualText("See the payment that waits", "查看待处理的支付")[language])))
    }
    if order.state == .awaitingPayment {
      if order.store.opensOrders { forms.append(visit.form(.askStore, on: path, isMain: forms.isEmpty)) }
      forms.append(visit.form(.closeOrder, on: path))
    }
    forms += visit.redirections(of: story.relations.refunds)
    forms.append(visit.form(.note, on: path))
    return Markup(forms)
  }

  private var path: [String] { ["orders", environment.rawValue, order.key.id.description] }

  // MARK: the ticket

  private var ticket: Markup {
    let reference = order.reference.map { Markup.element(.span, [.style("id")], .foreign($0.text)) }
    let left = Markup.element(
      .section, [.style("stub left")],
      .element(.h2, .text(BilingualText("Our half: the order", "我方存根：订单")[language])),
      .element(.p, [.style("amount")], .text("\(goods) × \(order.quantity)")),
      Display.pairs(
        [
          (Words.reference, reference),
          (Words.user, .element(.a, [.link(visit.link(to: order.user, in: environment))], .foreign(order.user.text))),
          (Words.store, .text(Words.name(of: order.store)[language])),
          (BilingualText("Written", "创建时间"), Display.time(order.createdAt)),
        ], language))
    return .element(
      .div,
      [
        .style("ticket"), .of(.role, "group"),
        .of(.ariaLabel, BilingualText("Order and payment held against each other", "订单与支付相互对照")[language]),
      ], left, perforation, storeHalf)
  }

  private var perforation: Markup {
    let match = payment?.match
    let rule = match.map { Words.words(for: $0.rule) } ?? BilingualText("no match", "未匹配")
    return .element(
      .div, [.style("perf")], .element(.span, [.style("rule")]), .element(.b, .text(rule[language])),
      .element(.span, [.style("rule")]))
  }

  private var storeHalf: Markup {
    let title = Markup.element(.h2, .text(BilingualText("Store’s half: the payment", "商店存根：支付")[language]))
    guard let payment else {
      return .element(
        .section, [.style("stub right")], title,
        .element(.p, [.style("muted")], .text(BilingualText("No payment is known.", "没有已知的支付。")[language])))
    }
    return .element(
      .section, [.style("stub right")], title,
      .element(.p, [.style("amount")], .text(price ?? BilingualText("amount not stated", "未说明金额")[language])),
      Display.pairs(
        [
          (Words.transaction, Display.id(payment.key.transaction.text, to: visit.link(to: payment.key))),
          (Words.store, .text(Words.name(of: payment.key.store)[language])),
          (BilingualText("Bought", "购买时间"), Display.time(payment.facts.purchaseDate)),
          (BilingualText("Signed", "签名时间"), Display.time(payment.facts.signedDate)),
        ], language))
  }

  // MARK: the timeline and the side

  private var timelinePanel: Markup {
    let timeline = Timeline(
      journal: story.journal.entries, omitted: story.journal.omitted, evidence: paymentStory?.evidence ?? [],
      attempts: attempts, deliveries: story.details.deliveries, visit)
    return .element(
      .section, [.style("panel")],
      .element(
        .header,
        .element(
          .h2, .text(BilingualText("Timeline", "时间线")[language]), " ",
          .element(.span, [.style("muted")], .text(Display.zoneName)))), timeline.markup(language))
  }

  private var side: Markup {
    let user = Markup.element(
      .section, [.style("panel")],
      .element(
        .header, .element(.h2, .text(Words.user[language])),
        .element(.a, [.link(visit.link(to: order.user, in: environment))], .foreign(order.user.text))),
      .element(
        .div, [.style("body")],
        balances.isEmpty
          ? .element(.p, [.style("muted")], .text(BilingualText("No balance.", "没有余额。")[language]))
          : BalanceTable.pairs(balances, language)))
    let numbers = Markup.element(
      .section, [.style("panel")],
      .element(.header, .element(.h2, .text(BilingualText("All numbers", "全部单号")[language]))),
      .element(.div, [.style("body")], Display.pairs(allNumbers, language)))
    return user + numbers
  }

  private var allNumbers: [(name: BilingualText, value: Markup?)] {
    func id(_ text: String?) -> Markup? { text.map { Display.id($0, language) } }
    var numbers: [(name: BilingualText, value: Markup?)] = [
      (Words.order, id(order.key.id.description)),
      (BilingualText("Support code", "客服码"), id(SupportCode(of: order.key.id).description)),
      (Words.reference, id(order.reference?.text)),
      (Words.transaction, id(payment?.key.transaction.text)),
      (BilingualText("Original", "原始交易号"), id(payment?.facts.originalTransaction.text)),
      (BilingualText("Line item", "明细号"), id(payment?.facts.webOrderLineItem)),
      (Words.product, .text(order.product.id.text)),
    ]
    for delivery in story.details.deliveries {
      numbers.append(
        (Words.delivery, Display.id(delivery.id.text, to: visit.link("deliveries", delivery.id.text))))
    }
    if order.metadata != nil {
      numbers.append(
        (
          BilingualText("Metadata", "附加数据"),
          visit.personal.metadata(of: order).map { .foreign($0) } ?? visit.hidden
        ))
    }
    return numbers
  }
}

extension Delivery {
  var isAcknowledged: Bool { if case .acknowledged = state { true } else { false } }
}
