import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Compares every subscriber's entitlement with the App Store's own data about the subscription. Then it compares three
/// books of the year: the App Store's, those of a backend that hears events alone, and our reports.
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
    let paying = shop.books.users(paidFor: shop.dependencies.now())
    for (subscription, periods) in lines.sorted(by: { $0.key < $1.key }) {
      try await check(subscription, periods, paying: paying, noting: &report)
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
    try await compareBooks(transactions, &report)
    report.problems += shop.buyers.problems
    report.problems += shop.alarms.all
    report.problems += try await shop.engine.auditInvariants(atRest: true).violations.map { "\($0)" }
    return report
  }

  /// Checks one subscription: whose it is, and that nobody else on the Apple account has it.
  ///
  /// - Parameter paying: the users with a paid period in the books of the backend.
  private func check(
    _ subscription: TransactionIdentifier, _ periods: [SimulatedTransaction], paying: Set<UserIdentifier>,
    noting report: inout SubscriptionYear.Report
  ) async throws {
    let status = try await shop.apple.signedRenewalInfo(subscription).status
    report.standing["\(Self.state(status).rawValue)", default: 0] += 1
    let newest = periods.max { ($0.purchaseDate, $0.id) < ($1.purchaseDate, $1.id) }
    guard let latest = newest, let holder = shop.buyers.owner(of: latest) else {
      return report.problems.append("subscription \(subscription.text) was ordered by nobody")
    }
    if Set(periods.compactMap { shop.buyers.owner(of: $0) }).count > 1 { report.takenOver += 1 }
    for user in SubscriptionYearShop.users(of: latest.owner) {
      let right = try await shop.engine.readEntitlements(of: user, in: SubscriptionYearShop.appEnvironment).first
      let said = "the right is \(right?.state.rawValue ?? "none") until \(right?.until?.iso8601 ?? "for ever")"
      let isRight =
        user == holder
        ? right?.state == Self.state(status) : right?.state.givesAccess ?? false == isPaying(user, periods)
      if !isRight {
        report.differences += 1
        report.problems.append(
          "subscription \(subscription.text) is \(holder.text)'s: the store says \(Self.state(status).rawValue), and "
            + "to \(user.text) \(said)")
      }
      if paying.contains(user) != (right?.state == .active) {
        report.problems.append("\(user.text) pays \(paying.contains(user) ? "" : "nothing ")by the events, and \(said)")
      }
    }
  }

  /// Whether a user has a period that runs, was not given back, and was not replaced by another plan.
  private func isPaying(_ user: UserIdentifier, _ periods: [SimulatedTransaction]) -> Bool {
    let now = shop.dependencies.now()
    return periods.contains { sold in
      sold.revocation == nil && sold.upgrade == nil && sold.period.map { $0.expiresDate > now } == true
        && shop.buyers.owner(of: sold) == user
    }
  }

  /// Compares the books of a backend that hears events alone, and our reports, with the App Store's own records.
  private func compareBooks(
    _ transactions: [SimulatedTransaction], _ report: inout SubscriptionYear.Report
  ) async throws {
    var (revenue, days) = (MonthlyRevenue(), Set<String>())
    let starts = Dictionary(transactions.map { ($0.id, $0.purchaseDate) }) { first, _ in first }
    for sold in transactions where sold.isCharge {
      revenue.sell(sold.price, at: sold.purchaseDate)
      if let back = sold.revocation { revenue.giveBack(back.percentage, of: sold.price, at: back.date) }
      guard sold.revocation?.isWhole != true, let period = sold.period, let user = shop.buyers.owner(of: sold) else {
        continue
      }
      // A better plan ends the period on the spot.
      let next = sold.upgrade.flatMap { starts[$0.by] }
      let end = min(period.expiresDate, next ?? period.expiresDate)
      days.formUnion(EventBooks.days(of: user, from: sold.purchaseDate, until: end))
    }
    let (booked, bookedDays) = (shop.books.revenue, shop.books.days)
    let reported = try await readReports(noting: &report)
    report.bookedMonths = booked.sums.count
    report.bookedDays = bookedDays.count
    report.repeatedEvents = shop.books.repeats
    report.problems += shop.books.problems
    report.problems += revenue.differences(from: booked, ("the store", "the books of events"))
    report.problems += revenue.differences(from: reported, ("the store", "our report"))
    report.problems += booked.differences(from: reported, ("the books of events", "our report"))
    for day in days.symmetricDifference(bookedDays).sorted().prefix(10) {
      report.problems.append("\(day): paid for by \(days.contains(day) ? "the store" : "the events") alone")
    }
  }

  /// Our report of each month of the year, as finance gets it.
  private func readReports(noting report: inout SubscriptionYear.Report) async throws -> MonthlyRevenue {
    var revenue = MonthlyRevenue()
    let (begin, now) = (SimulatedWorld.beginning, shop.dependencies.now())
    let count = (now - begin).milliseconds / TimeSpan.days(1).milliseconds + 1
    let all = Set((0...count).map { ReportDays.day(of: min(begin + .days($0), now)) }).sorted()
    for (month, days) in Dictionary(grouping: all, by: { $0.prefix(7) }).sorted(by: { $0.key < $1.key }) {
      guard let first = days.first, let last = days.last, let span = ReportDays(from: first, to: last) else {
        report.problems.append("\(month) is no month of a report")
        continue
      }
      let request = RevenueReport.Request(span, by: [], in: SubscriptionYearShop.appEnvironment)
      let json = try await shop.engine.readRevenueReport(request, of: shop.app).json
      for total in json["totals"]?.array ?? [] {
        revenue.sums["\(month) \(total["currency"]?.string ?? "")"] = MonthlyRevenue.Sum(
          sales: total["sales"]?["amount"]?.integer ?? 0, refunds: total["refunds"]?["amount"]?.integer ?? 0)
      }
      // Apple gives a part back for an upgrade and does not say how much: that difference alone is expected.
      for difference in json["differenceSums"]?.array ?? [] where difference["kind"]?.string != "upgraded" {
        report.problems.append("our report of \(month) differs: \(difference.text)")
      }
    }
    return revenue
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
