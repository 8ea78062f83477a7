import AppStoreIntegration
import AppStoreProtocol
import PaymentEngine
import PaymentPrimitives
import ShopFixtures
import Testing

@Suite struct `The report to Apple about a purchase's use` {
  private static let noon = EngineFixture.noon

  private func told(
    _ kind: ProductKind = .consumable, _ delivery: ConsumptionFacts.Delivery = .arrived,
    use: ConsumptionFacts.Use, preference: ConsumptionPolicy.Preference = .none
  ) -> ConsumptionRequest {
    ConsumptionAnswer.request(
      ConsumptionFacts(kind: kind, delivery: delivery, use: use), ConsumptionPolicy(preference: preference),
      at: Self.noon)
  }

  @Test func `never has a percentage for a subscription that Apple renews, whatever the records contain`() {
    let time = ConsumptionFacts.Use.time(from: Self.noon - .days(10), until: Self.noon + .days(10))
    for delivery in [ConsumptionFacts.Delivery.arrived, .notTaken, .notGranted] {
      for use in [time, .units(left: 1, of: 2), .unknown] {
        #expect(told(.autoRenewable, delivery, use: use).consumptionPercentage == nil)
      }
    }
    #expect(told(.autoRenewable, .arrived, use: time, preference: .prorated).refundPreference == .grantProrated)
  }

  @Test func `states zero use for an undelivered purchase, and prefers a full refund`() {
    for preference in ConsumptionPolicy.Preference.allCases {
      let notTaken = told(.consumable, .notTaken, use: .units(left: 0, of: 100), preference: preference)
      #expect(notTaken.deliveryStatus == .undeliveredServerOutage)
      #expect(notTaken.consumptionPercentage == 0 && notTaken.refundPreference == .grantFull)
      let notGranted = told(.nonRenewing, .notGranted, use: .unknown, preference: preference)
      #expect(notGranted.deliveryStatus == .undeliveredOther)
      #expect(notGranted.consumptionPercentage == 0 && notGranted.refundPreference == .grantFull)
    }
  }

  @Test func `states the used part of the units, in milliunits`() {
    let cases: [(left: Int64, all: Int64, percentage: Int)] = [
      (100, 100, 0), (0, 100, 100_000), (40, 100, 60_000), (2, 3, 33_333), (1, 3, 66_666),
      // A partly used purchase is neither 0 nor 100 percent used.
      (Int64.max - 1, Int64.max, 1), (1, Int64.max, 99_999),
    ]
    for (left, all, percentage) in cases {
      #expect(told(.consumable, .arrived, use: .units(left: left, of: all)).consumptionPercentage == percentage)
    }
  }

  @Test func `states the elapsed part of the time`() {
    func percentage(_ from: Timestamp, _ until: Timestamp) -> Int? {
      told(.nonRenewing, .arrived, use: .time(from: from, until: until)).consumptionPercentage
    }
    #expect(percentage(Self.noon - .days(30), Self.noon + .days(60)) == 33_333)
    #expect(percentage(Self.noon + .days(1), Self.noon + .days(2)) == 0)
    #expect(percentage(Self.noon - .days(2), Self.noon - .days(1)) == 100_000)
  }

  @Test func `has no percentage if the server cannot know it`() {
    let lasting = told(.nonConsumable, .arrived, use: .unknown, preference: .prorated)
    #expect(lasting.deliveryStatus == .delivered)
    #expect(lasting.consumptionPercentage == nil && lasting.refundPreference == nil)
  }

  @Test func `prefers a partial refund only for a partly used purchase`() {
    func preference(_ left: Int64, _ wish: ConsumptionPolicy.Preference) -> ConsumptionRequest.RefundPreference? {
      told(.consumable, .arrived, use: .units(left: left, of: 100), preference: wish).refundPreference
    }
    #expect(preference(100, .prorated) == .grantFull)
    #expect(preference(50, .prorated) == .grantProrated)
    #expect(preference(0, .prorated) == .decline)
    for left in [0, 50, 100] as [Int64] {
      #expect(preference(left, .none) == nil)
      #expect(preference(left, .decline) == .decline)
    }
  }

  @Test func `is accepted by Apple in every case: no rule of the call is broken`() throws {
    let uses: [ConsumptionFacts.Use] = [
      .unknown, .units(left: 0, of: 1), .units(left: 1, of: 1), .units(left: 1, of: 3),
      .time(from: Self.noon - .days(1), until: Self.noon + .days(1)),
    ]
    for kind in [ProductKind.consumable, .nonConsumable, .nonRenewing, .autoRenewable] {
      for delivery in [ConsumptionFacts.Delivery.arrived, .notTaken, .notGranted] {
        for use in uses {
          for preference in ConsumptionPolicy.Preference.allCases {
            let request = told(kind, delivery, use: use, preference: preference)
            _ = try AppStoreServerCall.consumption(request, of: "2000000000000001")
            #expect(request.customerConsented)
            if request.refundPreference == .grantProrated, kind != .autoRenewable {
              #expect((1..<100_000).contains(try #require(request.consumptionPercentage)))
            }
          }
        }
      }
    }
  }

  @Test func `has a first form for Apple's older call, in which unknown values stay undeclared`() throws {
    func told(
      _ delivery: ConsumptionFacts.Delivery, _ use: ConsumptionFacts.Use,
      preference: ConsumptionPolicy.Preference = .none
    ) throws -> ConsumptionRequestV1 {
      let token = OrderIdentifier(high: 1, low: 2)
      let request = ConsumptionAnswer.firstForm(
        ConsumptionFacts(kind: .consumable, delivery: delivery, use: use, token: token),
        ConsumptionPolicy(preference: preference, sampleContentProvided: true), at: Self.noon)
      _ = try AppStoreServerCall.consumptionV1(request, of: "2000000000000001")
      #expect(request.customerConsented && request.sampleContentProvided && request.platform == 1)
      #expect(request.appAccountToken == token && request.accountTenure == 0 && request.playTime == 0)
      #expect(request.lifetimeDollarsRefunded == 0 && request.lifetimeDollarsPurchased == 0 && request.userStatus == 0)
      return request
    }
    #expect(try told(.arrived, .unknown).consumptionStatus == 0)
    #expect(try told(.arrived, .units(left: 2, of: 2)).consumptionStatus == 1)
    #expect(try told(.arrived, .units(left: 1, of: 2)).consumptionStatus == 2)
    #expect(try told(.arrived, .units(left: 0, of: 2)).consumptionStatus == 3)
    #expect(try told(.arrived, .unknown).deliveryStatus == 0)
    #expect(try told(.notTaken, .unknown).deliveryStatus == 3)
    #expect(try told(.notGranted, .unknown).deliveryStatus == 5)
    #expect(try told(.notGranted, .unknown).refundPreference == 1)
    #expect(try told(.arrived, .units(left: 1, of: 2), preference: .decline).refundPreference == 2)
    #expect(try told(.arrived, .units(left: 1, of: 2), preference: .prorated).refundPreference == 1)
    #expect(try told(.arrived, .unknown).refundPreference == 0)
  }
}
