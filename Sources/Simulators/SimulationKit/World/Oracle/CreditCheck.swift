import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

/// Checks the backend's credits.
struct CreditCheck: WorldCheck {
  let records: WorldRecords

  /// Checks that each credit was booked at most once and as it was asked for, that none was booked that was finally
  /// refused, and that no user was given more in a day than the configuration allows.
  func run() async throws {
    guard !records.credits.isEmpty else { return }
    for user in Set(records.credits.map(\.user)).sorted() {
      let entries = try await records.entries(of: user)
      var booked: [String: [Int64]] = [:]
      var byDay: [UserIdentifier: [Int64: Int64]] = [:]
      for posting in entries.map(\.posting) {
        guard case .booking(let key, .credit) = posting.source else { continue }
        booked[key, default: []].append(posting.amount)
        let day = posting.at.milliseconds / TimeSpan.days(1).milliseconds
        if let given = posting.balanceChanges.first?.user {
          byDay[given, default: [:]][day, default: 0] += posting.amount
        }
        if posting.debit != .credited { events.reportViolation("\(key) came from \(posting.debit.text)") }
      }
      for (given, days) in byDay.sorted(by: { $0.key < $1.key }) {
        let most = BookkeepingPlan.ceiling.perUserAndDay * records.context.merges.countOfUsers(behind: given)
        for (day, sum) in days.sorted(by: { $0.key < $1.key }) where sum > most {
          events.reportViolation("\(given) was given \(sum) on day \(day)")
        }
      }
      for credit in records.credits where credit.user == user {
        let amounts = booked.removeValue(forKey: credit.key) ?? []
        if case .done = credit.outcome {
          if amounts != [credit.amount] {
            events.reportViolation("\(credit.key) of \(credit.amount) was booked as \(amounts)")
          }
        } else if !amounts.isEmpty {
          events.reportViolation("\(credit.key) is \(credit.outcome), and was booked: \(amounts)")
        }
      }
      for key in booked.keys.sorted() { events.reportViolation("\(key) was given to \(user), and nobody asked for it") }
    }
    if records.credits.contains(where: { $0.outcome == .unknown }) {
      events.reportViolation("a credit was never answered")
    }
  }
}
