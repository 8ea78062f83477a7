import AppStoreSimulator
import PaymentPrimitives
import StrictJSON
import SystemPlatform
import TestPlatform
import Testing

@Suite struct `Receivers that misbehave` {
  /// The number of purchases in each app.
  private static let purchases = 2

  /// Each app has its own receiver: `refusing` answers 500, `cutting` cuts the connection after booking, `slow` does
  /// not answer, `down` is absent. `sound` shows that none of them delays it.
  @Test(.timeLimit(.minutes(5)))
  func `lose nothing, get the same id at every attempt, and delay no other receiver`() async throws {
    let later = try freePort()
    try await withFolder { folder in
      // The secret belongs to the shop, which is created after the ports are known.
      let names = ["sound", "refusing", "cutting", "slow", "down"]
      var ports: [String: UInt16] = ["down": later]
      for name in names.dropLast() { ports[name] = try freePort() }
      let shop = try await Shop.open(in: folder, apps: names.map { ShopApp(id: $0, webhook: ports[$0]) })
      defer { shop.close() }
      func receiver(_ name: String, _ manner: WebhookReceiver.Manner) throws -> WebhookReceiver {
        try WebhookReceiver(port: ports[name] ?? 0, secret: shop.webhookSecret, manner)
      }
      let sound = try receiver("sound", .acknowledges)
      let refusing = try receiver("refusing", .refuses(500))
      let cutting = try receiver("cutting", .cutsAfterBooking)
      let slow = try receiver("slow", .waits)
      defer { for each in [sound, refusing, cutting, slow] { each.stop() } }
      let made = try await counterfoil(
        "keys", "create", "--kind", "operator", "--label", "tests", "--app", "down", "--json", in: folder)
      let operatorKey = try JSONReader.read(made.output.utf8)["key"]?.string ?? ""
      try await shop.start()
      let bought = try await buyEverywhere(shop)

      #expect(try await eventually { sound.transactions == bought["sound"] }, "the sound receiver is not delayed")
      let open = try await shop.ask("GET", "/v1/deliveries?state=pending", app: "slow")
      #expect(open.json["deliveries"]?.array?.count == Self.purchases, "unacknowledged deliveries are pending")
      let isTried = try await eventually {
        let pending = try await shop.ask("GET", "/v1/deliveries?state=pending", app: "down")
        return pending.json["deliveries"]?.array?.allSatisfy { $0["attempts"]?.integer ?? 0 > 0 } == true
      }
      #expect(isTried, "one that is down is tried")

      slow.letGo()
      let down = try receiver("down", .acknowledges)
      defer { down.stop() }
      // The operator need not wait for the schedule once the receiver is back.
      let pending = try await shop.ask("GET", "/v1/deliveries?state=pending", app: "down")
      for id in (pending.json["deliveries"]?.array ?? []).compactMap({ $0["id"]?.string }) {
        let redriven = try await shop.call(
          "POST", "/v1/operator/deliveries/\(id)/redrive", body: nil, credential: operatorKey)
        #expect(redriven.status == 200, "\(redriven.json.text)")
      }
      for (name, receiver) in ["refusing": refusing, "cutting": cutting, "slow": slow, "down": down] {
        #expect(try await eventually { receiver.transactions == bought[name] }, "\(name) loses nothing")
        let isAcknowledged = try await eventually {
          let pending = try await shop.ask("GET", "/v1/deliveries?state=pending", app: name)
          return pending.json["deliveries"]?.array?.isEmpty == true
        }
        #expect(isAcknowledged, "\(name) has acknowledged everything")
        expectSameAtEveryAttempt(receiver, name)
      }
      expectSameAtEveryAttempt(sound, "sound")
      #expect(refusing.attempts.count >= 2 * Self.purchases && cutting.attempts.count >= 2 * Self.purchases)
      let end = try await shop.stop()
      #expect(end == 0)
    }
  }

  private func expectSameAtEveryAttempt(_ receiver: WebhookReceiver, _ name: String) {
    let attempts = Dictionary(grouping: receiver.attempts, by: \.id)
    #expect(attempts.count == Self.purchases && receiver.booked.count == Self.purchases, "\(name): one id each")
    for (id, tries) in attempts {
      #expect(Set(tries.map(\.body)).count == 1 && tries.allSatisfy { $0.isSigned }, "\(name)")
      #expect(tries.first?.json["id"]?.string == id, "\(name)")
    }
  }

  /// Buys in all apps at the same time, and returns the charges of each.
  private func buyEverywhere(_ shop: Shop) async throws -> [String: [String]] {
    try await withThrowingTaskGroup(of: (String, String).self) { group in
      for app in shop.apps {
        for number in 0..<Self.purchases {
          group.addTask {
            let order = try await shop.ask(
              "POST", "/v1/orders",
              body: .members([("productId", "coins.100"), ("store", "appStore"), ("userId", .string("user-\(number)"))]
              ),
              app: app.id)
            let bought = try await shop.buy(order: order.json["id"]?.string, account: "a\(number)", app: app)
            let paid = try await shop.ask(
              "POST", "/v1/payments/app-store",
              body: .members([("evidence", .string(bought.signedTransaction)), ("userId", .string("user-\(number)"))]),
              app: app.id)
            guard paid.json["payments"]?.array?.first?["verdict"]?.string == "fulfilled" else {
              throw ShopError("\(app.id): \(order.json.text) \(paid.json.text)")
            }
            return (app.id, bought.transaction.id.text)
          }
        }
      }
      var bought: [String: [String]] = [:]
      for try await (app, transaction) in group { bought[app, default: []].append(transaction) }
      return bought.mapValues { $0.sorted() }
    }
  }
}
