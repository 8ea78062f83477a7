import Cryptography
package import HTTPMessages
import PaymentEngine
package import PaymentPrimitives
package import WeChatPayIntegration
package import WeChatPayProtocol

/// The checks of an app's merchant account at WeChat Pay. None of them moves money.
package struct WeChatPayDoctor {
  let settings: WeChatPayAccess
  let app: AppIdentifier
  let exchange: HTTPExchange
  let dependencies: Dependencies
  private(set) var keys: PlatformKeyRing
  package var findings: [DoctorFinding] = []

  /// The clock error from which the doctor warns; at 300 seconds no request works any more.
  private static let clockSlack = TimeSpan.seconds(60)

  package init(
    _ settings: WeChatPayAccess, of app: AppIdentifier, _ exchange: HTTPExchange, dependencies: Dependencies
  ) {
    self.settings = settings
    self.app = app
    self.exchange = exchange
    self.dependencies = dependencies
    keys = settings.platformKeys
  }

  /// Runs all checks, in an order in which each may rely on those before it.
  ///
  /// - Parameter open: where the test notification for that message would arrive, with the keys learned so far; nil
  ///   if listening is not possible.
  package mutating func examine(listeningWith open: (String, PlatformKeyRing) async -> NotificationListener?) async {
    await checkCertificates()
    await checkHosts()
    checkNotifyURL()
    await checkEcho(listeningWith: open)
    await checkBill()
    await checkComplaints()
  }

  var nonce: String { Nonce.text(randomBytes: dependencies.randomBytes(32)) }

  func ask<Answer: Sendable>(
    _ call: WeChatPayCall<Answer>, at host: WeChatPayHost
  ) async -> (outcome: WeChatPayOutcome<Answer>, response: HTTPResponse?) {
    let now = dependencies.now()
    let request = call.request(
      by: settings.merchant, to: host, platformKey: keys.preferred(at: now)?.identifier, at: now, nonce: nonce)
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request, call.timeLimit)
      return (call.outcome(of: response, keys: keys, at: dependencies.now()), response)
    } catch { return (WeChatPayOutcome(error), nil) }
  }

  // MARK: Certificates

  private mutating func checkCertificates() async {
    let check = "wechat_pay.certificates"
    let request = CertificateDownload.request(
      by: settings.merchant, to: settings.hosts[0], at: dependencies.now(), nonce: nonce)
    let hasPublicKey = !settings.platformKeys.entries.isEmpty
    guard let response = try? await exchange.send(request, .seconds(15)) else {
      return findings.append(.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。")))
    }
    do throws(CodedError<CertificateDownloadErrorCode>) {
      let certificates = try CertificateDownload.certificates(
        in: response, keys: keys, apiV3Key: settings.merchant.apiV3Key, at: dependencies.now())
      for certificate in certificates { try? keys.add(certificate: certificate) }
      findings.append(
        .passed(
          check,
          BilingualText(
            "\(certificates.count) platform certificates were downloaded and decrypted with the APIv3 key.",
            "下载到 \(certificates.count) 个平台证书，APIv3 密钥可以解密。")))
    } catch {
      let isPublicKeyMode = error.code == .notIssued || error.code == .expired
      if isPublicKeyMode, hasPublicKey {
        let cause = error.code.meaning
        findings.append(
          .notApplicable(
            check,
            BilingualText(
              cause.english + " The platform public key is used instead.", cause.chinese + "使用微信支付公钥代替。")))
      } else {
        findings.append(.failed(check, error))
      }
    }
  }

  // MARK: Hosts, clock, signatures

  private mutating func checkHosts() async {
    let number = dependencies.makeOrderIdentifier().outTradeNo
    let call = WeChatPayCall<PaymentTransaction>.transaction(outTradeNo: number, mchid: settings.merchant.mchid)
    var first: (outcome: WeChatPayOutcome<PaymentTransaction>, response: HTTPResponse)?
    for host in settings.hosts {
      let (outcome, response) = await ask(call, at: host)
      if let response {
        if first == nil { first = (outcome, response) }
        findings.append(.passed("wechat_pay.host", BilingualText("It answers.", "可以连通。"), subject: host.origin))
      } else {
        findings.append(
          .failed(
            "wechat_pay.host", BilingualText("It does not answer.", "无法连通。").followed(by: Self.words(outcome)),
            remedy: BilingualText(
              "Allow this machine to reach it by HTTPS on port 443: check DNS, firewall and proxy.",
              "请允许本机通过 HTTPS（443 端口）访问该域名：检查 DNS、防火墙与代理。"), subject: host.origin))
      }
    }
    checkClock(first?.response)
    checkRequestSignature(first?.outcome)
    checkAnswerSignature(first?.outcome)
  }

  private static func words<Answer>(_ outcome: WeChatPayOutcome<Answer>) -> String {
    guard case .unknown(.noAnswer(let error)) = outcome.result else { return "" }
    return "\(error)"
  }

  private mutating func checkClock(_ response: HTTPResponse?) {
    let check = "wechat_pay.clock"
    let stated =
      response?.fields["Date"].flatMap { Timestamp(httpDate: $0) }
      ?? response?.fields["Wechatpay-Timestamp"].flatMap { Int64($0) }.map { Timestamp(seconds: $0) }
    guard let stated else {
      return findings.append(
        .notApplicable(check, BilingualText("No answer stated the time.", "没有应答说明时间。")))
    }
    let off = dependencies.now() - stated
    let seconds = off.milliseconds / 1000
    let cause = BilingualText(
      "Our clock is \(seconds) s ahead of WeChat Pay's.", "本机时钟比微信支付快 \(seconds) 秒。")
    if -Self.clockSlack <= off, off <= Self.clockSlack {
      findings.append(.passed(check, cause))
    } else {
      findings.append(
        .failed(
          check, cause,
          remedy: BilingualText(
            "Set the clock by NTP: with a difference above 300 s, no signature is accepted.",
            "请用 NTP 校准时钟：相差超过 300 秒后，任何验签都会失败。")))
    }
  }

  private mutating func checkRequestSignature(_ outcome: WeChatPayOutcome<PaymentTransaction>?) {
    let check = "wechat_pay.request_signature"
    let error: WeChatPayError? =
      switch outcome?.result {
      case .refused(let error): error
      case .unknown(.unverified(_, _, let claim)): claim
      case .unknown(.undecided(let error)): error
      case .answered, .unknown, nil: nil
      }
    guard let error else {
      return findings.append(.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。")))
    }
    switch error.code {
    case .orderNotFound, .resourceNotFound:
      findings.append(
        .passed(
          check,
          BilingualText(
            "WeChat Pay accepts our signature: private key, serial number and merchant number belong together.",
            "微信支付接受我们的签名：私钥、证书序列号与商户号匹配。")))
    case .signError:
      findings.append(
        .failed(
          check, error.code.meaning.followed(by: error.message),
          remedy: BilingualText(
            "Use the merchant's apiclient_key.pem with the serial number of its own certificate, and check the clock.",
            "请使用商户私钥 apiclient_key.pem 及其对应证书的序列号，并检查时钟。")))
    default:
      findings.append(.failed(check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy))
    }
  }

  private mutating func checkAnswerSignature(_ outcome: WeChatPayOutcome<PaymentTransaction>?) {
    let check = "wechat_pay.answer_signature"
    switch outcome?.result {
    case .refused, .answered, .unknown(.undecided), .unknown(.unreadable):
      findings.append(
        .passed(check, BilingualText("WeChat Pay's answer is verified.", "微信支付应答的签名验证通过。")))
    case .unknown(.unverified(let error, _, _)):
      findings.append(.failed(check, error))
    case .unknown(.noAnswer), nil:
      findings.append(.notApplicable(check, BilingualText("WeChat Pay did not answer.", "微信支付没有应答。")))
    }
  }
}
