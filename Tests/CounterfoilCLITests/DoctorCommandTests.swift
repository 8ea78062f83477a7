import PaymentPrimitives
import SimulationKit
import StrictJSON
import Testing
import WeChatPaySimulator

@Suite struct `The command doctor, for WeChat Pay` {
  private func failed(_ found: [String: String]) -> [String] { found.filter { $0.value == "failed" }.keys.sorted() }

  @Test func `finds nothing wrong if nothing is wrong, and makes no payment`() throws {
    let clinic = try DoctorFixture()
    let (code, found, _) = try clinic.examine()
    #expect(code == 0, "\(clinic.desk.output)\(clinic.desk.errors)")
    #expect(
      found == [
        "proxy": "notApplicable", "console": "notApplicable", "operator_keys": "notApplicable",
        "console.proxy": "notApplicable",
        "server.address": "passed", "server.database": "passed", "app_store": "notApplicable",
        "wechat_pay.certificates": "passed",
        "wechat_pay.host http://wechat.one": "passed",
        "wechat_pay.host http://wechat.two": "passed", "wechat_pay.clock": "passed",
        "wechat_pay.request_signature": "passed", "wechat_pay.answer_signature": "passed",
        "wechat_pay.notify_url": "notApplicable", "wechat_pay.echo": "passed",
        "wechat_pay.echo_notification": "passed", "wechat_pay.bill": "passed", "wechat_pay.complaints": "passed",
        "erasures": "notApplicable", "retention": "notApplicable",
      ])
    let weChatPay = clinic.weChatPay
    #expect(try clinic.world.perform(in: clinic.process) { await weChatPay.orders().isEmpty })
    #expect(!clinic.desk.output.contains("made for tests"))
    #expect(clinic.world.escapedJobs == 0)
  }

  @Test func `names the clock if it is two minutes off, and the answers' signature too if it is six`() throws {
    var clinic = try DoctorFixture()
    try clinic.turn(.clockSkewSeconds, to: 120)
    #expect(failed(try clinic.examine().found) == ["wechat_pay.clock"])
    clinic = try DoctorFixture()
    try clinic.turn(.clockSkewSeconds, to: -400)
    let (code, found, causes) = try clinic.examine()
    #expect(code == 1)
    #expect(failed(found).contains("wechat_pay.clock"))
    #expect(found["wechat_pay.answer_signature"] == "failed")
    #expect(causes["wechat_pay.clock"]?["cause"]?.string?.contains("400 s") == true)
    #expect(causes["wechat_pay.clock"]?["remedy"]?.string?.contains("NTP") == true)
  }

  @Test func `names our signature if serial number and private key do not match`() throws {
    var wrongSerial = try DoctorFixture()
    wrongSerial.serial = "5157F09EFDC096DE15EBE81A47057A7200000002"
    var wrongKey = try DoctorFixture()
    wrongKey.privateKey = DoctorFixture.strangeKey
    for clinic in [wrongSerial, wrongKey] {
      let (code, found, causes) = try clinic.examine()
      #expect(code == 1)
      #expect(found["wechat_pay.request_signature"] == "failed")
      #expect(found["wechat_pay.host http://wechat.one"] == "passed")
      #expect(causes["wechat_pay.request_signature"]?["remedy"]?.string?.contains("apiclient_key.pem") == true)
    }
  }

  @Test func `names the APIv3 key if certificates and the notification cannot be decrypted with it`() throws {
    var clinic = try DoctorFixture()
    clinic.apiV3Key = "a wrong APIv3 key for tests 32 b"
    let (code, found, causes) = try clinic.examine()
    #expect(code == 1)
    #expect(failed(found) == ["wechat_pay.certificates", "wechat_pay.echo_notification"])
    #expect(causes["wechat_pay.echo_notification"]?["remedy"]?.string?.contains("APIv3") == true)
  }

  @Test func `explains what the certificates' answer means`() throws {
    let publicKeyOnly = try DoctorFixture()
    try publicKeyOnly.setMode(.publicKey)
    let fine = try publicKeyOnly.examine()
    #expect(fine.code == 0)
    #expect(fine.found["wechat_pay.certificates"] == "notApplicable")
    var without = try DoctorFixture()
    without.usesPublicKey = false
    try without.setMode(.publicKey)
    let (code, found, causes) = try without.examine()
    #expect(code == 1)
    #expect(found["wechat_pay.certificates"] == "failed")
    #expect(causes["wechat_pay.certificates"]?["remedy"]?.string?.contains("PUB_KEY_ID") == true)
    var certificates = try DoctorFixture()
    certificates.usesPublicKey = false
    try certificates.setMode(.certificates)
    let learned = try certificates.examine()
    #expect(failed(learned.found) == [], "\(certificates.desk.output)")
  }

  @Test func `names the host that cannot be reached, and goes on with the other`() throws {
    let clinic = try DoctorFixture()
    try clinic.plan(PlannedFault(.unreachable, host: "wechat.two", count: nil))
    let (code, found, _) = try clinic.examine()
    #expect(code == 1)
    #expect(failed(found) == ["wechat_pay.host http://wechat.two"])
  }

  @Test func `names the notification if none arrives, or only altered ones`() throws {
    let lost = try DoctorFixture()
    try lost.turn(.notifyNever, to: 1)
    let before = lost.world.now
    let (code, found, causes) = try lost.examine()
    #expect(code == 1)
    #expect(failed(found) == ["wechat_pay.echo_notification"])
    #expect(causes["wechat_pay.echo_notification"]?["cause"]?.string?.contains("minute") == true)
    #expect(lost.world.now - before < .seconds(70))
    let altered = try DoctorFixture()
    try altered.plan(PlannedFault(.wrongSignature, of: .echoNotification, count: nil))
    let told = try altered.examine()
    #expect(failed(told.found) == ["wechat_pay.echo_notification"])
    #expect(
      told.causes["wechat_pay.echo_notification"]?["cause"]?.string?.contains("wechat_pay_signature_wrong") == true)
  }

  @Test func `reads the metrics of a server that already runs`() throws {
    func counters(_ echoes: Int, _ refused: Int) -> String {
      """
      counterfoil_notifications_total{type="SECURITY_ECHO.SUCCESS",effect="applied",environment="simulated"} \(echoes)
      counterfoil_notifications_total{type="TRANSACTION.SUCCESS",effect="applied",environment="simulated"} 7
      counterfoil_verify_failures_total{reason="wechat_pay_resource_not_authentic"} \(refused)

      """
    }
    var clinic = try DoctorFixture()
    clinic.isTaken = true
    clinic.metrics = [counters(3, 1), counters(3, 1), counters(4, 1)]
    #expect(try clinic.examine().found["wechat_pay.echo_notification"] == "passed")
    clinic = try DoctorFixture()
    clinic.isTaken = true
    clinic.metrics = [counters(3, 1), counters(3, 2)]
    let refused = try clinic.examine()
    #expect(refused.found["wechat_pay.echo_notification"] == "failed")
    clinic = try DoctorFixture()
    clinic.isTaken = true
    #expect(try clinic.examine().found["wechat_pay.echo_notification"] == "notApplicable")
  }

  @Test func `names a bill with a different checksum`() throws {
    let clinic = try DoctorFixture()
    try clinic.sell()
    clinic.world.run(for: .hours(36))
    let fine = try clinic.examine()
    #expect(fine.found["wechat_pay.bill"] == "passed")
    #expect(fine.causes["wechat_pay.bill"]?["cause"]?.string?.contains("1 lines") == true)
    try clinic.plan(PlannedFault(.wrongHash, of: .tradeBill))
    let (code, found, _) = try clinic.examine()
    #expect(code == 1)
    #expect(failed(found) == ["wechat_pay.bill"])
  }

  @Test func `names complaints that WeChat Pay does not tell, and warns of one without an answer`() throws {
    let clinic = try DoctorFixture()
    try clinic.plan(PlannedFault(.systemError, of: .complaints))
    #expect(failed(try clinic.examine().found) == ["wechat_pay.complaints"])
    try clinic.sell()
    let weChatPay = clinic.weChatPay
    try clinic.world.perform(in: clinic.process) {
      let order = try #require(await weChatPay.orders().first)
      _ = try await weChatPay.control.complain(about: order.key, "没有到账")
    }
    let fine = try clinic.examine()
    #expect(fine.found["wechat_pay.complaints"] == "passed")
    clinic.world.run(for: .hours(17))
    let late = try clinic.examine()
    #expect(late.code == 0 && late.found["wechat_pay.complaints"] == "warned")
    #expect(late.causes["wechat_pay.complaints"]?["remedy"]?.string?.contains("24 hours") == true)
  }

  @Test func `prints both languages, and refuses wrong usage`() throws {
    var clinic = try DoctorFixture()
    clinic.language = "zh_CN.UTF-8"
    #expect(try clinic.run(["doctor", "--config", "c.toml"]) == 0)
    #expect(clinic.desk.output.contains("wechat_pay.clock: 通过"))
    #expect(try clinic.run(["doctor", "--config", "c.toml", "--app", "nobody"]) == 2)
    #expect(try clinic.run(["doctor", "--config", "gone.toml"]) == 2)
    #expect(try clinic.run(["doctor", "--confg", "c.toml"]) == 2)
  }
}
