import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The role of an operator key` {
  /// Who may make each call. It stands here a second time, so that a change of the server's table is noticed.
  private static let allowed: [String: Set<OperatorRole>] = {
    let everyone = Set(OperatorRole.allCases)
    let helpers: Set<OperatorRole> = [.support, .operator, .admin]
    let money: Set<OperatorRole> = [.finance, .admin]
    let operators: Set<OperatorRole> = [.operator, .admin]
    let groups: [(Set<OperatorRole>, [String])] = [
      (
        everyone,
        [
          "Search", "TellOrder", "TellPayment", "TellUser", "ListDeliveriesByOperator", "ReadDelivery",
          "ReadNotification", "OperatorQueue", "ListRefunds", "ReadRefundRatioByOperator", "ReadEntriesByOperator",
          "ReadMetrics",
          "ListOrdersByOperator", "ListPayments", "ListRefundsOfApp", "ListSubscriptions", "TellSubscription",
          "ListReconciliations", "ReadReconciliation", "ListConsumptionRequests", "ReadDiagnostics",
          "TellMassExtension", "ListEvents", "ReadRevenueReport", "ListComplaints", "TellComplaint",
          "ListNotifications",
        ]
      ),
      (
        helpers,
        [
          "LookUpOrder", "ClaimUnclaimedPayment", "RetryPayment", "RedriveDelivery", "AnswerComplaint",
          "CompleteComplaint", "AssignItem",
        ]
      ),
      (money, ["RefundOrderByOperator", "RefundPayment", "RedirectRefund", "WriteOffDebt", "Reconcile"]),
      (
        operators,
        [
          "RetryStoppedChanges", "SetAsidePayment", "ReleasePayment", "DecideDisputedRefund", "AuditInvariants",
          "ExtendSubscription",
        ]
      ),
      ([.admin], ["ExtendAllSubscribers", "EraseUserByOperator", "ListKeys", "CreateKey", "RevokeKey"]),
    ]
    return Dictionary(uniqueKeysWithValues: groups.flatMap { roles, names in names.map { ($0, roles) } })
  }()

  private func key(_ role: OperatorRole?, _ front: ServerFixture, expiresAt: Timestamp? = nil) async throws -> String {
    try await front.engine.createKey(.operator, for: "shop", label: "tests", role: role, expiresAt: expiresAt).text
  }

  @Test func `is refused each call that is not its own, and every other call is answered`() async throws {
    let front = try await ServerFixture.open()
    let operations = try await Document.served(by: front.server).operations.filter {
      $0.credentials.contains("operator")
    }
    let names = operations.compactMap { $0.json["operationId"]?.string }
    #expect(Set(names) == Set(Self.allowed.keys) && names.count == operations.count)
    for role in OperatorRole.allCases {
      let credential = try await key(role, front)
      for operation in operations {
        let name = operation.json["operationId"]?.string ?? ""
        let answer = await front.ask(
          operation.method, operation.path(), as: credential, json: operation.body == nil ? nil : .object([]))
        let place = "\(name) as \(role): \(answer.status) \(answer.code ?? "")"
        if Self.allowed[name]?.contains(role) == true {
          #expect(![401, 403, 500].contains(answer.status), "\(place)")
        } else {
          #expect(answer.status == 403 && answer.code == "role_not_allowed", "\(place)")
        }
        let documented = operation.json["x-operator-roles"]?.array?.compactMap { $0.string.flatMap(OperatorRole.init) }
        #expect(Set(documented ?? []) == Self.allowed[name], "\(name)")
      }
    }
  }

  @Test func `is named in the refusal, with the roles that may, and changes nothing`() async throws {
    let front = try await ServerFixture.open()
    await front.submit(TestAppStoreSigner().transaction("1001"), as: front.keys.publishable)
    let viewer = try await key(.viewer, front)
    let answer = await front.ask(
      "POST", "/v1/operator/payments/1001/claim", as: viewer,
      json: .members([("userId", "alice"), ("reason", "tests")]))
    #expect(answer.status == 403 && answer.code == "role_not_allowed")
    #expect(answer["detail"]?.string == "The key's role is viewer. Allowed: support, operator, admin.")
    #expect(answer["remedy"]?.string?.contains("--role") == true)
    #expect(await front.coins() == 0)
    let support = try await key(.support, front)
    let claimed = await front.ask(
      "POST", "/v1/operator/payments/1001/claim", as: support,
      json: .members([("userId", "alice"), ("reason", "tests")]))
    #expect(claimed.status == 200)
    #expect(await front.coins() == 100)
  }

  @Test func `is refused with 401 once it has expired, also if it was used a moment before`() async throws {
    let front = try await ServerFixture.open()
    let credential = try await key(.admin, front, expiresAt: front.now() + .seconds(2))
    #expect(await front.ask("GET", "/v1/operator/keys", as: credential).status == 200)
    front.clock.advance(by: .seconds(2))
    let expired = await front.ask("GET", "/v1/operator/keys", as: credential)
    #expect(expired.status == 401 && expired.code == "key_expired")
    #expect(expired.fields["WWW-Authenticate"] == "Bearer error=\"invalid_token\"")
  }

  @Test func `is chosen when a key is made; no other kind has one, and no key is made that has expired`() async throws {
    let front = try await ServerFixture.open()
    func make(_ more: [(String, JSONValue?)], kind: JSONValue = "operator") async -> Answer {
      await front.ask(
        "POST", "/v1/operator/keys", as: front.keys.operator,
        json: .members([("kind", kind), ("label", "tests")] + more))
    }
    #expect(await make([("role", "viewer")], kind: "secret").code == "field_invalid")
    #expect(await make([("role", "king")]).code == "field_invalid")
    #expect(await make([("expiresAt", "tomorrow")]).code == "field_invalid")
    #expect(await make([("expiresAt", .string(front.now().iso8601))]).code == "field_invalid")
    let moment = (front.now() + .days(1)).iso8601
    let made = await make([("role", "finance"), ("expiresAt", .string(moment))])
    #expect(made.status == 201 && made["role"]?.string == "finance" && made["expiresAt"]?.string == moment)
  }

  @Test func `of a key from before there were roles is admin`() async throws {
    let front = try await ServerFixture.open()
    let credential = try await key(nil, front)
    #expect(await front.ask("GET", "/v1/operator/keys", as: credential).status == 200)
  }

  @Test func `decides whether the buyer's Apple account is shown`() async throws {
    let front = try await ServerFixture.open()
    let evidence = TestAppStoreSigner().transaction("1001") { $0["appTransactionId"] = "7040" }
    await front.submit(evidence, as: front.token())
    for role in OperatorRole.allCases {
      let story = await front.ask(
        "GET", "/v1/operator/payments/appStore/simulated/1001", as: try await key(role, front))
      let shown = story["signed"]?["appTransactionId"]?.string
      #expect(shown == (role == .viewer ? "***" : "7040"), "\(role)")
      if role == .viewer { #expect(!story.text.contains("7040")) }
    }
  }

  @Test func `is written with its last use at most once an hour, after the call`() async throws {
    let front = try await ServerFixture.open { $0.engine.keyUsePause = .zero }
    let credential = try await key(.viewer, front)
    let id = try #require(APIKeyText.identifier(in: credential))
    func stored() async throws -> Timestamp? { try await front.engine.read { try $0.apiKey(id)?.usedAt } }
    #expect(await front.ask("GET", "/v1/operator/queue", as: credential).status == 200)
    #expect(try await stored() == nil, "a call writes nothing")
    let first = front.now()
    try await front.engine.writeKeyUses()
    #expect(try await stored() == first)
    front.clock.advance(by: .minutes(59))
    #expect(await front.ask("GET", "/v1/operator/queue", as: credential).status == 200)
    try await front.engine.writeKeyUses()
    #expect(try await stored() == first)
    front.clock.advance(by: .minutes(1))
    #expect(await front.ask("GET", "/v1/operator/queue", as: credential).status == 200)
    try await front.engine.writeKeyUses()
    #expect(try await stored() == first + .hours(1))
  }
}
