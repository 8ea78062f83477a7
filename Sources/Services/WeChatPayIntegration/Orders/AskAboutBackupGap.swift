import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

extension PaymentEngine {
  /// More orders and refunds than can be open at once: an order is closed within hours, a refund within days.
  private static let openMax = 1_000_000

  /// Asks WeChat Pay about every order and every refund that the restored database knows as open. WeChat Pay cannot
  /// list the payments of a day before its bill, so orders that were made in the gap are found there.
  ///
  /// - Returns: the number of questions without an answer.
  func askWeChatPayAboutBackupGap() async throws -> Int {
    guard let gateways = weChatPay?.gateways, !gateways.isEmpty else { return 0 }
    let ever = Timestamp(milliseconds: .max)
    let orders = try await read { try $0.weChatPayOrdersToAsk(at: ever, limit: Self.openMax).map(\.order) }
    let refunds = try await read { try $0.refundsToAsk(at: ever, limit: Self.openMax) }
    return await withTaskGroup(of: Bool.self) { group in
      var (inFlight, unanswered) = (0, 0)
      func makeRoom() async {
        guard inFlight >= limits.storeQuestionsInFlight else { return inFlight += 1 }
        if await group.next() == false { unanswered += 1 }
      }
      for key in orders {
        guard let app = apps[key.appEnvironment.app], gateways[app.id] != nil else { continue }
        await makeRoom()
        group.addTask { await askWeChatPay(about: key, for: app) }
      }
      for refund in refunds {
        guard let app = apps[refund.appEnvironment.app], gateways[app.id] != nil else { continue }
        await makeRoom()
        group.addTask { await askAbout(refund, for: app) }
      }
      for await isAnswered in group where !isAnswered { unanswered += 1 }
      return unanswered
    }
  }
}
