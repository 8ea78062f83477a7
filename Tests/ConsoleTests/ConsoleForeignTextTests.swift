import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// What comes from outside and stands in a page.
@Suite struct `A foreign text in the console` {
  private static let attacks = [
    "<script>alert(1)</script>", "<SCRIPT SRC=//evil.test/x.js></SCRIPT>", "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "<iframe src=javascript:alert(1)>",
    "<body onload=alert(1)>", "<input autofocus onfocus=alert(1)>", "<details open ontoggle=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>", "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "\"><script>alert(1)</script>", "'><script>alert(1)</script>", "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "` onmouseover=alert(1) `", "--><script>alert(1)</script><!--", "]]><script>alert(1)</script>",
    "</title><script>alert(1)</script>", "</textarea><script>alert(1)</script>", "</pre><script>alert(1)</script>",
    "</style><script>alert(1)</script>", "</script><script>alert(1)</script>",
    "<!--<img src=\"--><img src=x onerror=alert(1)>",
    "<math><mi xlink:href=\"javascript:alert(1)\">x</mi></math>", "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>", "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>", "<meta http-equiv=refresh content=0;url=//evil.test>",
    "<base href=//evil.test/>", "<link rel=stylesheet href=//evil.test/x.css>",
    "<style>@import '//evil.test/x.css'</style>",
    "<div style=\"background:url(javascript:alert(1))\">x</div>", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;", "%3Cscript%3Ealert(1)%3C/script%3E", "＜script＞alert(1)＜/script＞",
    "\u{202E}<script>alert(1)</script>", "java\tscript:alert(1)//<img\u{0B}src=x onerror=alert(1)>",
  ]

  /// The elements and attributes that the console's own pages have.
  private static let tags: Set<String> = [
    "a", "b", "bdi", "body", "button", "code", "dd", "details", "dialog", "div", "dl", "dt", "footer", "form", "h1",
    "h2", "h3", "head", "header", "html", "i", "input", "kbd", "label", "li", "link", "main", "meta", "nav", "ol",
    "option", "p", "path", "pre", "q", "rect", "script", "section", "select", "small", "span", "summary", "svg",
    "circle", "table", "tbody", "td", "textarea", "th", "thead", "time", "title", "tr", "ul", "caption",
  ]

  /// What is not as the console writes it: an element that it does not have, a script with content, an attribute that
  /// runs, or an address elsewhere.
  private func wrong(in page: String) -> [String] {
    var wrong: [String] = []
    var rest = page.dropFirst("<!doctype html>\n".count)
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else { return wrong + ["a tag without an end"] }
      let tag = rest[rest.index(after: start)..<end]
      let name = String(tag.drop { $0 == "/" }.prefix { $0 != " " && $0 != "\n" })
      if !Self.tags.contains(name) { wrong.append("<\(tag)>") }
      // Quotes within a value are references, so what stands outside of them are names.
      let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
      let names = parts.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
      for attribute in [" on", " style=", " srcdoc=", " formaction="] where names.contains(attribute) {
        wrong.append("<\(tag)>")
      }
      for (place, value) in parts.enumerated() where place % 2 == 1 {
        guard [" href=", " src=", " action="].contains(where: { parts[place - 1].hasSuffix($0) }) else { continue }
        if !(value.hasPrefix("/") && !value.hasPrefix("//")) && !value.hasPrefix("#") { wrong.append("<\(tag)>") }
      }
      rest = rest[rest.index(after: end)...]
      if name == "script", tag.first != "/", !rest.hasPrefix("</script>") { wrong.append("a script with content") }
    }
    return wrong
  }

  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "`": "&#96;"
      case "\u{0B}": "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }

  @Test func `is recognised by this suite when it is not text`() {
    let head = "<!doctype html>\n"
    for bad in [
      "<script>alert(1)</script>", "<img src=\"/x\">", "<p onclick=\"x\">", "<a href=\"//evil.test\">",
      "<a href=\"javascript:x\">", "<p style=\"x\">", "<form action=\"https://evil.test\">",
    ] {
      #expect(!wrong(in: head + bad).isEmpty, "\(bad)")
    }
    #expect(wrong(in: head + "<p class=\"a\">x &lt;script&gt;</p><script src=\"/a\" defer></script>").isEmpty)
  }

  @Test(arguments: attacks)
  func `is shown as text, whatever it is and wherever it stands`(attack: String) async throws {
    let fixture = try ConsoleFixture(approvals: ApprovalRules(refundMinorUnits: 20_000))
    let user = UserIdentifier(attack)
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    (request.reference, request.scene) = (String(attack.prefix(64)), String(attack.prefix(32)))
    request.metadata = "{\"note\":\"x\"}"
    let made = try await fixture.shop.engine.createOrder(
      request, for: fixture.shop.app, by: .backend("cfs_tests"))
    let order = made.order.order.key.id
    _ = try await fixture.shop.submit(fixture.shop.transaction("1001", token: order), by: user, orders: [order])
    _ = try await fixture.shop.submit(fixture.shop.transaction("77"), by: nil)
    let delivery = try await fixture.delivery(of: order)
    try await fixture.shop.engine.transact { transaction in
      var attempt = DeliveryAttempt(
        delivery, of: EngineFixture.key("1001"), number: 1, at: transaction.now, endpoint: "backend", milliseconds: 3)
      attempt.problem = attack
      attempt.answer = Array(attack.utf8)
      try transaction.insert(attempt)
    }
    // An operator's own words: a reason, and what another one asks for.
    let asker = try await fixture.browser(as: .operator, in: "*")
    let target = "/console/app/shop/payments/appStore/simulated/77/set-aside"
    let token = ("token", try #require(await asker.get("/console/me").hidden("token")))
    let press = ("press", String(repeating: "0", count: 32))
    #expect(await asker.post(target, [token, press, ("reason", attack)]).status == 303)

    let browser = try await fixture.browser(in: "*")
    let base = "/console/app/shop"
    let named = RequestTarget.encode(attack)
    let paths = [
      "/orders", "/orders/\(order)", "/users/\(named)?environment=simulated", "/payments",
      "/payments/appStore/simulated/1001", "/deliveries/\(delivery)", "/approvals", "/needs-attention",
      "/search?q=\(RequestTarget.encode(String(attack.prefix(64))))", "", "/orders?store=\(named)&after=\(named)",
    ]
    var shown = 0
    for path in paths.map({ base + $0 }) + ["/console/audit-log", "/console/prove?to=\(named)"] {
      let answer = await browser.get(path)
      #expect([200, 303].contains(answer.status), "\(path)")
      guard answer.status == 200 else { continue }
      #expect(wrong(in: answer.page).isEmpty, "\(path): \(wrong(in: answer.page))")
      if answer.page.contains(escaped(attack)) { shown += 1 }
    }
    #expect(shown >= 6, "The text stands in \(shown) pages.")
  }
}
