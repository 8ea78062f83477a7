import AppStoreSimulator
import HTTPMessages
import PaymentPrimitives
import SimulationKit
import StrictJSON
import Testing

@Suite struct `The command doctor, for the App Store` {
  @Test func `finds nothing wrong if nothing is wrong`() throws {
    let clinic = try AppStoreDoctorFixture()
    let found = try clinic.examine()
    #expect(found.code == 0, "\(found.printed)")
    #expect(
      found.outcomes == [
        "proxy": "notApplicable", "console": "notApplicable", "operator_keys": "notApplicable",
        "console.proxy": "notApplicable",
        "erasures": "notApplicable", "retention": "notApplicable",
        "server.address": "notApplicable", "server.database": "passed",
        "app_store.key": "passed", "app_store.anchors": "notApplicable",
        "app_store.host http://apple.production": "passed", "app_store.host http://apple.sandbox": "passed",
        "app_store.clock": "passed", "app_store.authorization production": "passed",
        "app_store.authorization sandbox": "passed", "app_store.test_notification production": "passed",
        "app_store.test_notification sandbox": "passed", "app_store.signature": "passed",
        "app_store.identity": "passed", "app_store.certificate_status": "notApplicable", "wechat_pay": "notApplicable",
      ])
    #expect(!found.printed.contains("PRIVATE"))
    #expect(clinic.world.escapedJobs == 0)
  }

  @Test func `warns of a missing key, and sends no request`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.table = nil
    let found = try clinic.examine()
    #expect(found.code == 0)
    #expect(
      found.outcomes == [
        "proxy": "notApplicable", "console": "notApplicable", "operator_keys": "notApplicable",
        "console.proxy": "notApplicable",
        "erasures": "notApplicable", "retention": "notApplicable",
        "server.address": "notApplicable", "server.database": "passed",
        "app_store.key": "warned", "wechat_pay": "notApplicable",
      ])
    #expect(found.text("app_store.key").contains("refunds"))
    clinic.head = ""
    #expect(try clinic.examine().outcomes["app_store"] == "notApplicable")
  }

  @Test func `names key and ids if both App Stores refuse them`() throws {
    var strangeKey = try AppStoreDoctorFixture()
    strangeKey.privateKey = AppStoreDoctorFixture.strangeKey
    var otherIssuer = try AppStoreDoctorFixture()
    otherIssuer.table = otherIssuer.table?.replacing(
      otherIssuer.apple.testAPIKey.key.issuerId.text, with: "11111111-2222-4333-8444-555555555555")
    var otherApp = try AppStoreDoctorFixture()
    otherApp.head = "bundle_id = \"com.example.other\"\n"
    for clinic in [strangeKey, otherIssuer, otherApp] {
      let found = try clinic.examine()
      #expect(found.code == 1)
      #expect(found.failed == ["app_store.authorization production", "app_store.authorization sandbox"])
      let text = found.text("app_store.authorization production")
      #expect(text.contains("a missing release is not the cause") && text.contains("SubscriptionKey_"), "\(text)")
      #expect(found.outcomes["app_store.test_notification production"] == "notApplicable")
      #expect(found.outcomes["app_store.signature"] == "notApplicable")
    }
  }

  @Test func `distinguishes an app that was never released from a wrong key`() throws {
    var clinic = try AppStoreDoctorFixture()
    try clinic.turn(.unreleasedInProduction, to: 1)
    let found = try clinic.examine()
    #expect(found.code == 1)
    #expect(found.failed == ["app_store.authorization production"])
    #expect(found.text("app_store.authorization production").contains("released = false"))
    #expect(found.outcomes["app_store.test_notification sandbox"] == "passed")
    // The configuration follows the remedy; later the app is released.
    clinic.table? += "released = false\n"
    let told = try clinic.examine()
    #expect(told.code == 0)
    #expect(told.outcomes["app_store.authorization production"] == "notApplicable")
    try clinic.turn(.unreleasedInProduction, to: 0)
    let released = try clinic.examine()
    #expect(released.code == 0)
    #expect(released.outcomes["app_store.authorization production"] == "warned")
  }

  @Test func `does not take a refusal of the sandbox alone for a wrong key`() throws {
    let clinic = try AppStoreDoctorFixture()
    try clinic.plan(PlannedAPIFault(.unauthorized, of: .notificationHistory, skip: 1))
    let found = try clinic.examine()
    #expect(found.failed == ["app_store.authorization sandbox"])
    #expect(found.text("app_store.authorization sandbox").contains("key and ids are right"))
  }

  @Test func `names the clock if it is more than a minute off, and before the key`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.skew = .seconds(50)
    #expect(try clinic.examine().failed == [])
    clinic.skew = .seconds(-120)
    let slow = try clinic.examine()
    #expect(slow.failed.contains("app_store.clock"))
    #expect(slow.outcomes["app_store.authorization production"] == "passed")
    for seconds: Int64 in [90, -400] {
      clinic.skew = .seconds(seconds)
      let found = try clinic.examine()
      #expect(found.code == 1)
      #expect(found.text("app_store.clock").contains("\(seconds) s"))
      #expect(found.outcomes["app_store.authorization production"] == "failed")
      let text = found.text("app_store.authorization production")
      #expect(text.contains("NTP") && !text.contains("SubscriptionKey_"), "\(text)")
    }
    clinic.saysTime = false
    #expect(try clinic.examine().outcomes["app_store.clock"] == "notApplicable")
  }

  @Test func `names the address if Apple has none`() throws {
    let found = try AppStoreDoctorFixture(notificationURL: nil).examine()
    #expect(found.code == 1)
    #expect(found.failed == ["app_store.test_notification production", "app_store.test_notification sandbox"])
    #expect(found.text("app_store.test_notification sandbox").contains("/notifications/app-store"))
    #expect(found.text("app_store.test_notification sandbox").contains("sandbox server URL"))
  }

  @Test func `names the failure of the test notification`() throws {
    let clinic = try AppStoreDoctorFixture()
    clinic.way.set(.success(404))
    let elsewhere = try clinic.examine()
    #expect(elsewhere.failed == ["app_store.test_notification production", "app_store.test_notification sandbox"])
    #expect(elsewhere.text("app_store.test_notification production").contains("(UNSUCCESSFUL_HTTP_RESPONSE_CODE)"))
    clinic.way.set(.failure(.outcomeUnknown("slow")))
    #expect(try clinic.examine().text("app_store.test_notification production").contains("firewall"))
    clinic.way.set(.failure(.unreachable("nobody")))
    #expect(try clinic.examine().text("app_store.test_notification production").contains("port 443"))
  }

  @Test func `only warns if Apple gives no result, and waits no longer than a minute`() throws {
    let clinic = try AppStoreDoctorFixture()
    try clinic.turn(.notifyNever, to: 1)
    let before = clinic.world.now
    let unsent = try clinic.examine()
    #expect(unsent.code == 0)
    #expect(unsent.outcomes["app_store.test_notification production"] == "warned")
    #expect(clinic.world.now - before < .seconds(150))
    let busy = try AppStoreDoctorFixture()
    try busy.plan(PlannedAPIFault(.rateLimited, of: .notificationHistory, count: 2))
    let found = try busy.examine()
    #expect(found.code == 0)
    #expect(found.outcomes["app_store.authorization sandbox"] == "warned")
    // A lost answer is requested again.
    let shaky = try AppStoreDoctorFixture()
    try shaky.plan(PlannedAPIFault(.loseAnswer, of: .testNotificationStatus, count: 2))
    #expect(try shaky.examine().outcomes["app_store.test_notification production"] == "passed")
  }

  @Test func `names a host that cannot be reached or is not Apple's`() throws {
    let clinic = try AppStoreDoctorFixture()
    try clinic.plan(PlannedAPIFault(.unreachable, count: nil))
    let found = try clinic.examine()
    #expect(found.code == 1)
    #expect(found.failed == ["app_store.host http://apple.production", "app_store.host http://apple.sandbox"])
    #expect(found.outcomes["app_store.authorization production"] == "notApplicable")
    let between = try AppStoreDoctorFixture()
    try between.plan(
      PlannedAPIFault(.htmlError, of: .notificationHistory), PlannedAPIFault(.cutAnswer, of: .notificationHistory))
    let page = try between.examine()
    #expect(page.failed == ["app_store.host http://apple.sandbox"])
    #expect(page.outcomes["app_store.host http://apple.production"] == "warned")
    #expect(page.text("app_store.host http://apple.production").contains("proxy"))
    #expect(page.outcomes["app_store.authorization production"] == "warned")
    #expect(page.outcomes["app_store.authorization sandbox"] == "notApplicable")
  }

  @Test func `names the app's Apple id if Apple has another`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.head = clinic.head.replacing("41234", with: "41235")
    let found = try clinic.examine()
    #expect(found.code == 1)
    #expect(found.failed == ["app_store.identity"])
    #expect(found.text("app_store.identity").contains("app_apple_id = 41234"))
  }

  @Test func `trusts nothing that does not verify against the roots`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.trustsRoot = false
    let found = try clinic.examine()
    #expect(found.code == 1)
    #expect(found.failed == ["app_store.signature production"])
    #expect(found.outcomes["app_store.identity"] == "notApplicable")
  }

  @Test(arguments: [("soft", "warned"), ("hard", "failed")])
  func `asks whether Apple's certificates are revoked, if the server will`(ocsp: String, silence: String) throws {
    let check = "app_store.certificate_status"
    var clinic = try AppStoreDoctorFixture()
    clinic.ocsp = ocsp
    #expect(try clinic.examine().outcomes[check] == (ocsp == "soft" ? "notApplicable" : "failed"))
    try clinic.publishStatus()
    #expect(try clinic.examine().outcomes[check] == "passed")
    try clinic.plan(PlannedAPIFault(.htmlError, of: .certificateStatus))
    let silent = try clinic.examine()
    #expect(silent.outcomes[check] == silence && silent.text(check).contains("ocsp.apple.com"), "\(silent.text(check))")
    try clinic.publishStatus(revoking: true)
    let revoked = try clinic.examine()
    #expect(revoked.outcomes[check] == "failed" && revoked.text(check).contains("Receipt Signing"))
    #expect(revoked.code == 1)
  }

  @Test func `asks a simulator at one address once`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.table = clinic.table?.replacing("sandbox_host = \"http://apple.sandbox\"\n", with: "")
    let found = try clinic.examine()
    #expect(found.code == 0, "\(found.printed)")
    #expect(found.printed.split(separator: "\n").count { $0.contains("app_store.host") } == 1)
  }

  @Test func `prints Chinese`() throws {
    var clinic = try AppStoreDoctorFixture()
    clinic.language = "zh_CN.UTF-8"
    let (code, printed) = try clinic.run(["doctor", "--config", "c.toml"])
    #expect(code == 0)
    #expect(printed.contains("app_store.clock: 通过"), "\(printed)")
    clinic.table = nil
    #expect(try clinic.run(["doctor", "--config", "c.toml"]).printed.contains("app_store.key: 警告"))
  }
}
