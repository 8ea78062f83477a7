import AppStoreIntegration
import AppStoreProtocol
import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import PaymentServer
import ServerConfiguration
import ShopFixtures
import SimulationKit

/// A console over a shop, called as a browser calls it.
struct ConsoleFixture {
  static let origin = "http://localhost:8090"

  let shop: EngineFixture
  let console: Console

  init(isSimulated: Bool = true, approvals: ApprovalRules? = nil, _ change: (inout AppPolicy) -> Void = { _ in }) throws
  {
    let other = AppSettings(
      AppPolicy(id: "other", home: .simulated, catalog: try Catalog(EngineFixture.products)),
      appStore: AppStoreAccess(identity: AppIdentity(bundleId: "com.example.other", appAppleId: 5678)))
    self.init(over: try EngineFixture(change, beside: [other]), isSimulated: isSimulated, approvals: approvals)
  }

  /// A console over a shop that is there already.
  ///
  /// - Parameter requests: what the newest requests to the API concerned.
  init(
    over shop: EngineFixture, isSimulated: Bool = true, approvals: ApprovalRules? = nil,
    requests: RecentRequests = RecentRequests()
  ) {
    self.shop = shop
    console = Console(
      engine: shop.engine,
      settings: ConsoleSettings(
        origin: Self.origin, isSimulated: isSimulated, version: "1.0-test", approvals: approvals),
      requests: requests, dependencies: shop.dependencies, log: { _ in })
  }

  /// A console whose files have at most so many rows.
  init(fileRowsMax: Int) throws {
    shop = try EngineFixture()
    var settings = ConsoleSettings(origin: Self.origin, isSimulated: true, version: "1.0-test", approvals: nil)
    settings.fileRowsMax = fileRowsMax
    console = Console(
      engine: shop.engine, settings: settings, requests: RecentRequests(), dependencies: shop.dependencies,
      log: { _ in })
  }

  /// A console with settings of its own.
  init(over shop: EngineFixture, settings: ConsoleSettings) {
    self.shop = shop
    console = Console(
      engine: shop.engine, settings: settings, requests: RecentRequests(), dependencies: shop.dependencies,
      log: { _ in })
  }

  /// A browser with the session of a new account.
  func browser(as role: OperatorRole = .admin, in app: AppIdentifier = "shop", language: String = "en") async throws
    -> Browser
  {
    let name = OperatorName("\(role.rawValue)-\(app == "*" ? "all" : app.text)")
    _ = try await shop.engine.setRole(role, of: name, in: app, by: "tests")
    let code = try await shop.engine.makeSignInLink(for: name, by: "tests") ?? ""
    var browser = Browser(fixture: self, language: language)
    let answer = await browser.post("/console/enter", [("code", code)])
    browser.cookie = answer.cookie ?? ""
    return browser
  }

  /// The entries of the audit log that accounts left, the oldest first, without signing in.
  func entries() async throws -> [AuditLogEntry] {
    try await shop.engine.auditLog(before: nil, limit: 500).reversed()
      .filter { $0.actorKind == .account && $0.action != "session.signIn" }
  }
}

/// One browser: it keeps a cookie and sends what browsers send.
struct Browser {
  let fixture: ConsoleFixture
  var cookie = ""
  var language = "en"
  var origin: String? = ConsoleFixture.origin
  var site: String? = "same-origin"
  var address = "192.0.2.1"
  /// The browser's name while it signs in.
  var entry = ""
  /// A credential of the API, which the console does not take.
  var authorization: String?
  /// What a proxy adds to each request.
  var fields: [(name: String, value: String)] = []

  init(fixture: ConsoleFixture, language: String = "en") {
    self.fixture = fixture
    self.language = language
  }

  func get(_ target: String) async -> Answer { await send("GET", target, body: nil) }

  func post(_ target: String, _ fields: [(String, String)]) async -> Answer {
    let body = fields.map { RequestTarget.encode($0.0) + "=" + RequestTarget.encode($0.1) }.joined(separator: "&")
    return await send("POST", target, body: body)
  }

  private func send(_ method: String, _ target: String, body: String?) async -> Answer {
    var request = HTTPRequest(method, target, body: Array((body ?? "").utf8))
    request.fields.set("Accept-Language", language)
    let cookies = [("other", "1"), ("__Host-counterfoil", cookie), ("__Host-counterfoil-entry", entry)]
    request.fields.set("Cookie", cookies.filter { !$0.1.isEmpty }.map { $0 + "=" + $1 }.joined(separator: "; "))
    request.fields.set("Authorization", authorization)
    for field in fields { request.fields.add(field.name, field.value) }
    if body != nil {
      request.fields.set("Content-Type", "application/x-www-form-urlencoded")
      request.fields.set("Origin", origin)
      request.fields.set("Sec-Fetch-Site", site)
    }
    return Answer(response: await fixture.console.respond(to: request, from: address))
  }

  struct Answer {
    let response: HTTPResponse

    var status: Int { response.status }
    var page: String { String(decoding: response.body, as: UTF8.self) }
    var location: String { response.fields["Location"] ?? "" }

    /// The session that it sets.
    var cookie: String? { cookie("__Host-counterfoil") }

    func cookie(_ name: String) -> String? {
      response.fields.values("Set-Cookie").first { $0.hasPrefix(name + "=") }
        .map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
    }

    /// The value of the first hidden field of that name.
    func hidden(_ name: String) -> String? {
      page.firstRange(of: "name=\"\(name)\" value=\"").map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    /// The hidden fields of the form with that address.
    func form(_ action: String) -> [(String, String)]? {
      guard let start = page.firstRange(of: "action=\"\(action)\"") else { return nil }
      let form = page[start.upperBound...].prefix(2000)
      return ["token", "press", "talk"].compactMap { name in
        form.firstRange(of: "name=\"\(name)\" value=\"").map { found in
          (name, String(form[found.upperBound...].prefix { $0 != "\"" }))
        }
      }
    }
  }
}

extension ConsoleFixture {
  /// An order that was paid and granted, and whose delivery waits.
  func paidOrder(_ id: String = "1001", of user: UserIdentifier = "alice") async throws -> OrderIdentifier {
    let order = try await shop.order(of: user)
    _ = try await shop.submit(shop.transaction(id, token: order), by: user, orders: [order])
    return order
  }

  func delivery(of order: OrderIdentifier) async throws -> DeliveryIdentifier {
    let story = try await shop.engine.tellOrder(.id(order), in: shop.app.userEnvironments)
    return story.details.deliveries.first?.id ?? ""
  }

  func pagePath(of order: OrderIdentifier) -> String {
    "/console/app/shop/orders/\(order)?environment=simulated"
  }
}
