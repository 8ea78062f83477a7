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
        .div, [.style("cols")], .element(.div, [.style("stack")], orders, payments),
        .element(.div, [.style("side-col")], balances, entitlements, limits, merges, erasure))
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
    return panel(
      BilingualText("Spending limits", "消费限额"), pairs.isEmpty ? nil : Display.pairs(pairs, language))
  }

  private var merges: Markup {
    let into = story.mergedInto.map { other in
      Markup.element(
        .p, .text(BilingualText("Merged into ", "已并入 ")[language]),
        .element(.a, [.link(visit.link(to: other, in: environment))], .foreign(other.text)))
    }
    let form = visit.form(.mergeUser, on: ["users", environment.rawValue, user.text])
    return panel(BilingualText("Merge", "合并用户"), into ?? form)
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
      story.balances.isEmpty ? nil : BalanceTable.pairs(story.balances, language) + debts)
  }

  /// What can be written off.
  private var debts: Markup {
    Markup(
      story.balances.filter { $0.amount < 0 }.map { balance in
        visit.form(.writeOff, on: ["users", environment.rawValue, user.text, balance.unit.text])
      })
  }

  private var entitlements: Markup {
    let pairs: [(name: BilingualText, value: Markup?)] = story.entitlements.map { entitlement in
      let until = entitlement.until.map { BilingualText("until \(Display.day($0))", "至 \(Display.day($0))")[language] }
      let name = entitlement.entitlement.text
      return (
        BilingualText(name, name),
        .text([entitlement.state.rawValue, until].compactMap(\.self).joined(separator: ", "))
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
