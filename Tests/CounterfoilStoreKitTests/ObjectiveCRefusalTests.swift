import Counterfoil
import CounterfoilStoreKit
import Foundation
import PaymentPrimitives
import SimulatedDevice
import Testing

/// Bad input at each call of the face for Objective-C: a clear error in both languages, and nothing is lost.
@Suite struct `The face for Objective-C, asked for what cannot be` {
  static let languages = ["zh-Hans-CN", "en-GB"]

  /// A purchase that cannot be, and its code.
  struct Bad: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: String
    var product = "coins6"
    var quantity = 1
    var store: String?
    var offer: String?
    var reference: String?
    var user: String? = "anna"

    static let all = [
      Bad(testDescription: "no piece", code: "client_quantity_not_allowed", quantity: 0),
      Bad(testDescription: "eleven pieces", code: "client_quantity_not_allowed", quantity: 11),
      Bad(testDescription: "fewer than none", code: "client_quantity_not_allowed", quantity: -1),
      Bad(testDescription: "a store that does not exist", code: "client_configuration_invalid", store: "applePay"),
      Bad(testDescription: "WeChat Pay in an app without it", code: "client_wechat_absent", store: "weChatPay"),
      Bad(testDescription: "no product", code: "client_request_invalid", product: ""),
      Bad(testDescription: "an unknown product", code: "client_server_refused", product: "swords"),
      Bad(testDescription: "a product that Apple does not know", code: "client_product_unknown", product: "ghost"),
      Bad(testDescription: "an offer that nobody signs", code: "client_server_refused", offer: "loyal"),
      Bad(
        testDescription: "a number of 65 characters", code: "client_request_invalid",
        reference: String(repeating: "1", count: 65)),
      Bad(testDescription: "nobody signed in", code: "client_not_signed_in", user: nil),
    ]
  }

  private func expect(_ refusal: ObjectiveCApp.Refusal?, _ code: String, _ language: String, _ what: String) {
    #expect(refusal?.code == code, "\(what): \(String(describing: refusal))")
    let text = refusal?.text ?? ""
    #expect(!text.isEmpty && text.contains { $0 > "\u{4e00}" } == language.hasPrefix("zh"), "\(what): \(text)")
  }

  private func app(_ language: String) throws -> (ClientFixture, ObjectiveCApp) {
    let world = try ClientFixture()
    let app = ObjectiveCApp(try world.phone(.storeKit2), in: world)
    app.configure = { $0.language = language }
    try app.launch()
    world.goOn(for: .seconds(1))
    return (world, app)
  }

  @Test(arguments: languages)
  func `opens nothing, says why, and still sells (1A.6, 1A.18-1A.20, 1A.23)`(_ language: String) throws {
    let (world, app) = try app(language)
    for bad in Bad.all {
      app.signIn(bad.user)
      let tap = app.tap(
        bad.product, quantity: bad.quantity, store: bad.store, offer: bad.offer, reference: bad.reference)
      world.goOn(until: { tap.value != nil })
      expect(tap.value?.refusal, bad.code, language, bad.testDescription)
      #expect(tap.value?.state == .failed && tap.value?.order == nil && tap.value?.message == tap.value?.refusal?.text)
    }
    #expect(app.phone.device.sheets.isEmpty && world.charges.isEmpty)
    app.signIn("anna")
    #expect(app.buy()?.state == .fulfilled)
    world.goOn(for: .minutes(1))
    #expect(try world.faults(leavesOrders: true) == [])
  }

  @Test(arguments: languages)
  func `cannot be made with bad settings, and can be made with good ones afterwards`(_ language: String) throws {
    let world = try ClientFixture()
    let app = ObjectiveCApp(try world.phone(.storeKit2), in: world)
    for server in ["", "http://pay.example.com", "no address"] {
      let configuration = ObjectiveCConfiguration(server: server, app: "shop") { $2(nil) }
      configuration.language = language
      let refusal = app.refusal(of: configuration)
      expect(refusal, "client_configuration_invalid", language, server)
    }
    try app.launch()
    #expect(app.buy()?.state == .fulfilled)
  }

  @Test(arguments: languages)
  func `answers the questions of nobody, and of an app whose server is away, with an error and never with none`(
    _ language: String
  ) throws {
    let (world, app) = try app(language)
    func expectRefusals(_ code: String, _ what: String) {
      for answer in [app.balances, app.entitlements] {
        #expect(answer != nil && answer?.held == nil, "not known is not none")
        expect(answer?.refusal, code, language, what)
      }
    }
    // A call that is made before the change of the user has ended may still be the former user's.
    func signIn(_ user: String?) {
      let signedIn = app.signIn(user)
      world.goOn(until: { signedIn.value != nil })
    }
    signIn(nil)
    expectRefusals("client_not_signed_in", "nobody")
    signIn("anna")
    app.phone.device.serverLink.isUp = false
    expectRefusals("client_server_unreachable", "no network")
    app.phone.device.serverLink.isUp = true
    #expect(app.buy()?.state == .fulfilled)
    world.goOn(for: .seconds(1))
    #expect(try world.faults(leavesOrders: true) == [])
  }

  @Test(arguments: languages)
  func `keeps no record that no server could know, and names it; the others are taken over (1A.32)`(
    _ language: String
  ) throws {
    let (world, app) = try app(language)
    let answered = app.answer { (face, answer: ObjectiveCApp.Answer<(ObjectiveCApp.Refusal?, [String]?)>) in
      let records = ["A-1", "A/2"].map {
        ObjectiveCEarlierRecord(reference: $0, productIdentifier: "com.example.coins6", user: "anna")
      }
      face.takeOver(records) { error in
        let unusable = (error as NSError?)?.userInfo["unusable"] as? [String]
        answer.end((ObjectiveCApp.Refusal(error), unusable))
      }
    }
    expect(answered?.0, "client_request_invalid", language, "a number with a slash")
    #expect(answered?.1 == ["A/2"])
    #expect(app.phone.openRecords.count == 1)
    #expect(app.support(for: "A/2") == [nil, nil])
    #expect(world.charges.isEmpty)
  }

  @Test(arguments: languages)
  func `refuses a refund of what is no transaction`(_ language: String) throws {
    let (world, app) = try app(language)
    let refused = app.answer { (face, answer: ObjectiveCApp.Answer<ObjectiveCApp.Refusal?>) in
      face.requestRefund(ofTransaction: "wx-4200000000", in: Screen.scene) { isSent, error in
        answer.end(isSent ? nil : ObjectiveCApp.Refusal(error))
      }
    }
    expect(refused ?? nil, "client_store_failed", language, "a number of WeChat")
    #expect(app.phone.device.sheets.isEmpty && world.charges.isEmpty)
  }
}
