import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import Foundation
import HTTPMessages
import PaymentPrimitives
import TestDoubles
import Testing

extension ClientWorld {
  fileprivate func snapshot(
    _ maximumAge: TimeSpan, unreachable: TimeSpan? = nil
  ) -> Result<EntitlementSnapshot, PurchasingError>? {
    ask { purchasing in
      do throws(PurchasingError) {
        return .success(try await purchasing.entitlements(maximumAge: maximumAge, unreachableAge: unreachable))
      } catch { return .failure(error) }
    }
  }
}

@Suite struct `A kept answer about entitlements` {
  private static func club(until end: String? = nil) -> Entitlement {
    var club = Entitlement("club", state: .active, store: .appStore, environment: .production)
    club.expiresAt = end.flatMap { Timestamp(iso8601: $0) }
    return club
  }

  /// A world whose user has the entitlement, and where it was read once.
  private func read(_ entitlement: Entitlement = club()) -> ClientWorld {
    let world = ClientWorld()
    world.server.setEntitlements(entitlement, of: "anna")
    world.launch()
    world.goOn(for: .seconds(30))
    #expect((try? world.snapshot(.zero)?.get())?.isKept == false)
    return world
  }

  @Test func `needs no request while it is young enough, and says how old it is`() throws {
    let world = read()
    world.letPass(.minutes(4))
    let young = try #require(try world.snapshot(.minutes(5))?.get())
    #expect(young.isKept && young.age == .minutes(4) && young.givesAccess(to: "club"))
    #expect(world.server.requests("entitlements").count == 1)
    world.letPass(.minutes(2))
    #expect(try world.snapshot(.minutes(5))?.get().isKept == false)
    #expect(world.server.requests("entitlements").count == 2)
  }

  @Test func `serves without a network for as long as the app allows, also after a relaunch`() throws {
    let world = read()
    world.server.always("entitlements", .requestLost)
    world.kill()
    world.clock.pass(.days(2))
    world.launch()
    let old = try #require(try world.snapshot(.minutes(5), unreachable: .days(3))?.get())
    #expect(old.isKept && old.age >= .days(2) && old.givesAccess(to: "club"))
    #expect(world.snapshot(.days(1))?.code == .serverUnreachable)
    world.clock.pass(.days(2))
    #expect(world.snapshot(.minutes(5), unreachable: .days(3))?.code == .serverUnreachable)
  }

  @Test func `gives no access after the end of the entitlement`() throws {
    let world = read(Self.club(until: "2027-01-15T12:00:00Z"))
    world.server.always("entitlements", .requestLost)
    #expect(try world.snapshot(.zero, unreachable: .days(3))?.get().givesAccess(to: "club") == true)
    world.clock.pass(.hours(5))
    let old = try #require(try world.snapshot(.zero, unreachable: .days(3))?.get())
    #expect(!old.givesAccess(to: "club") && old.entitlements.map(\.state) == [.expired])
  }

  @Test func `is not used after the device's clock was set back: its age is unknown`() {
    let world = read()
    world.server.always("entitlements", .requestLost)
    world.kill()
    world.skew = .days(-10)
    world.launch()
    #expect(world.snapshot(.days(400))?.code == .serverUnreachable)
  }

  @Test func `that is too long is not kept, and the vault stays readable`() throws {
    let world = ClientWorld()
    let long = (0..<ContractLimits.rightsMax).map { number in
      var right = Entitlement(
        EntitlementName("\(number)" + String(repeating: "x", count: 240)), state: .active, store: .appStore,
        environment: .production)
      right.renewsTo = ProductIdentifier(String(repeating: "y", count: 250))
      return right
    }
    world.server.setEntitlements(long, of: "anna")
    world.launch()
    world.goOn(for: .seconds(30))
    #expect(try world.snapshot(.zero)?.get().entitlements.count == long.count)
    world.kill()
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(tap.outcome?.messageKey == .outcome(.fulfilled), "a vault with an item that is too long would sell nothing")
  }

  @Test func `is never another user's`() {
    let world = read()
    world.server.always("entitlements", .requestLost)
    world.launch(as: "bert")
    #expect(world.snapshot(.days(3))?.code == .serverUnreachable)
  }

  @Test func `does not replace a refusal of the server`() {
    let world = read()
    world.server.always("entitlements", .answers(ScriptedBackend.problem(404, "app_unknown")))
    #expect(world.snapshot(.zero, unreachable: .days(3))?.code == .serverRefused)
  }

  @Test func `is asked for again after a purchase, however young it is`() throws {
    let world = read()
    let tap = world.tap()
    world.goOn { tap.isDone }
    #expect(try world.snapshot(.hours(1))?.get().isKept == false)
    #expect(try world.snapshot(.hours(1))?.get().isKept == true)
  }

  @Test func `carries the time by the server's clock, if the server states it`() throws {
    let world = ClientWorld()
    let answer = HTTPResponse(
      status: 200, fields: ["Date": "Fri, 15 Jan 2027 09:30:00 GMT"], body: Array(#"{"entitlements":[]}"#.utf8))
    world.server.always("entitlements", .answers(answer))
    world.launch()
    #expect(try world.snapshot(.zero)?.get().statedAt == Timestamp(iso8601: "2027-01-15T09:30:00Z"))
  }

  @Test func `is told to listeners when it changes, and only then`() {
    let world = read()
    guard let purchasing = world.app?.purchasing else { return }
    let heard = SharedValue<[EntitlementSnapshot]>([])
    world.start { for await snapshot in await purchasing.entitlementUpdates() { heard.value.append(snapshot) } }
    world.goOn(for: .minutes(1))
    #expect(heard.value.map(\.isKept) == [true], "the same again is no change")
    var ended = Self.club()
    (ended.state, ended.reason) = (.revoked, .refunded)
    world.server.setEntitlements(ended, of: "anna")
    let tap = world.tap()
    world.goOn { tap.isDone && heard.value.count > 1 }
    #expect(heard.value.last?.entitlements.map(\.state) == [.revoked] && heard.value.last?.isKept == false)
  }

  @Test func `has what was given without a payment beside what was paid, also without a network, until its own end`()
    throws
  {
    let world = ClientWorld()
    var paid = Self.club(until: "2027-01-14T12:00:00Z")
    paid.state = .expired
    var given = Entitlement("club", state: .active, store: nil, environment: .production, source: .promotional)
    given.expiresAt = Timestamp(iso8601: "2027-01-15T12:00:00Z")
    world.server.setEntitlements(given, paid, of: "anna")
    world.launch()
    world.goOn(for: .seconds(30))
    let read = try #require(try world.snapshot(.zero)?.get())
    #expect(read.entitlements == [paid, given] && read.givesAccess(to: "club"))
    world.server.always("entitlements", .requestLost)
    world.kill()
    world.launch()
    let kept = try #require(try world.snapshot(.zero, unreachable: .days(3))?.get())
    #expect(kept.isKept && kept.entitlements == [paid, given] && kept.givesAccess(to: "club"))
    world.clock.pass(.hours(5))
    let later = try #require(try world.snapshot(.zero, unreachable: .days(3))?.get())
    #expect(!later.givesAccess(to: "club") && later.entitlements.map(\.state) == [.expired, .expired])
  }

  @Test func `is read back as it was encoded, with all its values`() throws {
    var club = Self.club(until: "2027-02-01T12:00:00Z")
    (club.willRenew, club.renewsTo, club.reason) = (true, "yearly", .billingError)
    club.gracePeriodExpiresAt = Timestamp(iso8601: "2027-02-17T12:00:00Z")
    let strange = Entitlement("x", state: .init(rawValue: "suspended"), store: .weChatPay, environment: .sandbox)
    let now = try #require(Timestamp(iso8601: "2027-01-15T08:00:00Z"))
    let given = Entitlement("x", state: .active, store: nil, environment: .sandbox, source: .promotional)
    let snapshot = EntitlementSnapshot([club, strange, given], statedAt: now, age: .minutes(3), isKept: true)
    let read = try JSONDecoder().decode(EntitlementSnapshot.self, from: try JSONEncoder().encode(snapshot))
    #expect(read == snapshot)
    var balance = Balance("coins", amount: -7, environment: .sandbox)
    balance.frozenSince = now
    #expect(try JSONDecoder().decode(Balance.self, from: try JSONEncoder().encode(balance)) == balance)
    let wrong = Data(#"{"unit":"c","amount":1,"environment":"moon"}"#.utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Balance.self, from: wrong) }
  }
}

@Suite struct `A user's token` {
  /// A token in the form of a JSON Web Token, which says when it ends. Nobody signed it.
  private static func token(_ name: String, until end: Timestamp, fraction: String = "") -> String {
    let payload = Data(#"{"sub":"\#(name)","exp":\#(end.seconds)\#(fraction)}"#.utf8).base64EncodedString()
    let text = payload.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    return "token-anna#.\(text.replacingOccurrences(of: "=", with: "")).x"
  }

  private func world(
    lasting span: TimeSpan, fraction: String = ""
  ) -> (ClientWorld, SharedValue<[UserTokenRequest]>) {
    let world = ClientWorld()
    let asked = SharedValue<[UserTokenRequest]>([])
    let clock = world.clock
    world.configure = {
      $0.userToken = { request in
        asked.value.append(request)
        return Self.token("anna\(asked.value.count)", until: clock.now + span, fraction: fraction)
      }
    }
    return (world, asked)
  }

  @Test(arguments: ["", ".75"]) func `is kept until shortly before its end`(fraction: String) {
    let (world, asked) = world(lasting: .minutes(30), fraction: fraction)
    world.launch()
    for _ in 0..<5 { _ = world.ask { _ = try? await $0.entitlements() } }
    #expect(asked.value.count == 1)
    world.letPass(.minutes(28))
    _ = world.ask { _ = try? await $0.entitlements() }
    #expect(asked.value.count == 1)
    world.letPass(.minutes(2))
    _ = world.ask { _ = try? await $0.entitlements() }
    #expect(asked.value.count == 2)
  }

  @Test func `is fetched anew once the server refuses it`() {
    let (world, asked) = world(lasting: .minutes(30))
    world.launch()
    _ = world.ask { _ = try? await $0.entitlements() }
    world.server.refuseToken(Self.token("anna1", until: world.clock.now + .minutes(30)))
    #expect(world.ask { (try? await $0.entitlements()) != nil } == true)
    #expect(asked.value.map(\.wasRefused) == [false, true])
    _ = world.ask { _ = try? await $0.entitlements() }
    #expect(asked.value.count == 2)
  }

  @Test(arguments: ["token-anna", "token-anna#.%%%.x", "token-anna#.e30.x", "token-anna#.bm8.x"])
  func `of another form is fetched before each request`(_ token: String) {
    let world = ClientWorld()
    let asked = SharedValue<Int>(0)
    world.configure = {
      $0.userToken = { _ in
        asked.value += 1
        return token
      }
    }
    world.launch()
    for _ in 0..<3 { _ = world.ask { _ = try? await $0.entitlements() } }
    #expect(asked.value == 3)
  }

  @Test func `is forgotten when nobody is signed in, and never kept for more than an hour`() {
    let (world, asked) = world(lasting: .days(400))
    world.launch()
    _ = world.ask { _ = try? await $0.entitlements() }
    world.letPass(.minutes(61))
    _ = world.ask { _ = try? await $0.entitlements() }
    #expect(asked.value.count == 2)
    _ = world.ask { await $0.setUser(nil) }
    _ = world.ask { await $0.setUser("anna") }
    _ = world.ask { _ = try? await $0.entitlements() }
    #expect(asked.value.count == 3)
  }
}

extension Result where Failure == PurchasingError {
  fileprivate var code: PurchasingErrorCode? {
    guard case .failure(let error) = self else { return nil }
    return error.code
  }
}
