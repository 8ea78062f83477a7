import Markup
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// A user in one environment: what they ordered, paid and have.
struct UserPage {
  let visit: AppVisit
  let user: UserIdentifier
  let environment: StoreEnvironment
  let story: UserStory
  /// What the user complained about at WeChat Pay.
  let complaints: [Complaint]

  private var language: Language { visit.language }

  var markup: Markup {
    let ratio = story.refundRatio
    let bought = BilingualText(
      "\(ratio.granted) granted, \(ratio.refunded) refunded", "入账 \(ratio.granted) 笔，退款 \(ratio.refunded) 笔")
    return .element(
      .div, [.style("head")],
      .element(
        .div, .element(.h1, .text(Words.user[language]), " ", .foreign(user.text)),
        .element(
          .div, [.style("tags")], Display.environmentTag(environment, language),
          Display.tag(bought[language], ratio.permille > 200 ? .warn : .plain))))
      + .element(
        .div, [.style("cols")], .element(.div, [.style("stack")], complaintList, orders, payments),
        .element(.div, [.style("side-col")], balances, entitlements, promotional, limits, merges, erasure))
  }

  private var limits: Markup {
    let pairs: [(name: BilingualText, value: Markup?)] = story.spending.map { spending in
      let currency = spending.limit.currency
      let spent = Display.text(Money(minorUnits: spending.spent, currency: currency))
      let most = spending.limit.minorUnits.map { Display.text(Money(minorUnits: $0, currency: currency)) }
      let text =
        most.map { BilingualText("\(spent) of \($0) spent this month", "本月已消费 \(spent)，限额 \($0)") }
        ?? BilingualText("\(spent) spent this month; no limit any more", "本月已消费 \(spent)；限额已取消")
      return (BilingualText(currency.code, currency.code), .text(text[language]))
    }
    let lifts = story.spending.filter { $0.limit.minorUnits != nil }.map { spending in
      let code = spending.limit.currency.code
      return visit.form(.liftLimit, on: path + ["spending-limits", code], about: code)
    }
    // Limits hold in the environment where the app sells.
    let form = environment == visit.app.home ? visit.form(.setLimit, on: path) : Markup()
    return panel(
      BilingualText("Spending limits", "消费限额"),
      (pairs.isEmpty ? none : Display.pairs(pairs, language)) + Markup(lifts) + form)
  }

  private var path: [String] { ["users", environment.rawValue, user.text] }

  private var none: Markup { .element(.p, [.style("muted")], .text(Words.none[language])) }

  /// What the user was given without a payment, with its reason.
  private var promotional: Markup {
    let now = visit.visit.now
    let pairs: [(name: BilingualText, value: Markup?)] = story.promotional.map { given in
      let name = given.entitlement.text
      let state = given.state(at: now)
      let until = BilingualText("until \(Display.day(given.until))", "至 \(Display.day(given.until))")[language]
      let revoke =
        state == .active
        ? visit.form(.revokeEntitlement, on: path + ["promotional-entitlements", given.key], about: given.key)
        : Markup()
      return (
        BilingualText(name, name),
        .text(Self.word(state)[language] + ", " + until + ": ") + .foreign(given.end?.reason ?? given.reason) + revoke
      )
    }
    let names = visit.app.catalog.entitlementNames.map(\.text).joined(separator: ", ")
    let form = names.isEmpty ? Markup() : visit.form(.giveEntitlement, on: path, about: names)
    return panel(
      BilingualText("Given without a payment", "赠送的权益"),
      (pairs.isEmpty ? none : Display.pairs(pairs, language)) + form)
  }

  private static func word(_ state: Entitlement.State) -> BilingualText {
    switch state {
    case .active, .gracePeriod: BilingualText("active", "有效")
    case .billingRetry, .expired: BilingualText("ended", "已到期")
    case .revoked: BilingualText("taken back", "已收回")
    }
  }

  private var merges: Markup {
    let into = story.mergedInto.map { other in
      Markup.element(
        .p, .text(BilingualText("Merged into ", "已并入 ")[language]),
        .element(.a, [.link(visit.link(to: other, in: environment))], .foreign(other.text)))
    }
    let form = visit.form(.mergeUser, on: path)
    return panel(BilingualText("Merge", "合并用户"), into ?? form)
  }

  private var complaintList: Markup {
    complaints.isEmpty ? Markup() : ComplaintList.table(complaints, visit, now: visit.visit.now)
  }

  private var erasure: Markup {
    panel(
      BilingualText("Erasure", "删除用户"), visit.form(.eraseUser, on: ["users", environment.rawValue, user.text]))
  }

  private var orders: Markup {
    ListPanel.orders(story.orders.orders, title: Words.orders, visit)
  }

  private var payments: Markup {
    ListPanel.payments(story.payments, title: Words.payments, visit)
  }

  private var balances: Markup {
    panel(
      BilingualText("Balances", "余额"),
      (story.balances.isEmpty ? none : BalanceTable.pairs(story.balances, language) + postings + debts) + credits)
  }

  /// Where each balance came from.
  private var postings: Markup {
    Markup(
      story.balances.map { balance in
        let unit = balance.unit.text
        let target = visit.link(
          "users", user.text, "balances", unit, query: [(name: "environment", value: environment.rawValue)])
        let words = BilingualText("Entries of \(unit)", "\(unit) 明细")
        return .element(.p, .element(.a, [.link(target)], .text(words[language])))
      })
  }

  /// What may be given: the units of the configuration.
  private var credits: Markup {
    Markup(visit.app.credits.map { visit.form(.creditBalance, on: path + [$0.unit.text], about: $0.unit.text) })
  }

  /// What can be written off.
  private var debts: Markup {
    Markup(
      story.balances.filter { $0.amount < 0 }.map { balance in
        visit.form(.writeOff, on: path + [balance.unit.text])
      })
  }

  private var entitlements: Markup {
    let pairs: [(name: BilingualText, value: Markup?)] = story.entitlements.map { entitlement in
      let until = entitlement.until.map { BilingualText("until \(Display.day($0))", "至 \(Display.day($0))")[language] }
      let name = entitlement.entitlement.text
      let state = Words.words(for: entitlement.state)[language]
      return (
        BilingualText(name, name),
        .text([state, until].compactMap(\.self).joined(separator: ", "))
      )
    }
    return panel(BilingualText("Entitlements", "权益"), pairs.isEmpty ? nil : Display.pairs(pairs, language))
  }

  private func panel(_ title: BilingualText, _ content: Markup?) -> Markup {
    .element(
      .section, [.style("panel")], .element(.header, .element(.h2, .text(title[language]))),
      .element(.div, [.style("body")], content ?? .element(.p, [.style("muted")], .text(Words.none[language]))))
  }
}

/// Balances with the mark of those that cannot be spent.
enum BalanceTable {
  static func pairs(_ balances: [Balance], _ language: Language) -> Markup {
    Display.pairs(
      balances.map { balance in
        let unit = balance.unit.text
        let frozen = Display.tag(BilingualText("frozen", "已冻结")[language], .bad)
        return (
          BilingualText(unit, unit),
          .element(.b, .text("\(balance.amount)")) + (balance.frozenSince == nil ? Markup() : " " + frozen)
        )
      }, language)
  }
}
