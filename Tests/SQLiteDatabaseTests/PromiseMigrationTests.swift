import Foundation
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import SQLiteDatabase
import TestDatabases
import Testing

/// A grant as version 7 wrote it, with its payment, and optionally its order and first delivery.
private struct FormerGrant {
  var id: Int
  var kind = ProductKind.consumable
  var store = Store.appStore
  var storeProduct = "com.example.coins"
  var quantity = 1
  /// The content of the grant, as the columns gives, gives_name, amount, starts_at, ends_at.
  var content = "'units', 'coin', 100, NULL, NULL"
  /// The end that the store signed.
  var expires = "NULL"
  /// Its order: product, what a piece gives as the columns gives, gives_name, gives_amount, and the App Store ids.
  var order: (product: String, kind: ProductKind, piece: String, storeProducts: String)?
  /// The body of its first delivery.
  var told: String?

  var sql: String {
    let number = "x'\(String(format: "%032x", id))'"
    var lines = ["INSERT INTO payment_keys VALUES (\(id), 'game', '\(store.rawValue)', 'production', '\(id)');"]
    if let order {
      lines.append(
        """
        INSERT INTO orders (app, environment, order_id, user_id, store, quantity, product, product_kind, gives,
          gives_name, gives_amount, app_store_products, is_physical, created_at, state, state_at, paid_by, expires_at)
        VALUES ('game', 'production', \(number), 'alice', '\(store.rawValue)', \(quantity), '\(order.product)',
          '\(order.kind.rawValue)', \(order.piece), \(order.storeProducts), 0, 0, 'paid', 5, \(id), 1000);
        """)
    }
    lines.append(
      """
      INSERT INTO payments (id, app, environment, original, store_product, kind, quantity, purchase_date, signed_date,
        expires_date, ownership, is_renewal, is_upgraded, state, owner, order_id, first_seen_at, last_sequence)
      VALUES (\(id), 'game', 'production', \(id), '\(storeProduct)', '\(kind.rawValue)', \(quantity), 0, 0, \(expires),
        'purchased', 0, 0, 'fulfilled', 'alice', \(order == nil ? "NULL" : number), 0, 1);
      INSERT INTO grants (payment, app, environment, user_id, gives, gives_name, amount, starts_at, ends_at, granted_at,
        taken_back)
      VALUES (\(id), 'game', 'production', 'alice', \(content), 0, 0);
      """)
    if let told {
      lines.append(
        """
        INSERT INTO deliveries (delivery_id, payment, app, environment, kind, sequence, body, created_at, state,
          attempts, next_attempt_at)
        VALUES ('dlv_\(id)', \(id), 'game', 'production', 'created', 1, '\(told)', 0, 'pending', 0, 0);
        """)
    }
    return lines.joined(separator: "\n")
  }
}

@Suite struct `The promise of a grant from an earlier version` {
  private let month: Int64 = 2_592_000_000

  /// The promise of each former grant after the eighth step; the rules of the promise are checked.
  private func migrated(_ grants: [FormerGrant]) async throws -> [Int: GrantPromise] {
    var found: [Int: GrantPromise] = [:]
    try await withDirectory { directory async throws in
      let path = directory.appendingPathComponent("a").path
      let steps = SQLiteSchema.migrations.prefix(7).flatMap(\.statements).map { $0 + ";\n" }.joined()
      let settings = """
        INSERT INTO settings VALUES ('profile', 'simulated');
        INSERT INTO settings VALUES ('installation.secret', '\(String(repeating: "0b", count: 32))');
        PRAGMA application_id = \(SQLiteSchema.applicationIdentifier); PRAGMA user_version = 7;
        """
      _ = try runSQL(steps + settings + grants.map(\.sql).joined(separator: "\n"), on: path)
      let database = try await openSQLite(at: path, clock: TestClock())
      found = try await database.read { reading throws in
        var promises: [Int: GrantPromise] = [:]
        for former in grants {
          let key = paymentKey("\(former.id)", production, store: former.store)
          let grant = try #require(try reading.grant(key))
          promises[former.id] = grant.promise
          let payment = try #require(try reading.payment(key))
          // The computed content equals the stored content.
          if grant.promise.rule != nil { #expect(grant.promise.content(of: payment.facts) == grant.content) }
        }
        #expect(
          try reading.promisedProducts()
            == Set(
              promises.values.map {
                PromisedProduct(app: "game", product: $0.product, isStoreProduct: $0.isStoreProduct, kind: $0.kind)
              }
            ).sorted())
        #expect(
          try reading.grantsOfUnknownPromise(in: production, limit: 99).map(\.promise.rule)
            == promises.values.filter { $0.rule == nil }.map(\.rule))
        return promises
      }
      #expect(try runSQL("PRAGMA foreign_key_check", on: path) == "")
      await database.close()
    }
    return found
  }

  @Test func `is copied from its order if that names the signed product`() async throws {
    let promises = try await migrated([
      FormerGrant(
        id: 1, quantity: 3, content: "'units', 'coin', 300, NULL, NULL",
        order: (
          "coins", .consumable, "'units', 'coin', 100", "'com.example.other' || char(10) || 'com.example.coins'"
        )),
      FormerGrant(
        id: 2, storeProduct: #"com.\example"#,
        order: ("slashed", .consumable, "'units', 'coin', 100", #"'com.\\example'"#)),
      FormerGrant(
        id: 3, kind: .nonRenewing, content: "'entitlement', 'season', NULL, 0, \(3 * month)",
        order: ("season", .nonRenewing, "'entitlement', 'season', \(3 * month)", "'com.example.coins'")),
      FormerGrant(
        id: 4, store: .weChatPay, storeProduct: "coins", order: ("coins", .consumable, "'units', 'coin', 100", "NULL")),
    ])
    let coins = GrantPromise(product: "coins", kind: .consumable, rule: .units("coin", perPiece: 100))
    #expect(promises[1] == coins)
    #expect(promises[2]?.product == "slashed" && promises[2]?.rule == coins.rule)
    #expect(
      promises[3]
        == GrantPromise(
          product: "season", kind: .nonRenewing,
          rule: .entitlement("season", period: TimeSpan(milliseconds: 3 * month))))
    #expect(promises[4] == coins)
  }

  @Test func `is its own content per piece if its order names another product`() async throws {
    // `example.coins` is a suffix of the id in the order, not the same id.
    let promises = try await migrated([
      FormerGrant(
        id: 1, storeProduct: "example.coins", quantity: 2, content: "'units', 'coin', 300, NULL, NULL",
        order: ("coins", .consumable, "'units', 'coin', 100", "'com.example.coins'"))
    ])
    #expect(
      promises[1] == GrantPromise(product: "coins", kind: .consumable, rule: .units("coin", perPiece: 150)))
  }

  @Test func `is the entitlement without a period if the store signs the end or if it lasts`() async throws {
    let promises = try await migrated([
      FormerGrant(
        id: 1, kind: .autoRenewable, storeProduct: "com.example.monthly",
        content: "'entitlement', 'club', NULL, 0, \(month)", expires: "\(month)",
        told: #"{"productId":"monthly","expiresAt":"2040-01-01T00:00:00.000Z"}"#),
      FormerGrant(
        id: 2, kind: .nonConsumable, storeProduct: "com.example.premium",
        content: "'entitlement', 'premium', NULL, 0, NULL", told: #"{"productId":"premium"}"#),
    ])
    #expect(
      promises[1] == GrantPromise(product: "monthly", kind: .autoRenewable, rule: .entitlement("club", period: nil)))
    #expect(
      promises[2] == GrantPromise(product: "premium", kind: .nonConsumable, rule: .entitlement("premium", period: nil)))
  }

  @Test func `is its bought period per piece, never the running end in a delivery`() async throws {
    let promises = try await migrated([
      FormerGrant(
        id: 1, kind: .nonRenewing, storeProduct: "com.example.season", quantity: 2,
        content: "'entitlement', 'season', NULL, 0, \(2 * month)",
        told: #"{"productId":"season","expiresAt":"2040-01-01T00:00:00.000Z"}"#)
    ])
    #expect(
      promises[1]
        == GrantPromise(
          product: "season", kind: .nonRenewing, rule: .entitlement("season", period: TimeSpan(milliseconds: month))))
  }

  @Test func `names the product by another grant of the same App Store product, else by the App Store's id, marked`()
    async throws
  {
    let promises = try await migrated([
      FormerGrant(
        id: 1, kind: .autoRenewable, storeProduct: "com.example.monthly",
        content: "'entitlement', 'club', NULL, 0, \(month)", expires: "\(month)", told: #"{"productId":"monthly"}"#),
      FormerGrant(
        id: 2, kind: .autoRenewable, storeProduct: "com.example.monthly",
        content: "'entitlement', 'club', NULL, 0, \(month)", expires: "\(month)"),
      FormerGrant(
        id: 3, kind: .nonConsumable, storeProduct: "com.example.premium",
        content: "'entitlement', 'premium', NULL, 0, NULL", told: "not json"),
    ])
    #expect(promises[2]?.product == "monthly" && promises[2]?.isStoreProduct == false)
    #expect(promises[3]?.product == "com.example.premium" && promises[3]?.isStoreProduct == true)
  }

  @Test func `is unknown if the content does not divide by the quantity, and the list of unknown promises names it`()
    async throws
  {
    let promises = try await migrated([
      FormerGrant(id: 1, quantity: 3, told: #"{"productId":"coins"}"#),
      FormerGrant(
        id: 2, kind: .nonRenewing, storeProduct: "com.example.season", quantity: 7,
        content: "'entitlement', 'season', NULL, 0, \(2 * month + 1)"),
      FormerGrant(id: 3, quantity: 0),
      FormerGrant(id: 4, quantity: 4),
    ])
    #expect(promises[1] == GrantPromise(product: "coins", kind: .consumable, rule: nil))
    #expect(promises[2]?.rule == nil && promises[3]?.rule == nil)
    #expect(promises[4]?.rule == .units("coin", perPiece: 25))
  }
}
