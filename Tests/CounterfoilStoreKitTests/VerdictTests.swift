import AppStoreSimulator
import Counterfoil
import CounterfoilAPI
import CounterfoilStoreKit
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import SimulatedDevice
import SimulationKit
import TestDoubles
import Testing

/// Only the server's verdict counts, and nothing before it.
@Suite struct `A verdict` {
  @Test(arguments: Phone.Interface.allCases)
  func `alone changes what a user has: an unverified charge shows nothing as granted (1A.68, 1A.42)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    let heard = phone.listen()
    let tap = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.device.serverLink.isUp = false
    world.goOn(for: .minutes(10))
    #expect(tap.result != nil && !tap.isFulfilled, "\(String(describing: tap.result))")
    #expect(heard.grants == 0)
    #expect(try world.coins(of: "anna") == 0)
    phone.device.serverLink.isUp = true
    _ = phone.ask { await $0.recover(.networkBack) }
    world.goOn(for: .minutes(1))
    #expect(heard.grants == 1)
    #expect(try world.coins(of: "anna") == 6)
  }

  @Test(arguments: Phone.Interface.allCases)
  func `alone finishes: no callback, failure or acceptance does, over days and starts (1A.73, X2, 1A.69)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    // The server has the payment and has not decided: sample code may finish now, or at the callback.
    let bought = try world.buyOutside(phone, "com.example.coins6", byDevice: true)
    phone.verdicts = [bought: .pending]
    for _ in 0..<3 {
      try phone.launch()
      world.goOn(for: .hours(30))
    }
    #expect(phone.eventLog.has("client.verdict transaction=\(bought) verdict=pending"))
    #expect(phone.device.finishes == [])
    phone.verdicts = [:]
    try phone.launch()
    world.goOn(for: .minutes(5))
    #expect(phone.device.finishes == [bought])
    #expect(try world.faults() == [])
  }

  @Test(arguments: Phone.Interface.allCases)
  func `goes by the order id in the transaction, even if a newer order waits (1A.49, 1A.23)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.account.switches.asksToBuy = true
    phone.buy()
    let first = try #require(phone.records.first?.order?.id)
    phone.device.account.switches.asksToBuy = false
    phone.device.nextAnswers(.cancels(after: .seconds(3)))
    phone.buy()
    #expect(phone.records.count == 2)
    phone.device.account.answerApproval(true)
    world.goOn(for: .minutes(5))
    let charge = try #require(world.charges.first)
    #expect(charge.transaction.appAccountToken?.text == first.appAccountToken)
    let match = try #require(try world.match(of: charge))
    #expect(match.rule == .exact)
    #expect(phone.records.compactMap { $0.order?.id }.contains(first) == false, "the older order is the paid one")
    #expect(phone.records.map(\.phase) == [.failedOnce], "the newer one still waits")
  }

  @Test(arguments: Phone.Interface.allCases)
  func `is waited for 10 s in each request, and longer only where the request asks to wait (1A.64)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    #expect(phone.buy().isFulfilled)
    world.goOn(for: .minutes(1))
    let seen = phone.clock.all
    #expect(seen.contains { $0.request.target.hasSuffix("/v1/payments/app-store") })
    for (request, limit) in seen {
      let wait = request.target.split(separator: "wait=").dropFirst().first.flatMap { Int64($0.prefix { $0.isNumber }) }
      #expect(limit == .seconds(10 + (wait ?? 0)), "\(request.target)")
    }
  }

  @Test(arguments: Phone.Interface.allCases)
  func `that never comes leaves an error with the cause, the store's code and texts in two languages (1A.77)`(
    _ interface: Phone.Interface
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(interface)
    try phone.launch()
    phone.device.account.switches.hasNewTerms = true
    phone.device.nextAnswers(.leavesTermsOpen)
    let error = try #require(phone.buy().error)
    #expect(error.code == .storeFailed)
    #expect(error.storeFailure?.code == 0 && error.storeFailure?.innerCode == 3038)
    for language in [Language.english, .chinese] { #expect(error.message(language).count > 10) }
    #expect(error.message(.english) != error.message(.chinese))
    phone.device.account.switches.hasNewTerms = false
    let outcome = try #require(phone.buy().outcome)
    guard case .fulfilled(let order, recovered: false) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(outcome.order == order)
  }

  @Test(arguments: [true, false])
  func `is requested with the signed transaction, or with StoreKit 1's receipt only if there is none (X19)`(
    _ isSigned: Bool
  ) throws {
    let world = try ClientFixture()
    let phone = try world.phone(.storeKit1)
    try phone.launch()
    _ = phone.tap()
    world.goOn(until: { phone.device.charges.count == 1 })
    phone.kill()
    // A system without StoreKit 2, or one on which it does not answer, has only the receipt.
    phone.device.behaviours.queueIsMute = !isSigned
    let process = world.nextProcess()
    let run = phone.device.launch { process.spawn($0) }
    let queue = AppRun.$current.withValue(run) {
      StoreKit1Queue(
        receipt: AppReceipt(read: { Array("receipt".utf8) }, refresh: { true }), dependencies: process.dependencies(),
        start: AdapterStart { run.start($0) })
    }
    let answer = SharedValue<[String]?>(nil)
    run.start { answer.value = (try? await queue.unfinished().compactMap(\.evidence)) ?? [] }
    world.goOn(for: .minutes(1))
    let evidence = try #require(answer.value?.first)
    #expect(evidence.hasPrefix("ey") == isSigned)
    #expect((evidence == "cmVjZWlwdA==") == !isSigned)
    run.end()
    process.kill()
  }
}
