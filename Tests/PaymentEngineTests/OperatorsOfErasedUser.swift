import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import Synchronization
import Testing

/// What operators do about a user before the user is erased, in the ways in which the console does it.
enum OperatorsOfErasedUser {
  /// Each press of a button has a name of its own.
  private static let presses = Atomic(0)

  /// Performs all of it under the names of two operators. Each reason names the user.
  static func act(on user: UserIdentifier, mergingIn guest: UserIdentifier, _ shop: EngineFixture) async throws {
    let engine = shop.engine
    let place = EngineFixture.appEnvironment
    func perform(
      _ name: String, on object: UserIdentifier?, _ body: @Sendable () async throws -> Void
    ) async throws {
      _ = try await engine.perform(description(name, on: object, naming: user), body)
    }
    try await perform("balance.credit", on: user) {
      _ = try await engine.creditBalance(
        CreditRequest(
          user: user, unit: "coin", amount: 7, key: "c1", digest: "d", reason: "\(user) waited for an hour"),
        in: place)
    }
    await #expect(throws: CodedError<EngineErrorCode>.self) {
      try await perform("balance.credit", on: user) {
        _ = try await engine.creditBalance(
          CreditRequest(user: user, unit: "coin", amount: 1_000_000, key: "c2", digest: "d", reason: "too much"),
          in: place)
      }
    }
    try await perform("user.limit", on: user) {
      _ = try await engine.setSpendingLimit(5000, .cny, of: user, in: shop.app)
    }
    try await perform("entitlement.give", on: user) {
      _ = try await engine.giveEntitlement(
        PromotionalRequest(
          user: user, entitlement: "club", until: shop.now() + .days(7), key: "p1", reason: "for \(user)", by: "lin"),
        in: place)
    }
    _ = try await shop.order(of: guest)
    try await perform("user.merge", on: user) {
      _ = try await engine.mergeUser(guest, into: user, of: shop.app)
    }
    try await perform("payment.note", on: nil) {
      try await engine.addNote(
        "\(user) says that it is theirs", on: .payment(EngineFixture.key("1002")), by: "lin")
    }
    try await perform("endpoint.pause", on: nil) {
      try await engine.pauseEndpoint("backend", of: "shop", by: "lin", reason: "until \(user) is helped")
    }
    try await perform("personalData.seen", on: user) {}
    try await ask(for: user, guest, shop)
  }

  /// An approval that nobody decides about.
  private static func ask(
    for user: UserIdentifier, _ guest: UserIdentifier, _ shop: EngineFixture
  ) async throws {
    let asked = AskedAction(
      app: "shop", environment: .simulated, action: "user.merge", objectKind: "user", object: user.text,
      arguments: ["user": guest.text], reason: "\(guest) is \(user)")
    _ = try await shop.engine.askForApproval(asked, description("approval.ask", on: nil, naming: user))
  }

  /// The reason names the user also where the action is done on something else.
  private static func description(
    _ name: String, on user: UserIdentifier?, naming named: UserIdentifier
  ) -> ActionDescription {
    let press = presses.add(1, ordering: .relaxed).newValue
    var action = ActionDescription(name, by: .account, "lin", key: "\(name) \(press)")
    (action.app, action.environment) = ("shop", .simulated)
    if let user { (action.objectKind, action.object) = ("user", user.text) }
    action.reason = "ticket of \(named)"
    return action
  }
}
