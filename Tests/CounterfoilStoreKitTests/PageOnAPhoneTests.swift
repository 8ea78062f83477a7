import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import CounterfoilApp
import CounterfoilStoreKit
import Foundation
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// What a shop's page needs, through the shipped adapters over the stand-ins, against the real server.
@Suite struct `A page on a phone` {
  private func launched(
    _ interface: Phone.Interface, signsOffers: Bool = false
  ) throws -> (ClientFixture, Phone) {
    let world = try ClientFixture(notifies: true, signsOffers: signsOffers)
    let phone = try world.phone(interface)
    try phone.launch()
    world.goOn(for: .seconds(1))
    return (world, phone)
  }

  private func catalog(_ phone: Phone) throws -> Catalog {
    try #require(phone.ask { try? await $0.catalog() } ?? nil)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `has the server's products with the store's price, period and offers`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try launched(interface)
    defer { withExtendedLifetime(world) {} }
    let catalog = try catalog(phone)
    #expect(catalog.unknown == ["ghost"] && catalog.isPriced)
    #expect(catalog["coins6"]?.grant == .units("coin", amount: 6))
    #expect(catalog["coins6"]?.appStore?.price == StatedPrice(milliunits: 6000, currency: "CNY"))
    let vip = try #require(catalog["vip"]?.appStore)
    #expect(vip.period == SubscriptionPeriod(1, .month) && vip.subscriptionGroup == "20000001")
    #expect(vip.promotionalOffers.map(\.id) == ["loyal"] && vip.promotionalOffers.first?.payment == .payAsYouGo)
    let year = try #require(catalog["vipYear"]?.appStore)
    #expect(year.period == SubscriptionPeriod(1, .year))
    #expect(year.displayPricePerMonth?.contains("0.50") == true, "\(String(describing: year.displayPricePerMonth))")
  }

  @Test func `says whether this customer may have the introductory offer`() throws {
    let (world, phone) = try launched(.storeKit2)
    try world.atApple { store in
      var product = SimulatedProduct(
        id: "com.example.vip", kind: .autoRenewable(group: "20000001", period: .month),
        price: StatedPrice(milliunits: 6000, currency: "CNY"))
      product.offers = [SimulatedOffer(.introductoryOffer, nil, payment: .freeTrial, period: .week)]
      try await store.catalog.setProduct(product, bundleId: TestShop.bundleId)
    }
    let first = try #require(try catalog(phone)["vip"]?.appStore)
    #expect(first.isEligibleForIntroductoryOffer == true && first.offerForThisCustomer?.payment == .freeTrial)
    #expect(first.offerForThisCustomer?.words.english == "1 week free")
    #expect(phone.buy("vip").isFulfilled)
    let second = try #require(try catalog(phone)["vip"]?.appStore)
    #expect(second.isEligibleForIntroductoryOffer == false && second.offerForThisCustomer == nil)
  }

  @Test func `hands an offer to StoreKit 2 as a JWS, which Apple's store accepts (W2)`() throws {
    let (world, phone) = try launched(.storeKit2, signsOffers: true)
    #expect(phone.buy("vipBasic").isFulfilled)
    var details = PurchaseDetails()
    details.promotionalOffer = "loyal"
    #expect(phone.buy("vip", details: details).isFulfilled)
    guard case .jws? = phone.device.sheets.last?.offerSignature else {
      Issue.record("the payment carried \(String(describing: phone.device.sheets.last?.offerSignature))")
      return
    }
    #expect(world.charges.last?.transaction.price.milliunits == 3000)
  }

  @Test func `forgets products and prices when the App Store's country changes (B7)`() throws {
    let (world, phone) = try launched(.storeKit2)
    #expect(try catalog(phone)["coins6"] != nil)
    phone.device.move(to: "DEU", without: ["com.example.coins6"])
    world.goOn(for: .seconds(1))
    let moved = try catalog(phone)
    #expect(moved["coins6"] == nil && moved.unknown.contains("coins6") && moved["coins12"] != nil)
    let tap = phone.buy("coins6")
    #expect(tap.error?.code == .productUnknown && world.charges.isEmpty)
  }

  @Test func `does not show what the store no longer returns (B7)`() throws {
    let (world, phone) = try launched(.storeKit2)
    defer { withExtendedLifetime(world) {} }
    #expect(try catalog(phone)["coins6"] != nil)
    phone.device.behaviours.unsold = ["com.example.coins6"]
    #expect(try catalog(phone).unknown.contains("coins6"))
  }

  @Test func `uses what a restore brought although its end never comes, and the next tap restores again (B6)`() throws {
    let (world, phone) = try launched(.storeKit1)
    #expect(phone.buy("premium").isFulfilled)
    phone.device.behaviours.restoreNeverEnds = true
    let begin = world.now
    let report = try #require(phone.ask { try? await $0.restorePurchases() } ?? nil)
    #expect(report.fulfilled == 1 && world.now - begin <= .minutes(3))
    phone.device.behaviours.restoreNeverEnds = false
    let again = world.now
    #expect((phone.ask { try? await $0.restorePurchases() } ?? nil)?.fulfilled == 1)
    #expect(world.now - again < .minutes(1))
  }

  @Test func `says that a restore failed if it brought nothing and never ended (B6)`() throws {
    let (world, phone) = try launched(.storeKit1)
    defer { withExtendedLifetime(world) {} }
    phone.device.behaviours.restoreNeverEnds = true
    let code = phone.ask { purchasing -> PurchasingErrorCode? in
      do throws(PurchasingError) { _ = try await purchasing.restorePurchases() } catch { return error.code }
      return nil
    }
    #expect(code == .restoreFailed)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `tells a customer who is signed out of the App Store to sign in`(_ interface: Phone.Interface) throws {
    let (world, phone) = try launched(interface)
    phone.device.behaviours.isSignedOut = true
    let tap = phone.buy()
    #expect(tap.error?.code == .storeNotSignedIn && tap.error?.storeFailure?.kind == .notSignedIn)
    #expect(tap.error?.storeFailure?.causes.last == StoreFailure.Cause(domain: "ASDErrorDomain", code: 509))
    phone.device.behaviours.isSignedOut = false
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `names the errors behind a failure by domain and number (W6)`(_ interface: Phone.Interface) throws {
    let (world, phone) = try launched(interface)
    defer { withExtendedLifetime(world) {} }
    phone.device.account.switches.hasNewTerms = true
    phone.device.nextAnswers(.leavesTermsOpen)
    let failure = try #require(phone.buy().error?.storeFailure)
    #expect(failure.innerCode == 3038)
    #expect(failure.causes.last == StoreFailure.Cause(domain: "ASDServerErrorDomain", code: 3038))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `says that the App Store cannot be reached`(_ interface: Phone.Interface) throws {
    let (world, phone) = try launched(interface)
    phone.device.appleLink.isUp = false
    let tap = phone.buy()
    #expect(tap.error?.code == .storeUnavailable, "\(String(describing: tap.result))")
    phone.device.appleLink.isUp = true
    world.goOn(for: .minutes(2))
    #expect(world.charges.isEmpty)
  }

  @Test func `is logged from the sheet on, with order and product (1A.41, C8)`() throws {
    let (world, phone) = try launched(.storeKit1)
    defer { withExtendedLifetime(world) {} }
    let order = try #require(phone.buy().outcome?.order)
    let line = phone.eventLog.lines.first { $0.hasPrefix("client.payment.purchasing ") }
    #expect(line?.contains("order=\(order) product=coins6 quantity=1") == true, "\(String(describing: line))")
  }

  @Test func `keeps a revocation that comes before anybody listens (B14)`() throws {
    let (world, phone) = try launched(.storeKit2)
    #expect(phone.buy("premium").isFulfilled)
    world.goOn(for: .minutes(1))
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let queue = AppRun.$current.withValue(run) {
      StoreKit2Queue(dependencies: process.dependencies(), start: AdapterStart { run.start($0) })
    }
    world.goOn(for: .seconds(1))
    let id = try #require(world.charges.first?.transaction.id)
    let device = phone.device
    run.start { _ = await device.appStoreSheets.requestRefund(id) }
    world.goOn(for: .hours(2))
    let heard = SharedValue<[StoreTransaction]>([])
    run.start { for await entry in await queue.updates() { heard.value.append(entry) } }
    world.goOn(for: .seconds(1))
    #expect(heard.value.contains { if case .revoked = $0.state { $0.id == id } else { false } })
    run.end()
    process.kill()
  }

  @Test func `gets purchases begun in the App Store from StoreKit 1 before iOS 16.4 (W7)`() throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let queue = AppRun.$current.withValue(run) {
      StoreKit2Queue(
        products: [], presenting: { PurchaseAnchor.found() }, dependencies: process.dependencies(),
        start: AdapterStart { run.start($0) }, promotionsByStoreKit1: true)
    }
    let heard = SharedValue<[PromotedPayment]>([])
    run.start { for await payment in await queue.promotedPayments() { heard.value.append(payment) } }
    world.goOn(for: .seconds(1))
    phone.device.promote("com.example.coins6")
    world.goOn(for: .seconds(5))
    #expect(heard.value.map(\.product) == ["com.example.coins6"] && phone.device.sheets.isEmpty)
    run.end()
    process.kill()
  }

  @Test(arguments: Phone.Interface.allCases)
  func `lists what was bought, and finds the transaction of an order for a refund`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try launched(interface)
    let bought = phone.buy("premium")
    phone.device.nextAnswers(.cancels(after: .seconds(1)))
    _ = phone.buy("coins6")
    let history = try #require(phone.ask { try? await $0.purchases() } ?? nil)
    let order = try #require(bought.outcome?.order)
    #expect(history.purchases.map(\.id) == [order] && history.purchases.first?.product == "premium")
    #expect(history.purchases.first?.refund == PastPurchase.Refund.none)
    let answer = SharedValue<StoreSheets.RefundRequest?>(nil)
    phone.run?.start { answer.value = try? await StoreSheets.requestRefund(ofOrder: order) }
    world.goOn(until: { answer.value != nil })
    #expect(answer.value == .sent)
    world.goOn(for: .hours(2))
    let later = try #require(phone.ask { try? await $0.purchases() } ?? nil)
    #expect(later.purchases.first?.refund == .full)
    let failed = SharedValue<StoreFailure?>(nil)
    phone.run?.start {
      do throws(StoreFailure) {
        _ = try await StoreSheets.requestRefund(ofOrder: OrderIdentifier(high: 0x7000, low: 1 << 63))
      } catch { failed.value = error }
    }
    world.goOn(until: { failed.value != nil })
    #expect(failed.value?.explanation.contains("no transaction") == true)
  }

  @Test(arguments: [Purchasing.StoreInterface.storeKit2, .storeKit1])
  func `is made by one call, and buys`(_ interface: Purchasing.StoreInterface) throws {
    let world = try ClientFixture(notifies: true)
    let phone = try world.phone(interface == .storeKit1 ? .storeKit1 : .storeKit2)
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let simulation = world.simulation
    let configuration = PurchasingConfiguration(server: TestShop.address, app: TestShop.id) { wish in
      TestShop.token(for: wish.user, at: simulation.now)
    }
    let dependencies = process.dependencies()
    let purchasing = try AppRun.$current.withValue(run) {
      try Purchasing.make(
        configuration, interface, weChat: nil, exchange: phone.device.serverLink.carrying(world.server.exchange),
        dependencies: dependencies, start: AdapterStart { run.start($0) })
    }
    let outcome = SharedValue<PurchaseOutcome?>(nil)
    run.start { await purchasing.run() }
    run.start {
      await purchasing.setUser("anna")
      outcome.value = try? await purchasing.purchase("coins6")
    }
    world.goOn(until: { outcome.value != nil })
    guard case .fulfilled = outcome.value else {
      Issue.record("\(String(describing: outcome.value))")
      return
    }
    world.goOn(for: .minutes(1))
    #expect(try world.coins(of: "anna") == 6 && world.faults() == [])
    run.end()
    process.kill()
  }

  @Test(arguments: [
    (["zh-Hans-CN"], Language.chinese), (["de-DE", "zh-Hant-TW", "en"], .chinese), (["de", "en-GB", "zh"], .english),
    (["de"], .english), ([], .english),
  ])
  func `speaks the first language of the device that has texts`(_ preferred: [String], _ language: Language) {
    #expect(Language.of(preferred) == language)
  }

  @Test func `shows an error's words by localizedDescription, and its details to developers`() {
    let error: any Error = PurchasingError(.notSignedIn, "Call `setUser(_:)` first.")
    #expect(error.localizedDescription == PurchasingErrorCode.notSignedIn.meaning[.ofThisDevice])
    #expect(StoreFailure(.other, explanation: "terms").errorDescription == "terms")
    #expect(PurchasingError(.notSignedIn).failureReason == nil)
  }
}
