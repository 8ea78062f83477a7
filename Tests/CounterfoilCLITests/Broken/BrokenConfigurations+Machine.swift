import AppStoreSimulator
import PaymentPrimitives
import SimulationKit
import StrictJSON
import WeChatPaySimulator

extension BrokenConfigurations {
  // MARK: secrets

  static let secrets = [
    Entry(
      "A secret in the file itself", "机密内容直接写在配置文件里", refusedWith: "secret_inline",
      at: "app[0].user_token_key[0].secret",
      when: .text([("secret = { file = \"user-token.secret\" }", "secret = \"sesame-sesame-sesame-sesame\"")])),
    Entry(
      "An environment variable that is not set", "环境变量未设置", refusedWith: "secret_unreadable",
      at: "app[0].user_token_key[0].secret",
      when: .text([("{ file = \"user-token.secret\" }", "{ environment = \"USER_TOKEN\" }")])),
    Entry(
      "A credential that the service manager does not provide", "服务管理器未提供的 credential",
      refusedWith: "secret_unreadable",
      at: "app[0].user_token_key[0].secret",
      when: .text([("{ file = \"user-token.secret\" }", "{ credential = \"user-token\" }")])),
    Entry(
      "A secret's file that is missing", "缺少机密文件", refusedWith: "secret_unreadable",
      at: "app[0].endpoint[0].secrets", when: .file("webhook.secret", nil)),
    Entry(
      "An empty secret", "机密文件为空", refusedWith: "secret_empty", at: "app[0].wechat_pay.api_v3_keys",
      when: .file("api-v3.key", [0x0A])),
    Entry(
      "A secret that every user of the machine can read", "本机所有用户都能读取机密文件", refusedWith: "secret_exposed",
      at: "app[0].wechat_pay.private_key", when: .exposed("apiclient_key.pem")),
    Entry(
      "A webhook secret that was made by hand", "自行编造的 webhook 密钥", refusedWith: "malformed",
      at: "app[0].endpoint[0].secrets", when: .file("webhook.secret", Array("my-secret".utf8))),
    Entry(
      "A user token secret that can be guessed", "过短的用户令牌密钥", refusedWith: "malformed",
      at: "app[0].user_token_key[0].secret", when: .file("user-token.secret", Array("secret".utf8))),
  ]

  // MARK: the machine

  static let machine = [
    Entry(
      "Another program listens on the port", "端口已被其他程序占用", failing: "server.address", when: .machine(.port)),
    Entry(
      "A folder of the database that cannot be written", "数据库文件夹不可写", failing: "server.database",
      when: .machine(.folder("./"))),
    Entry(
      "A folder of backups that cannot be written", "备份文件夹不可写", failing: "server.backup",
      when: .machine(.folder("/var/backups/"))),
  ]

  // MARK: the stores

  static let stores = [
    Entry(
      "A clock that is six minutes behind, by Apple's", "时钟比 Apple 慢六分钟", failing: "app_store.clock",
      when: .store {
        var fixture = try AppStoreDoctorFixture()
        fixture.skew = .seconds(-360)
        return try failures(fixture)
      }),
    Entry(
      "A key that is not the one of the key id", "密钥与 key id 不符", failing: "app_store.authorization production",
      when: .store {
        var fixture = try AppStoreDoctorFixture()
        fixture.privateKey = AppStoreDoctorFixture.strangeKey
        return try failures(fixture)
      }),
    Entry(
      "A key of another app's team", "密钥属于其他团队的应用", failing: "app_store.authorization sandbox",
      when: .store {
        var fixture = try AppStoreDoctorFixture()
        fixture.head = "bundle_id = \"com.example.other\"\n"
        return try failures(fixture)
      }),
    Entry(
      "An app that works in the sandbox alone, as a production app", "仅能在沙盒使用的应用被当作正式应用",
      failing: "app_store.authorization production",
      when: .store {
        let fixture = try AppStoreDoctorFixture()
        try fixture.turn(.unreleasedInProduction, to: 1)
        return try failures(fixture)
      }),
    Entry(
      "No address for notifications in App Store Connect", "App Store Connect 中未填写通知地址",
      failing: "app_store.test_notification production",
      when: .store { try failures(AppStoreDoctorFixture(notificationURL: nil)) }),
    Entry(
      "An address in App Store Connect where nothing answers", "App Store Connect 中的通知地址无应答",
      failing: "app_store.test_notification sandbox",
      when: .store {
        let fixture = try AppStoreDoctorFixture()
        fixture.way.set(.success(404))
        return try failures(fixture)
      }),
    Entry(
      "A clock that is six minutes ahead, by WeChat Pay's", "时钟比微信支付快六分钟", failing: "wechat_pay.clock",
      when: .store {
        let fixture = try DoctorFixture()
        try fixture.turn(.clockSkewSeconds, to: -360)
        return try failures(fixture)
      }),
    Entry(
      "The serial number of another certificate", "证书序列号属于另一张证书", failing: "wechat_pay.request_signature",
      when: .store {
        var fixture = try DoctorFixture()
        fixture.serial = "5157F09EFDC096DE15EBE81A47057A7200000002"
        return try failures(fixture)
      }),
    Entry(
      "An APIv3 key that is not set at the merchant platform", "APIv3 密钥与商户平台设置不符", failing: "wechat_pay.certificates",
      when: .store {
        var fixture = try DoctorFixture()
        fixture.apiV3Key = "a wrong APIv3 key for tests 32 b"
        return try failures(fixture)
      }),
    Entry(
      "A firewall before WeChat Pay", "防火墙阻断了对微信支付的访问", failing: "wechat_pay.host http://wechat.two",
      when: .store {
        let fixture = try DoctorFixture()
        try fixture.plan(PlannedFault(.unreachable, host: "wechat.two", count: nil))
        return try failures(fixture)
      }),
    Entry(
      "Notifications of WeChat Pay that do not arrive", "收不到微信支付通知", failing: "wechat_pay.echo_notification",
      when: .store {
        let fixture = try DoctorFixture()
        try fixture.turn(.notifyNever, to: 1)
        return try failures(fixture)
      }),
  ]

  private static func failures(
    _ fixture: AppStoreDoctorFixture
  ) throws -> [String: (cause: String, remedy: String)] {
    let found = try fixture.examine()
    return Dictionary(
      uniqueKeysWithValues: found.failed.map {
        ($0, (found.lines[$0]?["cause"]?.string ?? "", found.lines[$0]?["remedy"]?.string ?? ""))
      })
  }

  private static func failures(_ fixture: DoctorFixture) throws -> [String: (cause: String, remedy: String)] {
    let (_, found, causes) = try fixture.examine()
    return Dictionary(
      uniqueKeysWithValues: found.filter { $0.value == "failed" }.keys.map {
        ($0, (causes[$0]?["cause"]?.string ?? "", causes[$0]?["remedy"]?.string ?? ""))
      })
  }
}
