import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

extension ClientWorld {
  fileprivate func entitlements() -> Result<[Entitlement], PurchasingError>? {
    ask { purchasing in
      do throws(PurchasingError) { return .success(try await purchasing.entitlements()) } catch {
        return .failure(error)
      }
    }
  }

  fileprivate func balances() -> Result<[Balance], PurchasingError>? {
    ask { purchasing in
      do throws(PurchasingError) { return .success(try await purchasing.balances()) } catch { return .failure(error) }
    }
  }
}

extension Result {
  fileprivate var error: Failure? {
    guard case .failure(let error) = self else { return nil }
    return error
  }
  fileprivate var value: Success? { try? get() }
}

@Suite struct `What a user has` {
  private static let club: Entitlement = {
    var club = Entitlement("club", state: .gracePeriod, store: .appStore, environment: .production)
    club.expiresAt = Timestamp(iso8601: "2027-02-01T12:00:00Z")
    club.willRenew = true
    club.renewsTo = "yearly"
    club.gracePeriodExpiresAt = Timestamp(iso8601: "2027-02-17T12:00:00Z")
    club.reason = .billingError
    return club
  }()

  @Test func `is not requested while no user is signed in`() {
    let world = ClientWorld()
    world.launch(as: nil)
    #expect(world.entitlements()?.error?.code == .notSignedIn)
    #expect(world.balances()?.error?.code == .notSignedIn)
    #expect(world.server.requests("entitlements").isEmpty && world.server.requests("balances").isEmpty)
  }

  @Test func `is not requested by a client that does not run`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    world.goOn(for: .zero)
    world.start { await purchasing.stop() }
    world.goOn(for: .zero)
    #expect(world.entitlements()?.error?.code == .notRunning)
    #expect(world.server.requests("entitlements").isEmpty)
  }

  @Test(arguments: [
    ScriptedBackend.Fault.requestLost, .answerLost, .answers(ScriptedBackend.problem(503, "overloaded")),
    .answers(HTTPResponse(status: 200, body: Array("<html>Log in to this network</html>".utf8))),
    .answers(HTTPResponse(status: 404, body: Array("not found".utf8))),
    .answers(HTTPResponse(status: 200, json: .object([]))),
    .answers(HTTPResponse(status: 200, json: .members([("entitlements", .array([.object([])]))]))),
  ])
  func `is unknown if the server is unreachable: neither empty nor the previous answer`(_ fault: ScriptedBackend.Fault)
  {
    let world = ClientWorld()
    world.server.setEntitlements(Self.club, of: "anna")
    world.launch()
    #expect(world.entitlements()?.value?.count == 1)
    #expect(world.balances()?.value == [])
    for route in ["entitlements", "balances"] { world.server.always(route, fault) }
    #expect(world.entitlements()?.error?.code == .serverUnreachable)
    #expect(world.balances()?.error?.code == .serverUnreachable)
    for route in ["entitlements", "balances"] { world.server.always(route, nil) }
    #expect(world.entitlements()?.value?.count == 1)
  }

  @Test func `is not available without a token that the server accepts`() {
    let world = ClientWorld()
    world.server.refuseToken("token-anna")
    world.server.refuseToken("token-anna#2")
    world.launch()
    #expect(world.entitlements()?.error?.code == .userTokenUnavailable)
    #expect(world.entitlements()?.error?.serverCode == "token_refused")
  }

  @Test func `is refused with the server's own error code`() {
    let world = ClientWorld()
    world.server.always("balances", .answers(ScriptedBackend.problem(404, "app_unknown")))
    world.launch()
    #expect(world.balances()?.error?.code == .serverRefused)
    #expect(world.balances()?.error?.serverCode == "app_unknown")
  }

  @Test func `is not shown to the next user when the answer comes late (S7)`() {
    let world = ClientWorld()
    world.server.setEntitlements(Self.club, of: "anna")
    world.server.fault("entitlements", .requestLost)
    world.launch()
    world.goOn(for: .seconds(1))
    let answer = SharedValue<Result<[Entitlement], PurchasingError>?>(nil)
    guard let purchasing = world.app?.purchasing else { return }
    world.start {
      do throws(PurchasingError) { answer.value = .success(try await purchasing.entitlements()) } catch {
        answer.value = .failure(error)
      }
    }
    world.goOn(for: .zero)
    world.start { await purchasing.setUser("bert") }
    world.goOn { answer.value != nil }
    #expect(answer.value?.error?.code == .userDiffers)
    #expect(world.entitlements()?.value == [])
  }

  @Test func `is their entitlement as the server computed it, field by field`() throws {
    let world = ClientWorld()
    world.server.setEntitlements(Self.club, of: "anna")
    world.launch()
    let club = try #require(world.entitlements()?.value?.first)
    #expect(club.entitlement == "club" && club.state == .gracePeriod && club.state.givesAccess)
    #expect(club.expiresAt == Timestamp(iso8601: "2027-02-01T12:00:00Z"))
    #expect(club.willRenew == true && club.renewsTo == "yearly" && club.reason == .billingError)
    #expect(club.gracePeriodExpiresAt == Timestamp(iso8601: "2027-02-17T12:00:00Z"))
    #expect(club.store == .appStore && club.environment == .production)
  }

  @Test func `may have a state and a reason that this version does not know: kept, without access`() throws {
    let world = ClientWorld()
    let answer =
      #"{"entitlements":[{"entitlement":"club","state":"suspended","store":"appStore","#
      + #""environment":"production","reason":"chargeback","newMember":{"a":1}}]}"#
    world.server.always("entitlements", .answers(HTTPResponse(status: 200, body: Array(answer.utf8))))
    world.launch()
    let club = try #require(world.entitlements()?.value?.first)
    #expect(club.state == Entitlement.State(rawValue: "suspended") && club.reason?.rawValue == "chargeback")
    #expect(!club.state.givesAccess)
  }

  @Test func `gives access in only two states`() {
    let open = EntitlementBody.State.allCases.map { Entitlement.State(rawValue: $0.rawValue) }.filter(\.givesAccess)
    #expect(open == [.active, .gracePeriod])
  }

  @Test func `is the balance that their purchases gave, separate for each environment`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(quantity: 2)
    world.goOn { tap.isDone }
    #expect(world.balances()?.value == [Balance("coins", amount: 120, environment: .simulated)])
    var frozen = Balance("coins", amount: -7, environment: .sandbox)
    frozen.frozenSince = Timestamp(iso8601: "2027-02-01T12:00:00Z")
    world.server.setBalance(frozen, of: "anna")
    let balances = world.balances()?.value ?? []
    #expect(balances.map(\.amount).sorted() == [-7, 120])
    #expect(balances.first { $0.environment == .sandbox }?.frozenSince == frozen.frozenSince)
  }
}
