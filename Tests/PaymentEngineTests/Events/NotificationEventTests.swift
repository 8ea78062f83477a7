import AppStoreIntegration
import AppStoreProtocol
import CounterfoilAPI
import Foundation
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayProtocol

/// The tables of docs/events.md: which events follow which notification.
@Suite struct `The page that tells which events follow a notification` {
  /// A row: the types of notifications in its first cell, the events in its second.
  private struct Row: Hashable {
    let notifications: [String]
    let events: Set<String>
    let isNone: Bool
  }

  private static func rows(_ name: String, none: String) throws -> [Row] {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent("docs/" + name), encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: "|").map(String.init)
      guard line.hasPrefix("| `"), cells.count == 2 else { return nil }
      let notifications = words(cells[0]).filter { $0 == $0.uppercased() }
      guard !notifications.isEmpty else { return nil }
      // `renewal.expiration` is a member of an event, not an event.
      let events = words(cells[1]).filter { $0.contains(".") && !$0.hasPrefix("renewal.") }
      return Row(
        notifications: notifications, events: Set(events),
        isNone: cells[1].trimmingCharacters(in: .whitespaces).hasPrefix(none))
    }
  }

  /// What stands between backticks.
  private static func words(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated().compactMap { number, part in
      number.isMultiple(of: 2) ? nil : String(part)
    }
  }

  @Test func `has each type of both stores once, and no other`() throws {
    let told = try Self.rows("events.md", none: "none").flatMap(\.notifications)
    let known = NotificationTypeV2.allCases.map(\.rawValue) + WeChatPayEventType.allCases.map(\.rawValue)
    #expect(told.sorted() == known.sorted())
  }

  @Test func `names only events that there are, at least one or none`() throws {
    let known = Set(EventType.allCases.map(\.rawValue)).union(Delivery.Kind.allCases.map(\.type))
    for row in try Self.rows("events.md", none: "none") {
      #expect(row.events.subtracting(known).isEmpty, "\(row.notifications)")
      #expect(row.isNone || !row.events.isEmpty, "\(row.notifications)")
    }
  }

  @Test func `says the same in Chinese`() throws {
    let english = try Self.rows("events.md", none: "none")
    #expect(try Self.rows("events.zh-CN.md", none: "无") == english)
  }

  @Test(arguments: NotificationTypeV2.allCases.map(\.rawValue))
  func `says that nothing follows where the server only keeps a notification, and it is so`(type: String) async throws {
    let shop = try EngineFixture { $0.events = true }
    var subscription = SubscriptionFixture(shop: shop)
    subscription.token = try await shop.order("monthly")
    shop.clock.advance(by: .days(100))
    try await subscription.receive(
      "n0", "SUBSCRIBED", about: subscription.period("9001", day: 0), renewal: subscription.renewal(signed: 0))
    let before = try await shop.events().count
    // Its parts tell a new period that ends for good: whatever takes effect has something to tell.
    let receipt = try await subscription.receive(
      "n1", type, about: subscription.period("9002", day: 30),
      renewal: subscription.renewal(signed: 40, renews: false))
    let row = try #require(try Self.rows("events.md", none: "none").first { $0.notifications.contains(type) })
    let count = try await shop.events().count - before
    if receipt.effect == "kept" || type == "TEST" {
      #expect(count == 0 && row.isNone && row.events.isEmpty)
    } else {
      #expect(count > 0, "the facts decide, never the type")
    }
  }

  @Test func `is right about REVOKE: a family member loses the product, and no money moves`() async throws {
    let shop = try EngineFixture { $0.events = true }
    func shared(_ change: (inout [String: JSONValue]) -> Void = { _ in }) -> String {
      shop.transaction("7001", of: "com.example.premium", type: "Non-Consumable") {
        $0["inAppOwnershipType"] = "FAMILY_SHARED"
        $0["purchaseDate"] = .integer(EngineFixture.noon.milliseconds)
        change(&$0)
      }
    }
    _ = try await shop.submit(shared(), by: "bob")
    let before = try await shop.eventTypes()
    shop.clock.advance(by: .days(3))
    let now = shop.now().milliseconds
    let ended = shared {
      $0["revocationDate"] = .integer(now)
      $0["revocationType"] = "FAMILY_REVOKE"
    }
    _ = try await shop.engine.receiveAppStoreNotification(shop.notification("n1", "REVOKE", about: ended), for: nil)
    #expect(try await shop.told(of: "7001") == ["created bob", "reversed bob"])
    #expect(try await shop.eventTypes() == before && before == ["purchase.completed"])
  }
}
