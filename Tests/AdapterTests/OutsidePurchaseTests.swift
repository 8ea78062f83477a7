import WeChatPayIntegration
import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import SimulatedDevice
import PaymentPrimitives
import StoreKit
import Synchronization
import Testing

/// What begins outside the app, or without an order: promoted products, offer codes, refunds, win-back offers.
@Suite struct `A purchase that begins outside the app` {
  /// A phone with an app that has received a promoted purchase.
  private func promoted(
    _ interface: Phone.Interface, _ product: StoreProductIdentifier, winBack: String? = nil
  ) throws -> (AdapterWorld, Phone, PromotedPayment) {
    let town = try AdapterWorld()
    let phone = try town.phone(interface)
    if let winBack { phone.device.knobs.winBackOffers = [product: [winBack]] }
    try phone.launch()
    town.goOn(for: .seconds(1))
    let purchasing = try #require(phone.purchasing)
    let seen = Box<PromotedPayment>(Mutex(nil))
    phone.run?.start {
      for await event in await purchasing.events() {
        if case .promotedPayment(let payment) = event { seen.set(payment) }
      }
    }
    town.goOn(for: .seconds(1))
    phone.device.promote(product, winBack: winBack)
    town.goOn(for: .seconds(5))
    return (town, phone, try #require(seen.value))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is bought with an order of its own, once (rules SK1-21, SK2-19, 1A.2, 1A.24)`(
    _ interface: Phone.Interface
  ) throws {
    let (town, phone, payment) = try promoted(interface, "com.example.coins6")
    var details = PurchaseDetails()
    details.promoted = payment
    let tap = phone.buy(details: details)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1)
    #expect(town.charges.first?.transaction.appAccountToken?.text == tap.outcome?.order.appAccountToken)
    #expect(try town.faults() == [])
  }

  @Test func `keeps its win-back offer (rules SK2-19, SK2-25)`() throws {
    let (town, phone, payment) = try promoted(.storeKit2, "com.example.vip", winBack: "come-back")
    #expect(payment.offer == .winBack(id: "come-back"))
    var details = PurchaseDetails()
    details.promoted = payment
    let tap = phone.buy("vip", details: details)
    #expect(tap.isFulfilled, "\(String(describing: tap.result))")
    #expect(phone.device.sheets.map(\.offer) == ["come-back"])
    #expect(town.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `with a win-back offer that the store does not make opens no sheet (rule SK2-25)`(
    _ interface: Phone.Interface
  ) throws {
    let town = try AdapterWorld()
    let phone = try town.phone(interface)
    try phone.launch()
    var details = PurchaseDetails()
    details.offer = .winBack(id: "come-back")
    let tap = phone.buy("vip", details: details)
    #expect(tap.error?.storeFailure?.kind == .offerNotAllowed)
    #expect(phone.device.sheets.isEmpty && town.charges.isEmpty)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `by an offer code is granted to the signed-in user (rule SK2-23)`(_ interface: Phone.Interface) throws {
    let town = try AdapterWorld()
    let phone = try town.phone(interface)
    try phone.launch()
    town.goOn(for: .seconds(1))
    phone.device.nextOfferCode(for: "com.example.coins6")
    _ = phone.ask { _ in try? await StoreSheets.redeemOfferCode(in: Screen.newScene()) }
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1 && town.charges.first?.transaction.appAccountToken == nil)
    #expect(try town.faults() == [])
    // Closing the sheet without a code is no purchase.
    _ = phone.ask { _ in try? await StoreSheets.redeemOfferCode(in: Screen.newScene()) }
    town.goOn(for: .minutes(1))
    #expect(town.charges.count == 1)
  }
}

@Suite struct `A sheet of the store's own` {
  private func bought() throws -> (AdapterWorld, Phone, TransactionIdentifier) {
    let town = try AdapterWorld()
    let phone = try town.phone(.storeKit2)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    town.goOn(for: .minutes(1))
    return (town, phone, try #require(town.charges.first?.transaction.id))
  }

  private func ask(_ phone: Phone, _ id: TransactionIdentifier) -> StoreSheets.RefundRequest? {
    phone.ask { _ in try? await StoreSheets.requestRefund(of: id, in: Screen.newScene()) } ?? nil
  }

  @Test func `refuses an id that is not the App Store's, and an unknown id`() throws {
    let (town, phone, _) = try bought()
    #expect(ask(phone, "wx-4200000000") == nil)
    #expect(ask(phone, "12345") == nil)
    town.goOn(for: .hours(2))
    #expect(try town.coins(of: "anna") == 6)
  }

  @Test func `requests a refund once, and refunded coins are taken back (rule SK2-17)`() throws {
    let (town, phone, id) = try bought()
    #expect(try town.coins(of: "anna") == 6)
    #expect(ask(phone, id) == .sent)
    #expect(ask(phone, id) == .sentBefore)
    #expect(try town.coins(of: "anna") == 6, "a request is not yet a refund")
    town.goOn(for: .hours(2))
    #expect(try town.coins(of: "anna") == 0)
  }

  @Test func `that the customer cancels requests nothing (rule SK2-17)`() throws {
    let (town, phone, id) = try bought()
    phone.device.knobs.givesUpRefunds = true
    #expect(ask(phone, id) == .cancelled)
    town.goOn(for: .hours(2))
    #expect(try town.coins(of: "anna") == 6)
  }

  @Test func `shows the subscriptions (rule SK2-24)`() throws {
    let (town, phone, _) = try bought()
    _ = phone.ask { _ in try? await StoreSheets.manageSubscriptions(in: Screen.newScene()) }
    #expect(phone.device.subscriptionSheets == 1)
    #expect(town.charges.count == 1)
  }
}

@Suite struct `What a family shares` {
  @Test(arguments: Phone.Interface.allCases)
  func `entitles the member who presents it, and pays no order (rule SK2-18)`(
    _ interface: Phone.Interface
  ) throws {
    let town = try AdapterWorld()
    let buyer = try town.phone(interface)
    try buyer.launch(as: "anna")
    #expect(buyer.buy("premium").isFulfilled)
    let bought = try #require(town.charges.first?.transaction.id)
    let member = try town.phone(interface, account: "bert@icloud")
    let shared = try town.atApple { try await $0.share(bought, with: "bert@icloud") }
    try member.launch(as: "bert")
    town.goOn(for: .minutes(1))

    #expect(shared.id != bought && shared.originalId == shared.id && shared.appAccountToken == nil)
    #expect(town.charges.count == 1)
    #expect(try town.rights(of: "anna") == ["premium"])
    #expect(try town.rights(of: "bert") == ["premium"])
    #expect(try town.unfinished(of: member) == [])
    #expect(member.openRecords == [])
  }
}
