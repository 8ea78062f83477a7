import Counterfoil
import CounterfoilAPI
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import Testing

/// The App Store versions of the eight ways to lose a callback of WeChat. The callback never comes, whatever the
/// customer does.
struct LostSheet: Sendable, CustomTestStringConvertible {
  let number: Int
  let testDescription: String
  /// What the customer does with the sheet.
  let answer: CustomerAnswer
  /// Whether Apple first asks the customer to sign in.
  var mustSignIn = false
  /// When the customer returns to the app after the tap.
  let backAfter: TimeSpan
  let isCharged: Bool

  static let all: [LostSheet] = [
    LostSheet(
      number: 1, testDescription: "the sheet is closed", answer: .cancels(after: .seconds(5)),
      backAfter: .seconds(6), isCharged: false),
    LostSheet(
      number: 2, testDescription: "the password is never typed", answer: .cancels(after: .minutes(20)),
      backAfter: .seconds(30), isCharged: false),
    LostSheet(
      number: 3, testDescription: "home screen and back, then the password",
      answer: .agrees(after: .minutes(1)),
      backAfter: .seconds(20), isCharged: true),
    LostSheet(
      number: 4, testDescription: "locked and unlocked over the sheet", answer: .agrees(after: .minutes(10)),
      backAfter: .minutes(9), isCharged: true),
    LostSheet(
      number: 5, testDescription: "the notification shade over the sheet",
      answer: .agrees(after: .seconds(10)),
      backAfter: .seconds(5), isCharged: true),
    LostSheet(
      number: 6, testDescription: "the password is accepted, then home", answer: .paysAndNothingIsHeard,
      backAfter: .minutes(1), isCharged: true),
    LostSheet(
      number: 7, testDescription: "signed out; the user comes back in the middle of the sign-in",
      answer: .acceptsTerms(after: .minutes(5)), mustSignIn: true, backAfter: .minutes(1), isCharged: true),
    LostSheet(
      number: 8, testDescription: "another account is asked for, and the user leaves", answer: .leavesTermsOpen,
      mustSignIn: true, backAfter: .seconds(20), isCharged: false),
  ]
}

@Suite struct `A callback of the App Store that never comes` {
  @Test(arguments: Phone.Interface.allCases, LostSheet.all)
  func `leaves the order granted where money moved, and nothing where it did not (1A.14, 1A.46)`(
    _ interface: Phone.Interface, _ way: LostSheet
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.behaviours.losesCallbacks = true
    phone.device.account.switches.needsPaymentMethod = way.mustSignIn
    phone.device.nextAnswers(way.answer)
    let tap = phone.tap()
    world.goOn(until: { !phone.device.sheets.isEmpty })
    world.goOn(for: way.backAfter)
    phone.device.comeToForeground()
    _ = phone.ask { await $0.recover(.foreground) }
    world.goOn(for: .minutes(40))
    #expect(tap.result != nil, "the tap does not wait for a callback for ever")
    #expect(world.charges.count == (way.isCharged ? 1 : 0))
    // The client reads the store's queue by itself within minutes, at the latest at the next foreground.
    _ = phone.ask { await $0.recover(.foreground) }
    world.goOn(for: .minutes(5))
    let granted: Int64 = way.isCharged ? 6 : 0
    #expect(try world.coins(of: "anna") == granted, "in the same run")
    // StoreKit 1's own entry of a payment without any callback leaves the queue with the process (rule DEV-3).
    phone.kill()
    try phone.launch()
    world.goOn(for: .minutes(1))
    #expect(try world.faults(leavesOrders: true) == [])
    #expect(phone.device.sheets.count == 1)
    #expect(phone.records.isEmpty == way.isCharged, "the unpaid order stays, \(phone.records.map(\.phase))")
  }
}
