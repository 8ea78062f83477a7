import Counterfoil
import CounterfoilAPI
import CounterfoilSwiftUI
import CounterfoilTesting
import Foundation
import PaymentPrimitives
import ShopPageExample
import SwiftUI
import Testing

/// The page in `Examples/ShopPage`, tapped like a customer's, over the real client on a test bench.
@MainActor @Suite(.serialized) struct `A whole shop page` {
  let bench = TestBench(notifies: true)
  let shop: ShopModel

  init() throws {
    bench.server.setProducts(ScriptedProduct("coins60"), ScriptedProduct("coinsClub", kind: .autoRenewable))
    try bench.launch(as: "alice")
    shop = ShopModel(BenchService(bench))
  }

  /// Draws the page, and begins the tasks that come with it.
  private func open() async {
    let drawing = Drawing.of(ShopPage(shop, language: .english))
    for task in drawing.tasks { Task { await task() } }
    Task { await shop.run() }
    await goOn { shop.products.items.count == 2 && shop.availability != nil && shop.rights != .unread }
  }

  /// Taps a button of the page as it is now.
  private func tap(_ label: String) {
    let drawing = Drawing.of(ShopPage(shop, language: .english))
    #expect(drawing.tap(label), "no button \(label) among \(drawing.buttons.map(\.label))")
  }

  /// The outcome and the event say the same, in either order.
  private var isBought: Bool {
    shop.busy.isEmpty && (shop.notice?.key == .outcome(.fulfilled) || shop.notice?.key == .event(.fulfilled))
  }

  private var texts: [String] { Drawing.of(ShopPage(shop, language: .english)).texts }

  /// Lets the page and the bench go on until something holds.
  private func goOn(
    at place: SourceLocation = #_sourceLocation, until holds: @MainActor () -> Bool
  ) async {
    // The calls of the page hop between threads; time passes on the bench alone.
    for round in 0..<400_000 where !holds() {
      await Task.yield()
      bench.goOn(for: round % 200 == 199 ? .seconds(5) : .zero, steps: 1000)
    }
    #expect(holds(), "\(shop.notice as Any) \(shop.products.items.count) \(shop.busy)", sourceLocation: place)
  }

  @Test func `has at most 60 lines`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/ShopPage/ShopPage.swift")
    let lines = try String(contentsOf: folder, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 60)
  }

  @Test func `sells: price, purchase, coins, history`() async {
    await open()
    tap("com.example.coins60 6.00")
    await goOn { isBought }
    Task { await shop.readPossessions() }
    await goOn { shop.purchases.count == 1 }
    #expect(texts.contains("60 coins") && bench.server.grants.count == 1)
    #expect(bench.store.violations.isEmpty && bench.store.queue.isEmpty)
  }

  @Test func `shows nothing after Cancel, and keeps the order for a late charge (B3)`() async {
    await open()
    bench.store.next(.cancels)
    tap("com.example.coins60")
    await goOn { bench.store.sheets.count == 1 && shop.busy.isEmpty }
    #expect(shop.notice == nil && shop.openOrders.count == 1)
  }

  @Test func `says that a purchase waits for approval, and grants it when it comes (Ask to Buy)`() async {
    await open()
    bench.store.next(.isApproved(after: .hours(3)))
    tap("com.example.coins60")
    await goOn { shop.notice?.key == .outcome(.pendingApproval) }
    let words = CustomerMessages.ours(.outcome(.pendingApproval)).english
    await goOn { texts.contains { $0.contains(words) } }
    shop.dismiss()
    bench.goOn(for: .hours(4))
    await goOn { shop.notice?.key == .event(.fulfilled) && shop.grants == 1 }
    #expect(bench.server.grants.count == 1)
  }

  @Test func `says what a restore found, also if it is nothing (B15)`() async {
    await open()
    bench.store.restoreBrings([])
    tap("Restore purchases")
    // The page is read again after the words: until then a second tap does nothing.
    await goOn { shop.notice?.text == "There is nothing to restore." && !shop.isRestoring }
    bench.store.restoreBrings(nil)
    shop.dismiss()
    tap("Restore purchases")
    await goOn { !shop.isRestoring && bench.store.restores == 2 }
    #expect(shop.notice == nil, "the customer cancelled it")
  }

  @Test func `sells with an offer that the server signs for the order`() async {
    bench.server.setUserOffers("loyal")
    bench.store.offer(
      SubscriptionOffer(
        id: "loyal", payment: .payAsYouGo, displayPrice: "¥3.00", period: SubscriptionPeriod(1, .month),
        periodCount: 3),
      with: "com.example.coinsClub")
    await open()
    tap("¥3.00 per month for 3 months")
    await goOn { isBought }
    guard case .promotional(let offer) = bench.store.sheets.first?.offer else {
      Issue.record("no offer came to the store")
      return
    }
    #expect(offer.offerId == "loyal" && offer.compactJWS?.isEmpty == false)
  }

  @Test func `has a refund for each purchase, and shows what a refund took`() async {
    bench.server.setEntitlements(
      Entitlement("club", state: .active, store: .appStore, environment: .simulated), of: "alice")
    await open()
    tap("com.example.coins60")
    await goOn { isBought }
    Task { await shop.readPossessions() }
    await goOn { shop.purchases.count == 1 }
    let drawing = Drawing.of(ShopPage(shop, language: .english))
    #expect(drawing.buttons.contains { $0.label == "Refund coins60" })
    // Apple refunds: the transaction comes again, revoked, and the server takes the entitlement back.
    var refunded = Entitlement("club", state: .revoked, store: .appStore, environment: .simulated)
    refunded.reason = .refunded
    bench.server.setEntitlements(refunded, of: "alice")
    guard let charge = bench.store.charges.first else { return }
    bench.server.judge(charge.id, PaymentAnswer(transaction: charge.id, verdict: .revoked))
    var entry = StoreTransaction(handle: "refund", state: .revoked(at: bench.clock.now))
    (entry.id, entry.product, entry.evidence) = (charge.id, charge.product, charge.evidence)
    bench.store.deliver(entry)
    await goOn { shop.notice?.key == .event(.notGranted) }
    Task { await shop.readPossessions() }
    await goOn { texts.contains("club: It was refunded.") }
  }

  @Test func `buys what the customer chose in the App Store`() async {
    await open()
    bench.store.promote(PromotedPayment(handle: "p1", product: "com.example.coins60"))
    await goOn { shop.promoted.count == 1 }
    tap("Buy what you chose in the App Store")
    await goOn { isBought }
    #expect(shop.promoted.isEmpty && bench.store.sheets.first?.promoted?.handle == "p1")
  }

  @Test func `says what prevents a purchase before the customer taps (1A.18)`() async {
    bench.store.forbidPayments()
    await open()
    #expect(texts.contains(CustomerMessages.ours(.error(.paymentsDisabled)).english))
  }

  @Test func `says that the shop cannot be reached, and reads it again by a tap`() async {
    bench.server.always("products", .requestLost)
    let drawing = Drawing.of(ShopPage(shop, language: .english))
    for task in drawing.tasks { Task { await task() } }
    await goOn { if case .unreadable = shop.products { true } else { false } }
    bench.server.always("products", nil)
    tap(PurchasingError(.serverUnreachable).message(.english))
    await goOn { shop.products.items.count == 2 }
  }
}
