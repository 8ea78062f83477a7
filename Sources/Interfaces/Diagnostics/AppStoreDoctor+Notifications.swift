import AppStoreIntegration
import AppStoreProtocol
import PaymentEngine
import PaymentPrimitives
import ServerConfiguration

// The way back: a test notification, and the data that Apple signed in its answers.
extension AppStoreDoctor {
  private static let check = "app_store.test_notification"
  /// When the doctor checks whether Apple has sent it: soon, then as often as the sandbox allows, for about a minute.
  private static let pauses: [TimeSpan] = [.seconds(3)] + Array(repeating: .seconds(10), count: 6)

  mutating func checkTestNotification(at place: Place, isAdmitted: Bool) async {
    guard isAdmitted else {
      return findings.append(
        .notApplicable(
          Self.check, BilingualText("Apple must accept our key first.", "需先解决 Apple 拒绝密钥的问题。"), subject: place.name))
    }
    guard place.environment == .production || app.policy.home != .production || app.policy.sandboxPurchases != .refuse
    else {
      return findings.append(
        .notApplicable(
          Self.check, BilingualText("Sandbox purchases are refused.", "该应用拒绝沙盒购买。"), subject: place.name))
    }
    switch await ask(.testNotification(), at: place).outcome {
    case .answered(let answer): await follow(answer.testNotificationToken, at: place)
    case .refused(let error) where error.code == .notificationURLMissing:
      findings.append(
        .failed(
          Self.check, error.code.meaning,
          remedy: BilingualText(
            "Enter https://<your server>/notifications/app-store in App Store Connect, App Information, App Store "
              + "Server Notifications, \(place.name) server URL, version 2.",
            "请在 App Store Connect 的“App 信息 - App Store 服务器通知”中为\(place.chinese)填写 "
              + "https://<服务器>/notifications/app-store，并选择版本 2。"), subject: place.name))
    case .refused(let error):
      findings.append(
        .failed(
          Self.check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy,
          subject: place.name))
    case .unknown(let why):
      findings.append(
        .warned(
          Self.check, BilingualText("Apple did not say whether it sends one.", "Apple 未说明是否发送。").followed(by: "\(why)"),
          remedy: BilingualText("Run it again in a minute.", "请一分钟后重试。"), subject: place.name))
    }
  }

  /// Asks for the state of the notification until it arrived, failed, or a minute is over.
  private mutating func follow(_ token: String, at place: Place) async {
    let call: AppStoreServerCall<CheckTestNotificationResponse>
    do throws(CodedError<AppStoreServerRequestErrorCode>) { call = try .testNotificationStatus(token) } catch {
      return findings.append(.failed(Self.check, error, subject: place.name))
    }
    for pause in Self.pauses {
      guard (try? await dependencies.sleep(pause)) != nil else { break }
      switch await ask(call, at: place).outcome {
      case .answered(let answer):
        guard let finding = Self.finding(on: answer.sendAttempts, at: place) else { continue }
        note(answer.signedPayload, from: place)
        return findings.append(finding)
      // Not sent yet, busy, or no answer: ask again. Any other error is final.
      case .refused(let error) where error.code != .testNotificationUnknown:
        return findings.append(
          .failed(
            Self.check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy,
            subject: place.name))
      case .refused, .unknown: continue
      }
    }
    findings.append(
      .warned(
        Self.check,
        BilingualText("Apple did not report the result within a minute.", "一分钟内 Apple 没有给出发送结果。"),
        remedy: BilingualText("Run it again later: Apple is sometimes slow.", "Apple 有时较慢，请稍后重试。"), subject: place.name)
    )
  }

  /// Nil if there was no attempt yet.
  private static func finding(on attempts: [SendAttemptItem], at place: Place) -> DoctorFinding? {
    let results = attempts.compactMap(\.sendAttemptResult)
    if results.contains(.known(.success)) {
      return .passed(
        check,
        BilingualText(
          "Apple's test notification was accepted at the address that is entered there.", "Apple 的测试通知已送达所填写的地址。"),
        subject: place.name)
    }
    guard let result = results.last else { return nil }
    let words = (result.known ?? .other).doctorWords
    let cause = words.cause.followed(by: "(\(result.rawValue.prefix(64)))")
    return .failed(check, cause, remedy: words.remedy, subject: place.name)
  }

  // MARK: Signed data

  /// Checks the signature of the received data, and that it is about the configured app.
  mutating func checkSigned() {
    let (signature, number) = ("app_store.signature", "app_store.identity")
    let verifier: SignedDataVerifier
    do throws(CodedError<SignedDataErrorCode>) { verifier = try SignedDataVerifier(trust) } catch {
      return findings.append(.failed(signature, error))
    }
    var named: [(bundleId: String?, appAppleId: Int64?)] = []
    for (place, token) in signed {
      let verdict = verifier.verifyNotification(token, expecting: SignedDataExpectations(), at: dependencies.now())
      // Whether a certificate is revoked is another check.
      guard let payload = (verdict.notification.verified ?? verdict.notification.waiting)?.payload else {
        let error = verdict.notification.failure ?? CodedError(.invalidFormat)
        findings.append(.failed(signature, error, subject: place.name))
        let words = BilingualText("Data that cannot be verified proves nothing about the app.", "未通过验证的数据不能说明任何事。")
        return findings.append(.notApplicable(number, words))
      }
      if let data = payload.data { named.append((data.bundleId, data.appAppleId)) }
    }
    guard !signed.isEmpty else {
      let words = BilingualText("No data with Apple's signature arrived.", "没有收到 Apple 签名的数据。")
      findings += [.notApplicable(signature, words), .notApplicable(number, words)]
      return
    }
    findings.append(
      .passed(
        signature, BilingualText("Apple's data is verified with the roots.", "Apple 发来的数据通过根证书验证。")))
    findings.append(identity(number, named))
  }

  private func identity(_ check: String, _ named: [(bundleId: String?, appAppleId: Int64?)]) -> DoctorFinding {
    let bundleId = settings.credentials.bundleId
    if let other = named.lazy.compactMap(\.bundleId).first(where: { $0 != bundleId }) {
      return .failed(
        check,
        BilingualText(
          "Apple's bundle id is \(other), the configuration has \(bundleId).",
          "Apple 处的 bundle id 为 \(other)，配置为 \(bundleId)。"),
        remedy: BilingualText("Enter Apple's as bundle_id in [[app]].", "请将 [[app]] 的 bundle_id 改为 Apple 处的值。"))
    }
    guard let number = named.lazy.compactMap(\.appAppleId).first else {
      return .notApplicable(
        check,
        BilingualText(
          "The bundle id is Apple's; no answer names the app's number.", "bundle id 与 Apple 一致；没有应答给出应用编号。"))
    }
    let ours = app.appStore?.identity.appAppleId
    guard ours == number else {
      let words = ours.map { "\($0)" } ?? "none"
      return .failed(
        check,
        BilingualText(
          "Apple's number of the app is \(number); app_apple_id in the configuration: \(words).",
          "Apple 处的应用编号为 \(number)；配置中的 app_apple_id：\(ours.map { "\($0)" } ?? "无")。"),
        remedy: BilingualText(
          "Set app_apple_id = \(number) in [[app]]: with another, real purchases are refused.",
          "请在 [[app]] 中设置 app_apple_id = \(number)：否则真实购买会被拒绝。"))
    }
    return .passed(
      check,
      BilingualText("bundle_id and app_apple_id agree with Apple.", "bundle_id 与 app_apple_id 均与 Apple 一致。"))
  }
}

extension AppStoreDoctor.Place {
  fileprivate var chinese: String { environment == .production ? "生产环境" : "沙盒环境" }
}
