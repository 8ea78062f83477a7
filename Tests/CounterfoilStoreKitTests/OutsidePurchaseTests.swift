import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import StoreKit
import TestDoubles
import Testing

/// What begins outside the app, or without an order: promoted products, offer codes, refunds, win-back offers.
@Suite struct `A purchase that begins outside the app` {
  /// A phone with an app that has received a promoted purchase.
  private func promoted(
    _ interface: Phone.Interface, _ product: StoreProductIdentifier, winBack: String? = nil
  ) throws -> (ClientFixture, Phone, PromotedPayment) {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    if let winBack { phone.device.behaviours.winBackOffers = [product: [winBack]] }
    try phone.launch()
    world.goOn(for: .seconds(1))
    let purchasing = try #require(phone.purchasing)
    let seen = SharedValue<PromotedPayment?>(nil)
    phone.run?.start {
      for await event in await purchasing.events() {
        if case .promotedPayment(let payment) = event { seen.value = payment }
      }
    }
    world.goOn(for: .seconds(1))
    phone.device.promote(product, winBack: winBack)
    world.goOn(for: .seconds(5))
    return (world, phone, try #require(seen.value))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is bought with an order of its own, once (rules SK1-21, SK2-19, 1A.2, 1A.24)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone, payment) = try promoted(interface, "com.example.coins6")
    var details = PurchaseDetails()
    details.promoted = payment
    let tap = phone.buy(details: details)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(world.charges.first?.transaction.appAccountToken?.text == tap.outcome?.order.appAccountToken)
    #expect(try world.faults() == [])
  }

  @Test func `keeps its win-back offer (rules SK2-19, SK2-25)`() throws {
    let (world, phone, payment) = try promoted(.storeKit2, "com.example.vip", winBack: "come-back")
    #expect(payment.offer == .winBack(id: "come-back"))
    var details = PurchaseDetails()
    details.promoted = payment
    let tap = phone.buy("vip", details: details)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    #expect(phone.device.sheets.map(\.offer) == ["come-back"])
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with a win-back offer that the store does not make opens no sheet (rule SK2-25)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    var details = PurchaseDetails()
    details.offer = .winBack(id: "come-back")
    let tap = phone.buy("vip", details: details)
    #expect(tap.error?.storeFailure?.kind == .offerNotAllowed)
    #expect(phone.device.sheets.isEmpty && world.charges.isEmpty)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `by an offer code is granted to the signed-in user (rule SK2-23)`(_ interface: Phone.Interface) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    phone.device.appStoreSheets.nextOfferCode(for: "com.example.coins6")
    _ = phone.ask { _ in try? await StoreSheets.redeemOfferCode(in: Screen.newScene()) }
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1 && world.charges.first?.transaction.appAccountToken == nil)
    #expect(try world.faults() == [])
    // Closing the sheet without a code is no purchase.
    _ = phone.ask { _ in try? await StoreSheets.redeemOfferCode(in: Screen.newScene()) }
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
  }
}

@Suite struct `A sheet of the store's own` {
  private func bought() throws -> (ClientFixture, Phone, TransactionIdentifier) {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    return (world, phone, try #require(world.charges.first?.transaction.id))
  }

  private func ask(_ phone: Phone, _ id: TransactionIdentifier) -> StoreSheets.RefundRequest? {
    phone.ask { _ in try? await StoreSheets.requestRefund(of: id, in: Screen.newScene()) } ?? nil
  }

  @Test func `refuses an id that is not the App Store's, and an unknown id`() throws {
    let (world, phone, _) = try bought()
    #expect(ask(phone, "wx-4200000000") == nil)
    #expect(ask(phone, "12345") == nil)
    world.goOn(for: .hours(2))
    #expect(try world.coins(of: "anna") == 6)
  }

  @Test func `requests a refund once, and refunded coins are taken back (rule SK2-17)`() throws {
    let (world, phone, id) = try bought()
    #expect(try world.coins(of: "anna") == 6)
    #expect(ask(phone, id) == .sent)
    #expect(ask(phone, id) == .sentBefore)
    #expect(try world.coins(of: "anna") == 6, "a request is not yet a refund")
    world.goOn(for: .hours(2))
    #expect(try world.coins(of: "anna") == 0)
  }

  @Test func `that the customer cancels requests nothing (rule SK2-17)`() throws {
    let (world, phone, id) = try bought()
    phone.device.behaviours.givesUpRefunds = true
    #expect(ask(phone, id) == .cancelled)
    world.goOn(for: .hours(2))
    #expect(try world.coins(of: "anna") == 6)
  }

  @Test func `shows the subscriptions (rule SK2-24)`() throws {
    let (world, phone, _) = try bought()
    _ = phone.ask { _ in try? await StoreSheets.manageSubscriptions(in: Screen.newScene()) }
    #expect(phone.device.appStoreSheets.subscriptionSheets == 1)
    #expect(world.charges.count == 1)
  }
}

@Suite struct `What a family shares` {
  @Test(arguments: Phone.Interface.allCases)
  func `entitles the member who presents it, and pays no order (rule SK2-18)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let buyer = try world.phone(interface)
    try buyer.launch(as: "anna")
    #expect(buyer.buy("premium").isFulfilled)
    let bought = try #require(world.charges.first?.transaction.id)
    let member = try world.phone(interface, account: "bert@icloud")
    let shared = try world.atApple { try await $0.familySharing.share(bought, with: "bert@icloud") }
    try member.launch(as: "bert")
    world.goOn(for: .minutes(1))

    #expect(shared.id != bought && shared.originalId == shared.id && shared.appAccountToken == nil)
    #expect(world.charges.count == 1)
    #expect(try world.rights(of: "anna") == ["premium"])
    #expect(try world.rights(of: "bert") == ["premium"])
    #expect(try world.unfinished(of: member) == [])
    #expect(member.openRecords == [])
  }
}
