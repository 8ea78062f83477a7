import Cryptography
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import TOMLConfiguration
import Testing

/// What the reference says about reloads, held to what a reload does.
@Suite struct `The reference of the configuration, about reloads` {
  /// A value that differs from the one in a whole configuration, where the example does not.
  private static let others: [String: String] = [
    "app[].deliver_from": "deliver_from = 2026-02-01T00:00:00Z",
    "app[].claims_per_day": "claims_per_day = 7", "app[].sandbox_purchases": "sandbox_purchases = \"refuse\"",
    "app[].finish_when": "finish_when = \"kept\"", "app[].restore": "restore = \"share\"",
    "app[].endpoint[].name": "name = \"other\"", "app[].endpoint[].url": "url = \"https://other.example.com/hook\"",
    "app[].endpoint[].environments": "environments = [\"sandbox\"]",
    "app[].endpoint[].secrets": "secrets = [{ file = \"other-webhook.secret\" }]",
    "app[].forward_notifications_to.url": "url = \"https://other.example.com/notify\"",
    "app[].forward_notifications_to.may_be_inside": "may_be_inside = true",
    "app[].product[].id": "id = \"coins.200\"", "app[].product[].kind": "kind = \"nonConsumable\"",
    "app[].product[].app_store_product_ids": "app_store_product_ids = [\"com.example.shop.other\"]",
    "app[].product[].physical": "physical = true", "app[].product[].debt": "debt = \"freeze\"",
    "app[].product[].units.unit": "unit = \"gem\"", "app[].product[].units.amount": "amount = 250",
    "app[].app_store.issuer_id": "issuer_id = \"11111111-2222-4333-8444-555555555555\"",
    "app[].app_store.key_id": "key_id = \"AAAAAAAAAA\"", "app[].app_store.released": "released = false",
    "app[].app_store.answer_consumption_requests": "answer_consumption_requests = false",
    "app[].app_store.refund_preference": "refund_preference = \"decline\"",
    "app[].app_store.sample_content_provided": "sample_content_provided = true",
    "app[].app_store.host": "host = \"http://127.0.0.1:9999\"", "app[].wechat_pay.mchid": "mchid = \"1900000002\"",
    "app[].wechat_pay.appid": "appid = \"wx0000000000000009\"",
    "app[].wechat_pay.appids.jsapi": "jsapi = \"wx0000000000000009\"",
    "app[].wechat_pay.hosts": "hosts = [\"http://127.0.0.1:9999\"]",
    "app[].wechat_pay.notify_origin": "notify_origin = \"https://other.example.com\"",
    "app[].wechat_pay.order_lifetime": "order_lifetime = \"3h\"",
    "app[].wechat_pay.virtual_goods_on_ios": "virtual_goods_on_ios = true",
  ]

  private static func isOfStore(_ key: ConfigurationKey) -> Bool {
    key.path.contains(".app_store") || key.path.contains(".wechat_pay")
  }

  /// The configuration with another value of a key; nil if no server would differ.
  private static func changed(_ key: ConfigurationKey, from old: ServerConfiguration) throws -> ServerConfiguration? {
    let example = try ExampleConfiguration(profile: "simulated", with: key, stating: others[key.path])
    let new = try example.read()
    return new.file.changes(from: old.file).isEmpty ? nil : new
  }

  /// The policies in words, with what they do not show by themselves: products and secrets.
  private static func words(of apps: AppDirectory) -> [String] {
    apps.all.flatMap { app in
      let secrets = app.endpoints.flatMap { $0.secrets.map { $0.withBytes { Array($0) } } }
      // A product describes itself by its id alone.
      let products = app.catalog.products.map { product in
        "\(product.id) \(product.kind) \(product.grant) \(product.appStoreProducts) \(product.isPhysical) "
          + "\(product.weChatPrice.map { "\($0)" } ?? "none") \(product.debt)"
      }
      return Words.of(app) + Words.of(products) + Words.of(secrets)
    }
  }

  @Test func `names for each policy of an app what a reload does`() async throws {
    let old = try ExampleConfiguration(profile: "simulated").read()
    var count = 0
    for key in ConfigurationReference.keys
    where key.path.hasPrefix("app[].") && !key.shape.isTable && !Self.isOfStore(key)
      && !key.path.contains("user_token_key") && key.path != "app[].id"
    {
      guard let new = try Self.changed(key, from: old) else { continue }
      let shop = try EngineFixture(serving: old.apps)
      _ = try await shop.engine.reload(AppDirectory(new.apps))
      let running = Self.words(of: shop.engine.apps)
      let (before, after) = (Self.words(of: AppDirectory(old.apps)), Self.words(of: AppDirectory(new.apps)))
      // Identifiers at Apple are part of the access to the store.
      guard before != after else {
        #expect(["app[].bundle_id", "app[].app_apple_id"].contains(key.path), "\(key.path) changes nothing")
        continue
      }
      count += 1
      #expect(running == (key.reload == .restart ? before : after), "\(key.path): \(key.reload)")
    }
    #expect(count >= 25)
  }

  @Test func `holds for each endpoint alone: a new one waits, and the address of another changes`() async throws {
    let text = try ExampleConfiguration(profile: "simulated").text
    let second = """
      [[app.endpoint]]
      name = "second"
      url = "https://second.example.com/counterfoil"
      secrets = [{ file = "webhook.secret" }]
      environments = ["sandbox"]

      """
    let changed = text.replacing("https://backend.example.com", with: "https://moved.example.com")
      .replacing("[app.forward_notifications_to]", with: second + "[app.forward_notifications_to]")
    let (old, new) = (try ExampleConfiguration.read(text), try ExampleConfiguration.read(changed))
    #expect(new.apps[0].policy.endpoints.count == 2)
    let shop = try EngineFixture(serving: old.apps)
    #expect(try await shop.engine.reload(AppDirectory(new.apps)) == .taken(needRestart: ["shop"]))
    let running = shop.engine.apps["shop"]?.endpoints.map(\.url)
    #expect(running == ["https://moved.example.com/counterfoil"])
  }

  @Test func `names for each key of a store whether a running client takes it`() async throws {
    let old = try ExampleConfiguration(profile: "simulated").read()
    var count = 0
    for key in ConfigurationReference.keys where Self.isOfStore(key) && !key.shape.isTable {
      guard let new = try Self.changed(key, from: old) else { continue }
      let shop = try EngineFixture(serving: old.apps)
      let kept = await shop.engine.replaceStoreAccess(by: new.apps)
      count += 1
      // An example may need a second key, such as a secret that is used only with a setting.
      let needsRestart = new.file.changes(from: old.file).contains {
        ConfigurationReference.nearest(to: $0.pattern)?.reload == .restart
      }
      #expect(kept.isEmpty != needsRestart, "\(key.path): \(key.reload), kept \(kept)")
    }
    #expect(count >= 20)
  }
}
