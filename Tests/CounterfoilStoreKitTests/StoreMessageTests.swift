import AppStoreSimulator
import Counterfoil
import CounterfoilStoreKit
import PaymentPrimitives
import SimulatedDevice
import TestDoubles
import Testing

/// Price increases, failed renewals and offers that the App Store itself tells the customer (rule SK2-31).
@Suite struct `A message of the App Store` {
  private func launched() throws -> (ClientFixture, Phone) {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit2)
    try phone.launch()
    world.goOn(for: .seconds(1))
    return (world, phone)
  }

  @Test func `is shown by the system while the app does not ask for it`() throws {
    let (world, phone) = try launched()
    phone.device.messages.post(.priceIncreaseConsent)
    world.goOn(for: .seconds(1))
    #expect(phone.device.messages.shown == [.priceIncreaseConsent])
  }

  @Test func `waits for the app that asks, says what it is about, and is shown once`() throws {
    let (world, phone) = try launched()
    let reasons = SharedValue<[StoreMessage.Reason]>([])
    let mayShow = SharedValue(false)
    let held = SharedValue<[StoreMessage]>([])
    phone.run?.start {
      for await message in StoreMessages() {
        reasons.value.append(message.reason)
        held.value.append(message)
      }
    }
    world.goOn(for: .seconds(1))
    for message in [DeviceMessage.priceIncreaseConsent, .billingIssue, .winBackOffer, .generic] {
      phone.device.messages.post(message)
    }
    #expect(phone.buy().isFulfilled, "nothing lies over the payment")
    #expect(phone.device.messages.shown == [] && !mayShow.value)
    #expect(reasons.value == [.priceIncrease, .billingIssue, .winBackOffer, .other])
    let first = try #require(held.value.first)
    phone.run?.start { try? await first.show() }
    world.goOn(for: .seconds(1))
    #expect(phone.device.messages.shown == [.priceIncreaseConsent])
  }

  @Test func `that cannot be shown, because the app shows nothing, says so`() throws {
    let (world, phone) = try launched()
    let failure = SharedValue<StoreFailure?>(nil)
    phone.run?.start {
      for await message in StoreMessages() {
        await Screen.leaveForeground()
        do throws(StoreFailure) { try await message.show() } catch { failure.value = error }
      }
    }
    world.goOn(for: .seconds(1))
    phone.device.messages.post(.billingIssue)
    world.goOn(for: .seconds(1))
    #expect(failure.value?.explanation == "the app shows nothing now")
    #expect(phone.device.messages.shown == [])
  }
}
