import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import WeChatPayIntegration
import WeChatPayProtocol

// The way back: the self-test with its notification, and the bill.
extension WeChatPayDoctor {
  /// How long the test notification may take, and the pause between checks.
  private static let echoLimit = TimeSpan.seconds(60)
  private static let echoPause = TimeSpan.seconds(1)

  mutating func checkNotifyURL() {
    let check = "wechat_pay.notify_url"
    let url = settings.notifyURL(of: app)
    guard settings.environment == .production else {
      return findings.append(
        .notApplicable(check, BilingualText("The simulator uses \(url).", "模拟器使用 \(url)。")))
    }
    let host = url.split(separator: "/", maxSplits: 2)[1].prefix { $0 != ":" }
    let isName =
      host.contains(".") && !host.hasSuffix(".local") && !host.hasSuffix(".internal")
      && host.contains { $0.isLetter }
    guard url.hasPrefix("https://"), !url.contains("?"), url.utf8.count <= 255, isName else {
      return findings.append(
        .failed(
          check, BilingualText("WeChat Pay cannot send to \(url).", "微信支付无法发送到 \(url)。"),
          remedy: BilingualText(
            "Set notify_origin to https:// and a public name. WeChat Pay follows no redirect and accepts no query.",
            "请将 notify_origin 设为 https:// 加公网域名；微信支付不跟随重定向，也不接受查询参数。")))
    }
    findings.append(.passed(check, BilingualText("WeChat Pay gets the address \(url).", "通知地址为 \(url)。")))
  }

  mutating func checkEcho(listeningWith open: (String, PlatformKeyRing) async -> NotificationListener?) async {
    let message = "counterfoil doctor " + nonce
    guard let listener = await open(message, keys) else {
      findings += await echo(message, nil)
      return
    }
    let doctor = self
    findings += await withTaskGroup(of: Void.self) { group in
      group.addTask { await listener.run() }
      let found = await doctor.echo(message, listener)
      listener.stop()
      await group.waitForAll()
      return found
    }
  }

  private func echo(_ message: String, _ listener: NotificationListener?) async -> [DoctorFinding] {
    let check = "wechat_pay.echo"
    let preferred = keys.preferred(at: dependencies.now())
    let call: WeChatPayCall<EchoAnswer>
    do throws(CodedError<WeChatPayRequestErrorCode>) {
      call = try .echo(
        message, encryptedMessage: preferred.flatMap { SensitiveField.encrypt(message, to: $0.key) },
        notifyURL: settings.notifyURL(of: app))
    } catch { return [.failed(check, error)] }
    switch await ask(call, at: settings.hosts[0]).outcome.result {
    case .answered(let answer):
      let returned = answer.encryptedMessage.flatMap { SensitiveField.decrypt($0, with: settings.merchant.privateKey) }
      let echoed = echoed(
        check, answer.message == message, isDecrypted: returned.map { $0 == message }, wasEncrypted: preferred != nil)
      return [echoed, await notification(listener)]
    case .refused(let error):
      return [.failed(check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy)]
    case .unknown(.unverified(let error, _, _)): return [.failed(check, error)]
    case .unknown:
      return [.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。"))]
    }
  }

  private func echoed(
    _ check: String, _ isWhole: Bool, isDecrypted: Bool?, wasEncrypted: Bool
  ) -> DoctorFinding {
    guard isWhole else {
      return .failed(
        check, BilingualText("The message was changed on its way back.", "回显内容被改动。"),
        remedy: BilingualText("Make sure that no proxy changes bodies.", "请确认代理没有改动报文。"))
    }
    guard !wasEncrypted || isDecrypted == true else {
      return .failed(
        check, BilingualText("Our key cannot decrypt the encrypted part of the answer.", "加密内容无法用商户私钥解密。"),
        remedy: BilingualText(
          "Use the private key of the certificate with the configured serial number.",
          "请使用所配置证书序列号对应的商户私钥。"))
    }
    return .passed(
      check,
      BilingualText("The message came back correctly, in plain text and encrypted.", "明文与加密内容均正确回显。"))
  }

  private func notification(_ listener: NotificationListener?) async -> DoctorFinding {
    let check = "wechat_pay.echo_notification"
    guard let listener else {
      return .notApplicable(
        check,
        BilingualText(
          "doctor cannot listen: the server's address is in use, and no Counterfoil server answers there.",
          "无法监听：服务器地址被占用，且该地址上没有本系统的服务器。"))
    }
    let end = dependencies.now() + Self.echoLimit
    var arrival = await listener.arrival()
    while arrival != .received, dependencies.now() < end, (try? await dependencies.sleep(Self.echoPause)) != nil {
      arrival = await listener.arrival()
    }
    switch arrival {
    case .received:
      return .passed(
        check,
        BilingualText("WeChat Pay's test notification arrived unchanged.", "微信支付的测试通知已原样到达。"))
    case .refused(let code):
      return .failed(
        check, BilingualText("A notification arrived and was refused: \(code).", "通知已到达但被拒绝：\(code)。"),
        remedy: BilingualText(
          "Make sure that no proxy changes headers or bodies; compare the APIv3 key and the platform key with the "
            + "merchant platform's.",
          "请确认代理没有改动报文头与报文体，并核对 APIv3 密钥和微信支付公钥与商户平台一致。"))
    case .nothing:
      let url = settings.notifyURL(of: app)
      return .failed(
        check, BilingualText("No test notification arrived within a minute.", "一分钟内没有收到测试通知。"),
        remedy: BilingualText(
          "Make this server reachable at \(url) from outside, and set the APIv3 key in the merchant platform.",
          "请让公网可以通过 \(url) 访问本服务器，并在商户平台设置 APIv3 密钥。"))
    }
  }

  // MARK: The bill

  mutating func checkBill() async {
    let check = "wechat_pay.bill"
    // A bill is available from 10:00 of the next Beijing day.
    let day = BeijingTime.day(dependencies.now() - .hours(34))
    do {
      switch await ask(try .tradeBill(day: day), at: settings.hosts[0]).outcome.result {
      case .answered(let ticket):
        let download = try BillDownload(ticket, hosts: settings.hosts)
        let request = download.request(by: settings.merchant, at: dependencies.now(), nonce: nonce)
        let file = try download.file(in: await exchange.send(request, BillDownload.timeLimit))
        let count = try TradeBill(file).rows.count
        findings.append(
          .passed(check, BilingualText("\(day): \(count) lines, checksum equal.", "\(day)：\(count) 行，校验值一致。")))
      case .refused(let error) where error.code == .noStatement:
        findings.append(.passed(check, BilingualText("\(day): no line on that day.", "\(day)：当日没有账单记录。")))
      case .refused(let error), .unknown(.undecided(let error)):
        findings.append(.failed(check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy))
      case .unknown(.unverified(let error, _, _)): findings.append(.failed(check, error))
      case .unknown:
        findings.append(.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。")))
      }
    } catch let error as CodedError<BillErrorCode> {
      findings.append(.failed(check, error))
    } catch {
      findings.append(
        .failed(
          check, BilingualText("The bill could not be downloaded.", "账单无法下载。").followed(by: "\(error)"),
          remedy: BilingualText("Allow this machine to reach WeChat Pay's hosts.", "请允许本机访问微信支付的域名。")))
    }
  }
}
