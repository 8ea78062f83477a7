import CounterfoilCLI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase

/// Compares a database after a run with the payments: a figure is valid only if each one is there exactly once.
enum FulfilReconciliation {
  private static let page = 500

  /// The difference found; nil if paid = granted = deliveries made, there are no duplicates, and the audit finds
  /// nothing.
  static func difference(_ path: String, paid: Int, _ shop: FulfilShop) async throws -> String? {
    let database = try await SQLiteReader.open(
      path: path, profile: .simulated, on: ThreadExecutor(), now: shop.dependencies.now)
    let difference: String?
    do { difference = try await self.difference(in: database, paid: paid) } catch {
      await database.close()
      throw error
    }
    await database.close()
    return difference
  }

  /// The same in a database that is open.
  static func difference(in database: any ReadableDatabase, paid: Int) async throws -> String? {
    let report = try await PaymentAudit(atRest: true).run(on: database)
    if let first = report.violations.first { return "\(report.violations.count) rules are broken: \(first)" }
    let fulfilled = report.paymentsByState["fulfilled"] ?? 0
    guard report.payments == paid, fulfilled == paid else {
      return "\(paid) were paid, \(report.payments) are known, \(fulfilled) of them fulfilled"
    }
    guard report.deliveriesOpen == paid else { return "\(paid) were paid, \(report.deliveriesOpen) deliveries made" }
    let granted = try await granted(in: database)
    guard granted == Int64(paid) * FulfilShop.coins else {
      return "\(paid) were paid, which is \(Int64(paid) * FulfilShop.coins) coins; \(granted) were granted"
    }
    return nil
  }

  private static func granted(in database: any ReadableDatabase) async throws -> Int64 {
    var (sum, last) = (Int64(0), Balance?.none)
    while true {
      let balances = try await database.read { [last] in try $0.balances(after: last, limit: page) }
      guard let end = balances.last else { return sum }
      sum += balances.reduce(0) { $0 + $1.amount }
      last = end
    }
  }
}
