import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Compares every subscriber's entitlement with the App Store's own data about the subscription.
struct SubscriptionYearJudge: Sendable {
  private let shop: SubscriptionYearShop

  init(_ shop: SubscriptionYearShop) { self.shop = shop }

  func report() async throws -> SubscriptionYear.Report {
    var report = SubscriptionYear.Report()
    let transactions = await shop.apple.transactions()
    let lines = Dictionary(grouping: transactions, by: \.originalId)
    report.lines = lines.count
    report.periods = transactions.count
    report.refunds = transactions.count { $0.revocation != nil }
    report.notifications = await shop.apple.notifications().count
    report.healed = shop.healed.value
    for (subscription, periods) in lines.sorted(by: { $0.key < $1.key }) {
      guard let owner = periods.first?.owner else { continue }
      let status = try await shop.apple.signedRenewalInfo(subscription).status
      report.standing["\(Self.state(status).rawValue)", default: 0] += 1
      let user = UserIdentifier(String(owner.account.text.prefix { $0 != "@" }))
      let right = try await shop.engine.readEntitlements(of: user, in: SubscriptionYearShop.appEnvironment).first
      guard right?.state != Self.state(status) else { continue }
      report.differences += 1
      report.problems.append(
        "subscription \(subscription.text) of \(user.text): the store says \(Self.state(status).rawValue), "
          + "the right is \(right?.state.rawValue ?? "none") until \(right?.until?.iso8601 ?? "for ever")")
    }
    for transaction in transactions where transaction.isCharge {
      let key = PaymentKey(
        app: "shop", store: .appStore, environment: .simulated, transaction: transaction.id)
      guard let payment = try await shop.database.read({ try $0.payment(key) }) else {
        report.problems.append("payment \(transaction.id.text) was charged and is not known")
        continue
      }
      if payment.awaitsOwner { report.problems.append("payment \(transaction.id.text) is \(payment.state.name)") }
    }
    compareBooks(transactions, &report)
    report.problems += shop.alarms.all
    report.problems += try await shop.engine.auditInvariants(atRest: true).violations.map { "\($0)" }
    return report
  }

  /// Compares the books of a backend that hears events alone with the App Store's own records.
  private func compareBooks(_ transactions: [SimulatedTransaction], _ report: inout SubscriptionYear.Report) {
    var (revenue, days): (EventBooks.Revenue, Set<String>) = ([:], [])
    for sold in transactions where sold.isCharge {
      let left = 100_000 - (sold.revocation?.percentage ?? 0)
      revenue[EventBooks.month(sold.purchaseDate, sold.price.currency), default: 0] +=
        sold.price.milliunits * left / 100_000
      guard left > 0, let period = sold.period else { continue }
      let user = UserIdentifier(String(sold.owner.account.text.prefix { $0 != "@" }))
      days.formUnion(EventBooks.days(of: user, from: sold.purchaseDate, until: period.expiresDate))
    }
    let (booked, bookedDays) = (shop.books.revenue, shop.books.days)
    report.bookedMonths = booked.count
    report.bookedDays = bookedDays.count
    report.repeatedEvents = shop.books.repeats
    report.problems += shop.books.problems
    for month in Set(revenue.keys).union(booked.keys).sorted() where revenue[month] != booked[month] {
      report.problems.append("\(month): the store says \(revenue[month] ?? 0), the events \(booked[month] ?? 0)")
    }
    for day in days.symmetricDifference(bookedDays).sorted().prefix(10) {
      report.problems.append("\(day): paid for by \(days.contains(day) ? "the store" : "the events") alone")
    }
  }

  private static func state(_ status: Status) -> Entitlement.State {
    switch status {
    case .active: .active
    case .expired: .expired
    case .billingRetry: .billingRetry
    case .billingGracePeriod: .gracePeriod
    case .revoked: .revoked
    }
  }
}
