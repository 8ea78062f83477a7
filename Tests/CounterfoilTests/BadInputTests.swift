import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

/// One call of the client with input that it must not accept.
private struct BadCall: Sendable, CustomTestStringConvertible {
  let name: String
  let code: PurchasingErrorCode
  var user: UserIdentifier? = "anna"
  var configure: @Sendable (inout PurchasingConfiguration) -> Void = { _ in }
  /// What the server answers to an order; nil: as always.
  var fault: ScriptedBackend.Fault?
  var call: @Sendable (Purchasing) async throws -> Void

  var testDescription: String { name }

  /// A purchase with details that the server must judge.
  static func purchase(
    _ name: String, _ code: PurchasingErrorCode, product: ProductIdentifier = "coins60", quantity: Int = 1,
    store: Store? = nil, details: PurchaseDetails = PurchaseDetails(), user: UserIdentifier? = "anna"
  ) -> BadCall {
    BadCall(name: name, code: code, user: user) {
      _ = try await $0.purchase(product, quantity: quantity, store: store, details: details)
    }
  }

  private static func details(_ set: (inout PurchaseDetails) -> Void) -> PurchaseDetails {
    var details = PurchaseDetails()
    set(&details)
    return details
  }

  static let all: [BadCall] = [
    purchase("quantity 0", .quantityNotAllowed, quantity: 0),
    purchase("quantity -1", .quantityNotAllowed, quantity: -1),
    purchase("quantity 11", .quantityNotAllowed, quantity: 11),
    purchase("the largest quantity", .quantityNotAllowed, quantity: .max),
    purchase("an empty product", .requestInvalid, product: ""),
    purchase("a product of 300 bytes", .requestInvalid, product: ProductIdentifier(String(repeating: "x", count: 300))),
    purchase("a product that the server does not know", .serverRefused, product: "swords"),
    purchase("nobody signed in", .notSignedIn, user: nil),
    purchase("a scene of 65 bytes", .requestInvalid, details: details { $0.scene = String(repeating: "s", count: 65) }),
    purchase("a reference with a slash", .requestInvalid, details: details { $0.reference = "a/b" }),
    purchase("an empty reference", .requestInvalid, details: details { $0.reference = "" }),
    purchase(
      "metadata of 3 kB", .requestInvalid,
      details: details { $0.metadata = .members([("m", .string(String(repeating: "m", count: 3000)))]) }),
    purchase("metadata that is no object", .requestInvalid, details: details { $0.metadata = .string("m") }),
    purchase(
      "an offer that the server does not sign", .offerNotAllowed, details: details { $0.promotionalOffer = "none" }),
    purchase("an offer without a name", .requestInvalid, details: details { $0.promotionalOffer = "" }),
    BadCall(
      name: "a user token with a line break", code: .userTokenUnavailable,
      configure: { $0.userToken = { _ in "token\r\nX-Evil: 1" } }, call: { _ = try await $0.purchase("coins60") }),
    BadCall(
      name: "no user token", code: .userTokenUnavailable,
      configure: { $0.userToken = { _ in throw CancellationError() } },
      call: { _ = try await $0.catalog() }),
    BadCall(name: "entitlements of nobody", code: .notSignedIn, user: nil) { _ = try await $0.entitlements() },
    BadCall(name: "kept entitlements of nobody", code: .notSignedIn, user: nil) {
      _ = try await $0.entitlements(maximumAge: .days(1))
    },
    BadCall(name: "balances of nobody", code: .notSignedIn, user: nil) { _ = try await $0.balances() },
    BadCall(name: "a catalog for nobody", code: .notSignedIn, user: nil) { _ = try await $0.catalog() },
    BadCall(name: "purchases of nobody", code: .notSignedIn, user: nil) { _ = try await $0.purchases() },
    BadCall(name: "a restore for nobody", code: .notSignedIn, user: nil) { _ = try await $0.restorePurchases() },
  ]
}

@Suite struct `Bad input` {
  @Test(arguments: BadCall.all)
  fileprivate func `is a clear error in both languages, and loses nothing`(_ bad: BadCall) throws {
    let world = ClientWorld()
    // A charge that waits in the queue must survive every wrong call.
    world.server.always("submit", .requestLost)
    world.store.chargeOutside("com.example.coins300")
    world.configure = bad.configure
    world.launch(as: bad.user)
    world.goOn(for: .seconds(1))
    let call = bad.call
    let error = try #require(
      world.ask { purchasing -> PurchasingError? in
        do { try await call(purchasing) } catch { return error as? PurchasingError }
        return nil
      } ?? nil)
    #expect(error.code == bad.code, "\(error)")
    for language in Language.allCases {
      let words = error.message(language)
      #expect(words.count > 8 && words == CustomerMessages.ours(.error(error.code))[language])
    }
    #expect(error.message(.english) != error.message(.chinese))
    #expect(world.store.sheets.isEmpty && world.store.violations.isEmpty)
    // The same client still works, and the waiting charge is granted.
    world.server.always("submit", nil)
    world.configure = { _ in }
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))
    #expect(tap.outcome != nil && world.faults() == [] && world.store.queue.isEmpty)
  }

  @Test(arguments: [
    "", "http://pay.example.com", "ftp://pay.example.com", "https://", "https://a@pay.example.com",
    "https://pay.example.com/a b", "https://pay.example.com/\u{7}", "pay.example.com", "HTTPS//x",
    "http://localhost.example.com",
  ])
  func `in the server's address is refused before anything begins`(_ server: String) {
    let configuration = PurchasingConfiguration(server: server, app: "shop", userToken: { _ in "t" })
    let remedy =
      "`server` must be an https address, or http on this machine. `allowsLocalNetworkForDebugging` adds 10.x.x.x, "
      + "172.16.x.x to 172.31.x.x, 192.168.x.x, 169.254.x.x and names in `.local`."
    #expect(throws: PurchasingError(.configurationInvalid, remedy)) {
      _ = try Purchasing(
        configuration, queue: AbsentStoreQueue(), vault: FileVault(ScriptedDisk().folder),
        exchange: ScriptedBackend(clock: ManualClock()).exchange, dependencies: ManualClock().dependencies)
    }
  }

  @Test(arguments: ["", String(repeating: "a", count: 65)])
  func `in the app's name is refused before anything begins`(_ app: String) {
    let configuration = PurchasingConfiguration(
      server: "https://pay.example.com", app: AppIdentifier(app), userToken: { _ in "t" })
    #expect(throws: PurchasingError(.configurationInvalid, "`app` must have 1 to 64 bytes.")) {
      _ = try Purchasing(
        configuration, queue: AbsentStoreQueue(), vault: FileVault(ScriptedDisk().folder),
        exchange: ScriptedBackend(clock: ManualClock()).exchange, dependencies: ManualClock().dependencies)
    }
  }

  @Test func `to calls without an error gives an empty or honest answer`() {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    #expect(world.ask { await $0.storeProducts([]) } == .unanswered(nil))
    #expect(world.ask { (try? await $0.purchases(limit: -5)) != nil } == true)
    #expect(world.ask { (try? await $0.purchases(limit: .max)) != nil } == true)
    #expect(world.ask { (try? await $0.entitlements(maximumAge: -.days(1))) != nil } == true)
    let order = OrderIdentifier(high: 0x7000, low: 1 << 63)
    #expect(world.ask { await $0.supportBundle(for: order) == nil } == true)
  }
}
