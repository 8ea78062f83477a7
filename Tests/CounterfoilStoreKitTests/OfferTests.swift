import AppStoreProtocol
import AppStoreSimulator
import Counterfoil
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// A promotional offer from the server's signature through the shipped adapter to the store, which checks it.
@Suite struct `A promotional offer on a phone` {
  private static var loyal: PurchaseDetails {
    var details = PurchaseDetails()
    details.promotionalOffer = "loyal"
    return details
  }

  /// A phone with a customer who has the lesser subscription.
  private func subscribed(_ interface: Phone.Interface) throws -> (AdapterWorld, Phone) {
    let world = try AdapterWorld(notifies: true, signsOffers: true)
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy("vipBasic").isFulfilled)
    world.goOn(for: .minutes(1))
    return (world, phone)
  }

  /// The team's signature of the offer for any order.
  private func signed(_ world: AdapterWorld, for order: OrderIdentifier, at moment: Timestamp) throws -> StoreOffer {
    let key = world.store.testAPIKey
    let credentials = try AppStoreServerCredentials(
      issuerId: key.key.issuerId.text, keyId: key.key.keyId, bundleId: TestShop.bundleId,
      privateKey: key.testPrivateKey)
    let nonce = try #require(OfferNonce("7d3f0a52-1c9e-4b7a-8f11-0c2d3e4f5a6b"))
    let signature = credentials.signature(
      of: try AppStoreProtocol.PromotionalOffer(product: "com.example.vip", offer: "loyal"), appAccountToken: order,
      nonce: nonce, at: moment)
    return .promotional(
      Counterfoil.PromotionalOffer(
        offerId: "loyal", keyId: signature.keyIdentifier, nonce: nonce.text, signature: signature.signature,
        timestamp: signature.timestamp.milliseconds))
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is not signed for a user who never subscribed: no sheet opens, nothing is charged`(
    _ interface: Phone.Interface
  ) throws {
    let world = try AdapterWorld(notifies: true, signsOffers: true)
    let phone = try world.phone(interface)
    try phone.launch()
    let tap = phone.buy("vip", details: Self.loyal)
    #expect(tap.error?.code == .offerNotAllowed && tap.error?.serverCode == "offer_not_allowed")
    #expect(phone.device.sheets.isEmpty && world.charges.isEmpty)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `that was signed for another order is refused by the store (rules SK1-25, SK2-27, AS-OFF-5)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try subscribed(interface)
    let earlier = try #require(world.charges.first?.transaction.appAccountToken.flatMap { OrderIdentifier($0.text) })
    var details = PurchaseDetails()
    details.offer = try signed(world, for: earlier, at: world.now)
    let tap = phone.buy("vip", details: details)
    #expect(tap.error?.code == .offerNotAllowed && tap.error?.storeFailure?.kind == .offerNotAllowed)
    world.goOn(for: .minutes(1))
    #expect(world.charges.count == 1)
    #expect(try world.rights(of: "anna") == ["vipBasic"])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is signed for the order, accepted, and granted once at its price (rules SK1-25, SK2-27, AS-OFF-5)`(
    _ interface: Phone.Interface
  ) throws {
    let (world, phone) = try subscribed(interface)
    let tap = phone.buy("vip", details: Self.loyal)
    #expect(tap.isFulfilled, "\(String(describing: tap.result)) \(phone.diary.all)")
    world.goOn(for: .minutes(1))
    let charge = try #require(world.charges.last)
    #expect(world.charges.count == 2 && charge.transaction.price.milliunits == 3000)
    #expect(charge.transaction.offer?.offer.kind == .promotionalOffer)
    #expect(charge.transaction.offer?.offer.identifier == "loyal")
    #expect(charge.transaction.appAccountToken?.text == tap.outcome?.order.appAccountToken)
    #expect(try world.owner(of: charge) == "anna" && world.rights(of: "anna").contains("vip"))
    #expect(try world.unfinished(of: phone) == [] && world.faults() == [])
    // The evidence that the server keeps states the same offer.
    let id = charge.transaction.id
    let token = try world.atApple { try await $0.signedTransaction(id).signedTransaction }
    let facts = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, anchors: [world.store.authority.root])
    ).verifyTransaction(
      token,
      expecting: SignedDataExpectations(
        apps: [AppIdentity(bundleId: TestShop.bundleId, appAppleId: 1_000_000_001)], environments: [.simulated]),
      at: world.now
    ).verified?.payload
    #expect(facts?.offerType == .known(.promotionalOffer) && facts?.offerIdentifier == "loyal")
    #expect(facts?.offerDiscountType == .known(.payAsYouGo))
  }
}
