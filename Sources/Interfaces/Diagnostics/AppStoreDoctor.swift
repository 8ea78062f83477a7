package import AppStoreIntegration
package import AppStoreProtocol
package import HTTPMessages
import PaymentEngine
package import PaymentPrimitives
package import ServerConfiguration

/// The checks of an app's access to Apple's servers. None moves money: all except the test notification only read.
package struct AppStoreDoctor {
  /// One of the two App Stores that are asked; a simulator with both at one address is asked once.
  struct Place {
    let environment: AppStoreEnvironment
    let name: String
    let host: AppStoreServerHost
  }

  /// The answer of a place to the first request.
  struct Reply {
    let place: Place
    let outcome: AppStoreServerOutcome<NotificationHistoryResponse>
    let response: HTTPResponse?
  }

  let app: AppSettings
  let settings: AppStoreServerAccess
  let trust: SignedDataConfiguration
  let exchange: HTTPExchange
  let dependencies: Dependencies
  let places: [Place]
  package var findings: [DoctorFinding] = []
  /// How far the local clock is ahead of Apple's, if an answer contained the time.
  private(set) var ahead: TimeSpan?
  /// The signed data in Apple's answers, with the place that sent it.
  var signed: [(place: Place, token: String)] = []

  /// The tolerated error of the local clock. The tokens of this server are dated one minute in the past. A token that
  /// Apple signed may be dated one minute in the future.
  static let clockSlack = TimeSpan.seconds(60)
  /// The time span of the first request: long enough to be valid, short enough for a single page in most cases.
  private static let historySpan = TimeSpan.hours(1)

  package init(
    _ settings: AppStoreServerAccess, of app: AppSettings, _ trust: SignedDataConfiguration, exchange: HTTPExchange,
    dependencies: Dependencies
  ) {
    self.app = app
    self.settings = settings
    self.trust = trust
    self.exchange = exchange
    self.dependencies = dependencies
    let production = Place(environment: .production, name: "production", host: settings.hosts.production)
    let sandbox = Place(environment: .sandbox, name: "sandbox", host: settings.hosts.sandbox)
    places = production.host == sandbox.host ? [production] : [production, sandbox]
  }

  /// The finding for an app without a key.
  package static func finding(withoutKey app: AppSettings) -> DoctorFinding {
    guard app.appStore != nil else {
      return .notApplicable(
        "app_store", BilingualText("The app does not sell through the App Store.", "该应用未通过 App Store 销售。"))
    }
    return .warned(
      "app_store.key",
      BilingualText(
        "There is no In-App Purchase key: Apple cannot be queried about receipts, lost notifications and refunds.",
        "未配置 App 内购买密钥：无法向 Apple 查询收据、丢失的通知与退款。"),
      remedy: BilingualText(
        "Make one in App Store Connect (Users and Access, Integrations, In-App Purchase), and enter issuer_id, key_id "
          + "and private_key in [app.app_store].",
        "请在 App Store Connect 的“用户和访问 - 集成 - App 内购买项目”中生成密钥，并在 [app.app_store] 中填写 "
          + "issuer_id、key_id 和 private_key。"))
  }

  /// Runs all checks, in an order in which each may rely on those before it.
  package mutating func examine() async {
    checkKey()
    checkAnchors()
    var replies: [Reply] = []
    for place in places { replies.append(await firstReply(of: place)) }
    for reply in replies { checkHost(reply) }
    checkClock(replies)
    let admitting = checkAuthorization(replies)
    for reply in replies { note(reply.outcome.answer?.notificationHistory.first?.signedPayload, from: reply.place) }
    for place in places { await checkTestNotification(at: place, isAdmitted: admitting.contains(place.environment)) }
    checkSigned()
    await checkCertificateStatus()
  }

  func ask<Answer: Sendable>(
    _ call: AppStoreServerCall<Answer>, at place: Place
  ) async -> (outcome: AppStoreServerOutcome<Answer>, response: HTTPResponse?) {
    let request = call.request(by: settings.credentials, to: place.host, at: dependencies.now())
    do throws(HTTPExchangeError) {
      let response = try await exchange.send(request, call.timeLimit)
      return (call.outcome(of: response, at: dependencies.now()), response)
    } catch { return (.unknown(.noAnswer(error)), nil) }
  }

  mutating func note(_ token: String?, from place: Place) {
    if let token { signed.append((place, token)) }
  }

  // MARK: Before the first request

  /// Form and curve were checked with the configuration; a later check shows whether Apple accepts the key.
  private mutating func checkKey() {
    let words = "\(settings.credentials)"
    findings.append(
      .passed(
        "app_store.key",
        BilingualText("It has the form of an In-App Purchase key: \(words).", "符合 App 内购买密钥的格式：\(words)。")))
  }

  private mutating func checkAnchors() {
    let check = "app_store.anchors"
    let isSafe = trust.profile == .production && trust.anchors.isEmpty && trust.unsignedEnvironments.isEmpty
    switch (app.policy.home == .production, isSafe) {
    case (true, true):
      findings.append(
        .passed(check, BilingualText("Apple's roots are trusted, and no others.", "仅信任 Apple 的根证书。")))
    case (true, false):
      findings.append(
        .failed(
          check, BilingualText("Roots other than Apple's are trusted for real purchases.", "正式环境信任了 Apple 以外的根证书。"),
          remedy: BilingualText(
            "Remove trusted_roots and unsigned_environments from the configuration.",
            "请从配置中删除 trusted_roots 与 unsigned_environments。")))
    case (false, _):
      let count = trust.anchors.count
      findings.append(
        .notApplicable(
          check,
          BilingualText(
            "A simulated profile trusts \(count) roots beside Apple's.", "模拟环境除 Apple 外还信任 \(count) 个根证书。")))
    }
  }

  // MARK: Hosts and clock

  private func firstReply(of place: Place) async -> Reply {
    let now = dependencies.now()
    let request = NotificationHistoryRequest(from: now - Self.historySpan, to: now)
    do throws(CodedError<AppStoreServerRequestErrorCode>) {
      let (outcome, response) = await ask(try .notificationHistory(request), at: place)
      return Reply(place: place, outcome: outcome, response: response)
    } catch {
      return Reply(place: place, outcome: .unknown(.unreadable(status: 0, "\(error)")), response: nil)
    }
  }

  private static let proxyRemedy = BilingualText(
    "Run it again. If it continues, check for a proxy between this machine and Apple.",
    "请重试；如仍如此，请检查本机与 Apple 之间的代理。")

  private mutating func checkHost(_ reply: Reply) {
    let check = "app_store.host"
    let subject = reply.place.host.origin
    switch reply.outcome {
    case .unknown(.noAnswer(let error)):
      findings.append(
        .failed(
          check, BilingualText("It does not answer.", "无法连通。").followed(by: "\(error)"),
          remedy: BilingualText(
            "Allow this machine to reach it by HTTPS on port 443: check DNS, firewall and proxy.",
            "请允许本机通过 HTTPS（443 端口）访问该域名：检查 DNS、防火墙与代理。"), subject: subject))
    case .unknown(.unreadable(let status, let words)):
      findings.append(
        .failed(
          check,
          BilingualText("The answer is not the App Store's.", "应答不是来自 App Store。").followed(by: "\(status): \(words)"),
          remedy: Self.proxyRemedy, subject: subject))
    // The App Store adds a number to its own errors, so this answer comes from a gateway.
    case .unknown(.undecided(let error)) where error.status >= 500 && error.number == nil:
      findings.append(
        .warned(
          check,
          BilingualText(
            "A gateway before the App Store answers with status \(error.status).",
            "App Store 之前的网关应答状态 \(error.status)。"), remedy: Self.proxyRemedy, subject: subject))
    case .answered, .refused, .unknown:
      findings.append(.passed(check, BilingualText("It answers.", "可以连通。"), subject: subject))
    }
  }

  private mutating func checkClock(_ replies: [Reply]) {
    let check = "app_store.clock"
    let stated = replies.lazy.compactMap { $0.response?.fields["Date"] }.compactMap { Timestamp(httpDate: $0) }.first
    guard let stated else {
      return findings.append(
        .notApplicable(check, BilingualText("No answer stated the time.", "没有应答说明时间。")))
    }
    let off = dependencies.now() - stated
    ahead = off
    let seconds = off.milliseconds / 1000
    let cause = BilingualText("Our clock is \(seconds) s ahead of Apple's.", "本机时钟比 Apple 快 \(seconds) 秒。")
    if -Self.clockSlack <= off, off <= Self.clockSlack {
      findings.append(.passed(check, cause))
    } else {
      findings.append(
        .failed(
          check, cause,
          remedy: BilingualText(
            "Set the clock by NTP: Apple refuses tokens of a wrong time, and its signatures seem to be in the future.",
            "请用 NTP 校准时钟：Apple 会拒绝时间不符的令牌，其签名也会显得来自未来。")))
    }
  }
}
