import Console
import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration

/// A field that somebody outside fills in, its text, and the pages that show it.
private struct PlantedText: Sendable {
  let field: String
  let text: String
  let paths: [String]
}

/// A shop whose every field that others fill in holds one attack, with the field's name before it.
private struct PlantedShop: Sendable {
  static let base = "/console/app/shop"
  private static let here = "environment=simulated"

  let fixture: ConsoleFixture
  private(set) var planted: [PlantedText] = []
  /// Pages that show it within JSON, where quotation marks are written otherwise.
  private(set) var quoting: [String] = []
  private let attack: String
  private let user: UserIdentifier

  init(_ attack: String) async throws {
    self.attack = attack
    user = UserIdentifier("user:" + attack)
    let endpoint = DeliveryEndpoint(
      name: "endpoint:" + attack, url: "https://backend.example/" + attack, environments: [.simulated], secrets: [])
    fixture = try ConsoleFixture { app in
      app.credits = [CreditCeiling(unit: "coin", perUserAndDay: 50)]
      app.endpoints = [endpoint]
    }
    try await plantOrder()
    try await plantPayments()
    try await plantBooking()
    try await plantNotification()
    try await plantComplaint()
    try await plantEndpoint(endpoint)
  }

  private func text(_ field: String, bytes: Int = 255) -> String { ForeignText.cut("\(field):\(attack)", to: bytes) }

  private mutating func plant(_ field: String, _ text: String, on paths: String...) {
    planted.append(PlantedText(field: field, text: text, paths: paths.map { Self.base + $0 }))
  }

  private func path(of user: UserIdentifier) -> String { "/users/" + RequestTarget.encode(user.text) }

  // MARK: what is planted

  private mutating func plantOrder() async throws {
    let shop = fixture.shop
    let metadata = JSONValue.members([("note", .string(text("metadata")))]).text
    var request = OrderRequest(user: user, product: "coins.100", quantity: 1, store: .appStore)
    (request.reference, request.metadata) = (text("reference", bytes: 64), metadata)
    (request.scene, request.platform) = (text("scene", bytes: 32), text("platform", bytes: 32))
    let made = try await shop.engine.createOrder(request, for: shop.app, by: .backend("cfs_tests"))
    let order = made.order.order.key.id
    _ = try await shop.submit(shop.transaction("1001", token: order), by: user, orders: [order])
    try await shop.engine.addNote(text("order note"), on: .order(made.order.order.key), by: text("note by"))
    let delivery = try await fixture.delivery(of: order)
    let attempted = (
      endpoint: text("attempt's endpoint"), problem: text("problem"), answer: Array(text("answer").utf8)
    )
    try await shop.engine.transact { transaction in
      for number in 1...2 {
        var attempt = DeliveryAttempt(
          delivery, of: EngineFixture.key("1001"), number: number, at: transaction.now, endpoint: attempted.endpoint,
          milliseconds: 3)
        if number == 1 { attempt.problem = attempted.problem } else { attempt.answer = attempted.answer }
        try transaction.insert(attempt)
      }
    }
    let page = "/orders/\(order)?\(Self.here)"
    plant("user", user.text, on: page, "/orders", "/users", path(of: user) + "?" + Self.here)
    plant("reference", text("reference", bytes: 64), on: page)
    plant("metadata", metadata, on: page + "&show=personal")
    plant("order note", text("order note"), on: page)
    plant("note by", text("note by"), on: page)
    for field in ["attempt's endpoint", "problem", "answer"] {
      plant(field, text(field), on: "/deliveries/\(delivery)")
    }
    quoting.append(Self.base + "/deliveries/\(delivery)?show=personal")
  }

  private mutating func plantPayments() async throws {
    let shop = fixture.shop
    // A product that nobody configured, as the store names it.
    _ = try await shop.submit(shop.transaction("55", of: text("store's product")), by: user)
    _ = try await shop.submit(shop.transaction("77"), by: nil)
    _ = try await shop.engine.setAside(
      EngineFixture.key("77"), by: text("set aside by"), reason: text("set aside because"))
    try await shop.engine.addNote(text("payment note"), on: .payment(EngineFixture.key("77")), by: "lin")
    let payment = "/payments/appStore/simulated/"
    plant("store's product", text("store's product"), on: payment + "55", "/payments")
    plant("set aside by", text("set aside by"), on: payment + "77")
    plant("set aside because", text("set aside because"), on: payment + "77")
    plant("payment note", text("payment note"), on: payment + "77")
    quoting.append(Self.base + payment + "55?show=personal")
  }

  private mutating func plantBooking() async throws {
    let credit = CreditRequest(
      user: user, unit: "coin", amount: 7, key: text("key"), digest: "d", reason: text("credit because"))
    _ = try await fixture.shop.engine.creditBalance(credit, in: EngineFixture.appEnvironment)
    let page = path(of: user) + "/balances/coin?\(Self.here)&show=personal"
    plant("key", text("key"), on: page)
    plant("credit because", text("credit because"), on: page)
  }

  private mutating func plantNotification() async throws {
    let (id, type, subtype) = (text("notification"), text("type"), text("subtype"))
    try await fixture.shop.engine.transact { transaction in
      try transaction.insert(
        ReceivedNotification(
          appEnvironment: EngineFixture.appEnvironment, id: id, type: type, subtype: subtype,
          signedDate: transaction.now, transaction: "1001", signedPayload: "{}", receivedAt: transaction.now,
          effect: .kept))
    }
    let page = "/notifications/\(RequestTarget.encode(id))?\(Self.here)"
    plant("notification", id, on: page, "/notifications")
    plant("type", type, on: page, "/notifications")
    plant("subtype", subtype, on: page)
  }

  private mutating func plantComplaint() async throws {
    let words = ["complaint", "problem type", "tag", "who", "step", "talk"].map { text($0, bytes: 64) }
    let facts = JSONValue.members([
      ("complaint_id", "200201820200101080076610000"), ("complaint_time", "2026-03-01T12:00:00+08:00"),
      ("complaint_state", "PENDING"), ("complaint_detail", .string(words[0])), ("problem_type", .string(words[1])),
      ("user_tag_list", .array([.string(words[2])])),
    ])
    let step = JSONValue.members([
      ("log_id", "1"), ("operator", .string(words[3])), ("operate_time", "2026-03-01T12:00:00+08:00"),
      ("operate_type", .string(words[4])), ("operate_details", .string(words[5])),
    ])
    let (state, complainer) = (text("complaint's state", bytes: 64), user)
    try await fixture.shop.engine.transact { transaction in
      var complaint = Complaint(
        appEnvironment: EngineFixture.appEnvironment, id: "200201820200101080076610000", openedAt: transaction.now,
        state: state, facts: facts.text, signedDate: transaction.now)
      (complaint.history, complaint.user) = (JSONValue.array([step]).text, complainer)
      try transaction.put(complaint)
    }
    let page = "/complaints/200201820200101080076610000"
    for word in words { plant("complaint", word, on: page) }
    plant("complaint's state", state, on: page, "/complaints?state=all")
  }

  private mutating func plantEndpoint(_ endpoint: DeliveryEndpoint) async throws {
    let (asked, press) = (text("paused because"), String(repeating: "1", count: 32))
    let browser = try await fixture.browser(as: .operator, in: "*")
    let token = try #require(await browser.get("/console/me").hidden("token"))
    let answer = await browser.post(
      Self.base + "/endpoints/\(RequestTarget.encode(endpoint.name))/pause",
      [("token", token), ("press", press), ("reason", asked)])
    #expect(answer.status == 303, "\(answer.status)")
    plant("endpoint", endpoint.name, on: "/endpoints")
    plant("address", endpoint.url, on: "/endpoints")
    plant("paused because", asked, on: "/endpoints")
    _ = try await fixture.shop.engine.setRole(.viewer, of: "somebody", in: "shop", by: text("host"))
    for shown in [asked, endpoint.name, text("host")] {
      planted.append(PlantedText(field: "audit log", text: shown, paths: ["/console/audit-log"]))
    }
  }
}

@Suite struct `A field that somebody outside fills in` {
  @Test(arguments: ForeignText.attacks)
  func `is shown as text on each page that has it`(attack: String) async throws {
    let shop = try await PlantedShop(attack)
    let browser = try await shop.fixture.browser(in: "*")
    var pages: [String: String] = [:]
    for path in Set(shop.planted.flatMap(\.paths) + shop.quoting).sorted() {
      let answer = await browser.get(path)
      #expect(answer.status == 200, "\(path): \(answer.status)")
      #expect(ForeignText.wrong(in: answer.page).isEmpty, "\(path): \(ForeignText.wrong(in: answer.page))")
      pages[path] = answer.page
    }
    for one in shop.planted {
      for path in one.paths {
        #expect(pages[path]?.contains(ForeignText.escaped(one.text)) == true, "\(one.field) is not on \(path)")
      }
    }
  }

  @Test(arguments: ForeignText.attacks)
  func `is shown as text on an operator's own page, where passkeys have names`(attack: String) async throws {
    let fixture = try ConsoleFixture()
    let browser = try await fixture.browser(as: .viewer)
    let label = ForeignText.cut("label:" + attack, to: Passkey.labelBytesMax)
    try await fixture.shop.engine.transact { transaction in
      try transaction.insert(
        Passkey(
          credential: "abc", account: "viewer-shop", publicKey: [4] + Array(repeating: 1, count: 64), label: label,
          createdAt: transaction.now, signCount: 0))
    }
    let page = await browser.get("/console/me").page
    #expect(page.contains(ForeignText.escaped(label)) && ForeignText.wrong(in: page).isEmpty)
  }

  @Test(arguments: ForeignText.attacks)
  func `is shown as text in the list of refunds, with the backend's reason`(attack: String) throws {
    let world = try WeChatConsoleFixture()
    try world.perform { world in
      let payment = try await world.paid()
      // WeChat Pay refuses control characters in a reason, and so does the engine.
      let reason = ForeignText.cut("refund:" + attack.filter { !$0.isNewline && $0 != "\t" && $0 != "\0" }, to: 80)
      _ = try await world.shop.engine.refundPayment(
        payment, RefundRequest(amount: 200, reason: reason, idempotencyKey: "a", askedBy: "tests"))
      let page = try await world.fixture.browser(as: .finance).get("/console/app/shop/refunds").page
      #expect(page.contains(ForeignText.escaped(reason)) && ForeignText.wrong(in: page).isEmpty)
    }
  }
}
