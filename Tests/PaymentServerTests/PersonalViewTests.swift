import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import StrictJSON
import Testing

/// What may name a person in the answers to operator keys. The console's pages have the same rule: `BalancePageTests`.
@Suite struct `Texts that may name a person` {
  /// Words of the backend and of the team, about one user and one order.
  private static let words = ["a-gift-for-her", "sword-7", "she-is-a-minor", "born-1990"]

  private struct Answers {
    let entries: Answer
    let order: Answer
    let others: [Answer]

    var texts: String { ([entries, order] + others).map(\.text).joined() }
  }

  private func fixture() async throws -> (front: ServerFixture, order: String) {
    let front = try await ServerFixture.open()
    let made = await front.ask(
      "POST", "/v1/orders", as: front.keys.secret,
      json: .members([
        ("userId", "alice"), ("productId", "coins.100"), ("store", "appStore"), ("platform", "ios"),
        ("metadata", .members([("note", "born-1990")])),
      ]))
    let order = try #require(made["id"]?.string)
    await front.submit(TestAppStoreSigner().transaction("1001", token: order), as: front.token())
    let debit = await front.debit(60, "sword-7", more: [("reason", "a-gift-for-her")])
    #expect(debit.status == 201)
    try await front.engine.addNote(
      "she-is-a-minor", on: .payment(EngineFixture.key("1001")), by: "lin")
    return (front, order)
  }

  private func read(_ front: ServerFixture, _ order: String, as role: OperatorRole) async throws -> Answers {
    let credential = try await front.engine.createKey(.operator, for: "shop", label: "tests", role: role).text
    func ask(_ path: String) async -> Answer { await front.ask("GET", "/v1/operator" + path, as: credential) }
    let delivery = await ask("/deliveries?state=all")["deliveries"]?.array?.first?["id"]?.string ?? ""
    return Answers(
      entries: await ask("/users/alice/balances/coin/entries"), order: await ask("/orders/" + order),
      others: [
        await ask("/users/alice"), await ask("/orders"), await ask("/payments/appStore/simulated/1001"),
        await ask("/deliveries?state=all"), await ask("/deliveries/" + delivery),
      ])
  }

  @Test func `is in no answer to a viewer: reasons and ids of bookings, notes, metadata, bodies`() async throws {
    let (front, order) = try await fixture()
    let answers = try await read(front, order, as: .viewer)
    for word in Self.words { #expect(!answers.texts.contains(word), "\(word)") }
    let debit = try #require(answers.entries["entries"]?.array?.first)
    #expect(debit["amount"]?.integer == -60 && debit["kind"]?.string == "debit")
    #expect(debit["reason"]?.string == "***" && debit["bookingId"]?.string == "***" && debit["metadata"] == nil)
    #expect(answers.order["journal"]?.array?.isEmpty == false)
    #expect(answers.order["journal"]?.array?.contains { $0["details"] != nil } == false)
    #expect(answers.order["order"]?["metadata"] == nil)
  }

  @Test func `is shown to every other role, and to the app's backend`() async throws {
    let (front, order) = try await fixture()
    for role in OperatorRole.allCases where role != .viewer {
      let answers = try await read(front, order, as: role)
      for word in Self.words { #expect(answers.texts.contains(word), "\(word) to \(role)") }
    }
    let own = await front.ask("GET", "/v1/users/alice/balances/coin/entries", as: front.keys.secret)
    #expect(own["entries"]?.array?.first?["reason"]?.string == "a-gift-for-her")
  }
}
