import Cryptography
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives

// What an operator gives a user without a payment, and what a user may spend.

extension ActionFields {
  /// Units of one credit, and a limit in the smallest unit of a currency: far more than anything is worth.
  private static let most: Int64 = 1_000_000_000_000

  /// - Throws: `formInvalid`.
  static func checkForUser(_ action: ConsoleAction, _ arguments: [String: String]) throws {
    switch action {
    case .creditBalance:
      guard number(.units, arguments, from: 1) != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("State a whole number of units.", "请填写整数数量。"))
      }
    case .giveEntitlement:
      guard arguments[ActionField.entitlement.rawValue] != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("Name the entitlement.", "请填写权益名称。"))
      }
      guard ConsoleAction.days(arguments) != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("State 1 to 366 days.", "请填写 1 到 366 天。"))
      }
    default:
      guard arguments[ActionField.currency.rawValue].flatMap({ CurrencyCode($0) }) != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("State the currency like CNY.", "请按 CNY 的格式填写货币。"))
      }
      guard action == .liftLimit || number(.limit, arguments, from: 0) != nil else {
        throw ConsoleProblem.formInvalid(BilingualText("State a whole number.", "请填写整数。"))
      }
    }
  }

  static func number(_ field: ActionField, _ arguments: [String: String], from least: Int64) -> Int64? {
    arguments[field.rawValue].flatMap { Int64($0) }.flatMap { (least...most).contains($0) ? $0 : nil }
  }
}

extension ConsoleActions {
  /// - Parameter key: names what is given, for ever: the press, or the approval.
  func runForUser(
    _ action: ConsoleAction, _ asked: AskedAction, by operatorName: String, key: String
  ) async throws {
    guard let app = engine.apps[asked.app] else { throw ConsoleProblem.notFound }
    let (user, arguments) = (UserIdentifier(asked.object), asked.arguments)
    let place = AppEnvironment(app: asked.app, environment: asked.environment)
    switch action {
    case .creditBalance:
      let amount = ActionFields.number(.units, arguments, from: 1) ?? 0
      let unit = UnitName(arguments["unit"] ?? "")
      let texts = ["console", user.text, unit.text, "\(amount)", asked.reason]
      let request = CreditRequest(
        user: user, unit: unit, amount: amount, key: "console:" + key,
        digest: Array(SHA256.hash(StableBytes.of(texts))).hexadecimal, reason: asked.reason)
      _ = try await engine.creditBalance(request, in: place)
    case .giveEntitlement:
      guard let days = ConsoleAction.days(arguments) else { throw ConsoleProblem.notFound }
      let request = PromotionalRequest(
        user: user, entitlement: EntitlementName(arguments[ActionField.entitlement.rawValue] ?? ""),
        until: engine.now + .days(days), key: "console:" + key, reason: asked.reason, by: operatorName)
      _ = try await engine.giveEntitlement(request, in: place)
    case .revokeEntitlement:
      _ = try await engine.revokeEntitlement(
        arguments["promotional"] ?? "", of: user, in: place, reason: asked.reason, by: operatorName)
    default:
      guard let currency = arguments[ActionField.currency.rawValue].flatMap({ CurrencyCode($0) }) else {
        throw ConsoleProblem.notFound
      }
      let limit = action == .setLimit ? ActionFields.number(.limit, arguments, from: 0) : nil
      _ = try await engine.setSpendingLimit(limit, currency, of: user, in: app)
    }
  }
}
