import Console
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// Every route of the console against every role, app and kind of key. A route that is not in this table fails.
@Suite struct `Every route of the console` {
  private enum Who: Hashable {
    case anybody, account
    /// Roles in the app of the path.
    case roles(Set<OperatorRole>)
    /// Roles in any app.
    case anywhere(Set<OperatorRole>)
    /// Roles in every app, which nobody here has.
    case installation(Set<OperatorRole>)
  }

  /// Who may call what. It stands here a second time, so that a change of the console's table is noticed.
  private static let table: [String: Who] = {
    let everyone = Who.roles(Set(OperatorRole.allCases))
    let helpers = Who.roles([.support, .operator, .admin])
    let operators = Who.roles([.operator, .admin])
    let money = Who.roles([.finance, .admin])
    let payment = "POST app/{app}/payments/{store}/{environment}/{transaction}/"
    let complaint = "POST app/{app}/complaints/{complaint}/"
    let order = "POST app/{app}/orders/{environment}/{order}/"
    let user = "POST app/{app}/users/{environment}/{user}/"
    let rows: [(Who, [String])] = [
      (
        .anybody,
        [
          "GET assets/{name}", "GET enter", "POST enter", "POST enter/passkey", "POST enter/provider",
          "GET enter/factor", "POST enter/factor", "POST language",
        ]
      ),
      (
        .account,
        [
          "GET ", "POST leave", "GET prove", "POST prove", "GET me", "POST me/end-sessions", "POST me/passkeys",
          "POST me/passkeys/{credential}/remove",
        ]
      ),
      (.anywhere([.operator, .admin]), ["GET audit-log"]), (.installation([.admin]), ["GET accounts"]),
      (
        everyone,
        [
          "GET app/{app}", "GET app/{app}/search", "GET app/{app}/needs-attention", "GET app/{app}/orders",
          "GET app/{app}/orders/{order}", "GET app/{app}/payments",
          "GET app/{app}/payments/{store}/{environment}/{transaction}", "GET app/{app}/users/{user}",
          "GET app/{app}/refunds", "GET app/{app}/subscriptions", "GET app/{app}/subscriptions/{original}",
          "GET app/{app}/bills", "GET app/{app}/reports", "GET app/{app}/extensions", "GET app/{app}/reconciliation",
          "GET app/{app}/reconciliation/{store}/{day}",
          "GET app/{app}/consumption-requests", "GET app/{app}/deliveries", "GET app/{app}/deliveries/{delivery}",
          "GET app/{app}/approvals", "GET app/{app}/complaints", "GET app/{app}/complaints/{complaint}",
          "GET app/{app}/endpoints", "GET app/{app}/notifications", "GET app/{app}/notifications/{notification}",
          "GET app/{app}/products", "GET app/{app}/users", "GET app/{app}/users/{user}/balances/{unit}",
          "GET app/{app}/health",
          // The action behind it decides: `ApprovalTests`.
          "POST app/{app}/approvals/{approval}/approve", "POST app/{app}/approvals/{approval}/refuse",
        ]
      ),
      (
        helpers,
        [
          "POST app/{app}/deliveries/{delivery}/redrive", payment + "claim", payment + "retry", order + "close",
          order + "ask-store", order + "note", payment + "add-note", complaint + "answer", complaint + "complete",
          user + "give-entitlement", user + "promotional-entitlements/{promotional}/revoke",
          "POST app/{app}/needs-attention/{environment}/{item}/assign",
          "POST app/{app}/order-numbers/{number}/ask-apple",
        ]
      ),
      (
        operators,
        [
          payment + "release", payment + "set-aside", payment + "decide-refund",
          "POST app/{app}/needs-attention/retry-all", "POST app/{app}/deliveries/{environment}/redrive-all",
          "POST app/{app}/endpoints/{endpoint}/pause", "POST app/{app}/endpoints/{endpoint}/resume",
          "POST app/{app}/notifications/{environment}/{notification}/work-again",
          "POST app/{app}/subscriptions/{environment}/{original}/extend",
        ]
      ),
      (
        .roles([.admin]),
        [
          "POST app/{app}/app-store-products/{product}/extend-all", "POST app/{app}/users/{environment}/{user}/erase",
        ]
      ),
      (money, ["GET app/{app}/orders.csv", "GET app/{app}/payments.csv", "GET app/{app}/refunds.csv"]),
      (money, ["GET app/{app}/reports/revenue.csv"]),
      (money, [complaint + "approve-refund", complaint + "refuse-refund"]),
      (
        Who.roles([.support, .finance, .operator, .admin]),
        ["GET app/{app}/complaints/{complaint}/pictures/{picture}"]
      ),
      (
        money,
        [
          payment + "refund", "POST app/{app}/reconciliation/compare", "POST app/{app}/refunds/{number}/redirect",
          user + "{unit}/write-off", user + "merge", user + "{unit}/credit", user + "set-limit",
          user + "spending-limits/{currency}/lift-limit",
        ]
      ),
    ]
    return Dictionary(uniqueKeysWithValues: rows.flatMap { who, names in names.map { ($0, who) } })
  }()

  private static func name(_ route: ConsoleRoute) -> String { "\(route.method) \(route.path)" }

  private func target(_ route: ConsoleRoute, app: String, _ names: [String: String]) -> String {
    var path = "/console/" + route.path
    let values = names.merging(["app": app]) { $1 }
    for (name, value) in values {
      path = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
        part == "{\(name)}" ? value : String(part)
      }.joined(separator: "/")
    }
    return path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  private func fixture() async throws -> (fixture: ConsoleFixture, names: [String: String]) {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let order = try await fixture.paidOrder()
    return (
      fixture,
      [
        "order": order.description, "delivery": try await fixture.delivery(of: order).text, "store": "appStore",
        "environment": "simulated", "transaction": "1001", "user": "alice", "unit": "coin", "approval": "missing",
        "credential": "missing", "name": "missing", "original": "1001", "day": "2026-03-01",
        "product": "com.example.monthly", "number": "missing", "complaint": "missing", "picture": "0",
        "endpoint": "missing", "notification": "missing",
        "promotional": "missing", "currency": "CNY", "item": "missing",
      ]
    )
  }

  @Test func `stands in this table, with who may call it`() {
    #expect(Set(ConsoleRoutes.all.map(Self.name)) == Set(Self.table.keys))
    #expect(ConsoleRoutes.all.count == Self.table.count)
  }

  @Test func `is closed to who has not signed in, also with any key of the API`() async throws {
    let (fixture, names) = try await fixture()
    var credentials: [String?] = [nil, "Bearer x"]
    for kind in APIKey.Kind.allCases {
      credentials.append("Bearer " + (try await fixture.shop.engine.createKey(kind, for: "shop", label: "tests").text))
    }
    for route in ConsoleRoutes.all where Self.table[Self.name(route)] != .anybody {
      for credential in credentials {
        var browser = Browser(fixture: fixture)
        browser.authorization = credential
        let target = target(route, app: "shop", names)
        if route.method == "GET" {
          #expect(await browser.get(target).location == "/console/enter", "\(target)")
        } else {
          #expect(await browser.post(target, [("reason", "tests")]).status == 403, "\(target)")
        }
      }
    }
  }

  @Test(arguments: OperatorRole.allCases)
  func `answers exactly the roles of this table, in their own app, and each refusal is an entry`(
    role: OperatorRole
  ) async throws {
    let (fixture, names) = try await fixture()
    let browser = try await fixture.browser(as: role)
    let token = ("token", try #require(await browser.get("/console/me").hidden("token")))
    for (place, route) in ConsoleRoutes.all.enumerated() where route.path != "leave" && route.path != "me/end-sessions"
    {
      let name = Self.name(route)
      let isAllowed =
        switch Self.table[name] {
        case .roles(let roles), .anywhere(let roles): roles.contains(role)
        case .anybody, .account: true
        case .installation, nil: false
        }
      for app in ["shop", "other", "missing"] {
        let target = target(route, app: app, names)
        let before = try await fixture.entries().count
        let press = "\(place)-\(app)-"
        let answer =
          route.method == "GET"
          ? await browser.get(target)
          : await browser.post(
            target,
            [
              token, ("press", press + String(repeating: "0", count: 32 - press.utf8.count)), ("reason", "tests"),
              ("user", "alice"), ("digest", "0"), ("to", "/console"), ("language", "en"),
            ])
        let refused = try await fixture.entries().dropFirst(before).filter { $0.action == "access.refused" }
        let words = "\(name) in \(app) as \(role): \(answer.status)"
        #expect(answer.status != 500, "\(words)")
        if case .roles? = Self.table[name], app != "shop" {
          #expect(answer.status == 404 && refused.isEmpty, "\(words)")
        } else if !isAllowed {
          #expect(answer.status == 403 && refused.count == 1, "\(words)")
        } else {
          #expect(refused.isEmpty, "\(words)")
          let isThere =
            !route.path.contains("/{original}") && !route.path.contains("/{day}")
            && !route.path.contains("/{complaint}") && !route.path.contains("/{notification}")
          if route.method == "GET", route.path.hasPrefix("app/"), isThere { #expect(answer.status == 200, "\(words)") }
        }
      }
    }
  }

  @Test func `shows nothing of another app under the ids of that app`() async throws {
    let (fixture, names) = try await fixture()
    let stranger = try await fixture.browser(as: .admin, in: "other")
    for route in ConsoleRoutes.all where route.method == "GET" && route.path.hasPrefix("app/") {
      let answer = await stranger.get(target(route, app: "other", names))
      #expect([200, 404].contains(answer.status), "\(route.path)")
      for id in [names["order"], names["delivery"]] where !route.path.contains("{") || answer.status == 200 {
        #expect(!answer.page.contains(id ?? "?"), "\(route.path)")
      }
    }
    #expect(
      await stranger.get("/console/app/other/users/alice?environment=simulated").page.contains(names["order"] ?? "?")
        == false)
  }

  @Test func `changes nothing without the session's own form, from its own origin`() async throws {
    let (fixture, names) = try await fixture()
    let browser = try await fixture.browser()
    let foreign = try await fixture.browser(as: .operator)
    let token = try #require(await browser.get("/console/me").hidden("token"))
    let others = try #require(await foreign.get("/console/me").hidden("token"))
    for route in ConsoleRoutes.all where route.method == "POST" && Self.table[Self.name(route)] != .anybody {
      let target = target(route, app: "shop", names)
      let rest = [("press", String(repeating: "0", count: 32)), ("reason", "tests"), ("user", "alice")]
      for wrong in [[], [("token", others)], [("token", "")], [("token", token + "A")]] {
        #expect(await browser.post(target, wrong + rest).status == 403, "\(target) \(wrong)")
      }
      for (origin, site) in [
        (nil, nil), ("null", nil), ("https://evil.test", "same-origin"),
        (ConsoleFixture.origin, "cross-site"), (ConsoleFixture.origin, "same-site"),
      ] as [(String?, String?)] {
        var elsewhere = browser
        (elsewhere.origin, elsewhere.site) = (origin, site)
        #expect(await elsewhere.post(target, [("token", token)] + rest).status == 403, "\(target)")
      }
      // The page of the same path only shows the form.
      if route.path != "prove" { #expect(await browser.get(target).status == 405, "\(target)") }
    }
    #expect(try await fixture.entries().allSatisfy { $0.outcome == .refused && $0.action == "form.refused" })
    #expect(await browser.get("/console/app/shop").status == 200)
  }
}
