import AppStoreProtocol
import AppStoreSimulator
import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// Checks that each payment sheet charges at most once.
struct SheetCheck: WorldCheck {
  let records: WorldRecords

  /// Tokens that the server set later belong to no sheet. The journal
  /// shows such a token also if Apple's answer was lost and the retry failed.
  func run() async throws {
    var tokens: [String] = []
    for charge in records.charges where charge.transaction.reason != .renewal {
      let payment = records.appStoreKey(charge.transaction.id)
      let events = try await database.read { try $0.journal(of: payment).map(\.what) }
      let isSetSince = events.contains { $0 == "payment.tokenSet" || $0 == "payment.tokenNotSet" }
      if !isSetSince, let token = records.truths[charge.transaction.id]?.token { tokens.append(token) }
    }
    for (token, count) in Dictionary(tokens.map { ($0, 1) }, uniquingKeysWith: +).sorted(by: { $0.key < $1.key })
    where count > 1 {
      let sheets = records.phones.flatMap(\.sheets).count { $0.token.appAccountToken == token }
      if count > sheets { events.reportViolation("\(sheets) sheets for \(token) charged \(count) times") }
    }
  }
}
