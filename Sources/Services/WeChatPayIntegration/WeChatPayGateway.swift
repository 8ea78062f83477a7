import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import WeChatPayProtocol

/// The client of WeChat Pay for one merchant: selects the host, signs, verifies, and keeps the platform's keys up to
/// date.
///
/// A call that is idempotent by its number is sent to the next host if it got no answer. All are, but those that write
/// to a customer.
actor WeChatPayGateway {
  private nonisolated let current: CurrentWeChatPayAccess
  private let app: AppIdentifier
  private let exchange: HTTPExchange
  private let dependencies: Dependencies
  private let metrics: Metrics
  private let traces: Traces
  private let log: Log
  private var keys: PlatformKeyRing
  private var hosts: HostSelection
  private var lastDownload: Timestamp?
  private var lastAttempt: Timestamp?
  private var lastDownloadOnDemand: Timestamp?
  private var isDownloading = false
  private let downloaded = ChangeSignal<Int>()

  init(
    _ access: WeChatPayAccess, app: AppIdentifier, exchange: HTTPExchange, dependencies: Dependencies,
    metrics: Metrics, traces: Traces = .off, log: @escaping Log
  ) {
    current = CurrentWeChatPayAccess(access)
    self.app = app
    self.exchange = exchange
    self.dependencies = dependencies
    self.metrics = metrics
    self.traces = traces
    self.log = log
    keys = access.platformKeys
    hosts = HostSelection(access.hosts)
  }

  // MARK: access

  nonisolated var access: WeChatPayAccess { current.access }

  /// The merchant with the key that WeChat Pay accepts: it also signs what a phone sends.
  nonisolated var signingMerchant: MerchantCredentials { current.merchants(at: dependencies.now())[0].merchant }

  /// Calls and notifications that begin from now on use this access. Downloaded certificates stay.
  func replace(by access: WeChatPayAccess) {
    var ring = access.platformKeys
    ring.addCertificates(of: keys)
    keys = ring
    current.replace(by: access)
  }

  /// Whether another key of the merchant may help: it says so where a former one was accepted.
  private func noteAccepted(_ number: Int, _ merchant: MerchantCredentials) {
    guard current.accepted(number, at: dependencies.now()) else { return }
    log(
      LogEvent(
        .warning, "weChatPay.formerKeyUsed",
        [
          ("app", app.text), ("refused", "\(access.merchant.certificateSerial)"),
          ("accepted", "\(merchant.certificateSerial)"),
        ]))
  }

  // MARK: calls

  /// Sends a call, to one host after another if that may help.
  func send<Answer: Sendable>(_ call: WeChatPayCall<Answer>) async -> WeChatPayReply<Answer> {
    await refreshCertificatesIfDue()
    let step = traces.begin("AskStore", .client)
    var reply = await attempt(call)
    var attempts = 1
    while call.isRepeatable, case .unknown(let why) = reply.outcome.result, why.asksForAnotherHost,
      attempts < access.hosts.count,
      !Task.isCancelled
    {
      attempts += 1
      reply = await attempt(call)
    }
    note(call, reply, in: step, attempts: attempts)
    return reply
  }

  /// Sends a call to one host, with one key of the merchant after the other while their signature is refused. That is
  /// safe: a refused call had no effect.
  private func attempt<Answer: Sendable>(_ call: WeChatPayCall<Answer>) async -> WeChatPayReply<Answer> {
    let merchants = current.merchants(at: dependencies.now())
    var reply = await attempt(call, by: merchants[0].merchant)
    for (number, merchant) in merchants.dropFirst() where reply.outcome.refusesSignature {
      // Without an answer this call may have taken effect: then its outcome is unknown, whatever the first key got.
      reply = await attempt(call, by: merchant)
      if reply.outcome.isHeard, !reply.outcome.refusesSignature { noteAccepted(number, merchant) }
    }
    return reply
  }

  private func attempt<Answer: Sendable>(
    _ call: WeChatPayCall<Answer>, by merchant: MerchantCredentials
  ) async -> WeChatPayReply<Answer> {
    let now = dependencies.now()
    let host = hosts.take(at: now)
    let request = call.request(
      by: merchant, to: host, platformKey: keys.preferred(at: now)?.identifier, at: now,
      nonce: Nonce.text(randomBytes: dependencies.randomBytes(32)))
    let response: HTTPResponse
    do throws(HTTPExchangeError) {
      response = try await exchange.send(request, call.timeLimit)
    } catch {
      let outcome = WeChatPayOutcome<Answer>(error)
      noteHost(host, outcome)
      return WeChatPayReply(outcome: outcome, evidence: nil, signedDate: dependencies.now())
    }
    var outcome = call.outcome(of: response, keys: keys, at: dependencies.now())
    if case .unknown(let why) = outcome.result, why.asksForCertificates, await learnKeysOnDemand() {
      outcome = call.outcome(of: response, keys: keys, at: dependencies.now())
    }
    noteHost(host, outcome)
    return WeChatPayReply(
      outcome: outcome,
      evidence: WeChatPayEvidenceText.of(response.fields, response.body, about: call.method + " " + call.target),
      signedDate: response.fields["Wechatpay-Timestamp"].flatMap { Int64($0) }.map { Timestamp(seconds: $0) }
        ?? dependencies.now())
  }

  /// The key that sensitive fields are encrypted to; nil if WeChat Pay has told none that is valid.
  func encryptionKey() async -> PlatformKeyRing.Entry? {
    await refreshCertificatesIfDue()
    return keys.preferred(at: dependencies.now())
  }

  private func noteHost<Answer>(_ host: WeChatPayHost, _ outcome: WeChatPayOutcome<Answer>) {
    if case .unknown(let why) = outcome.result, why.asksForAnotherHost {
      hosts.failed(host, at: dependencies.now())
    } else {
      hosts.succeeded(host)
    }
  }

  private func note<Answer>(
    _ call: WeChatPayCall<Answer>, _ reply: WeChatPayReply<Answer>, in step: Span?, attempts: Int
  ) {
    let path = call.target.split(separator: "/").dropFirst().first.map(String.init) ?? ""
    let label =
      switch reply.outcome.result {
      case .answered: "answered"
      case .refused(let error): error.code.rawValue
      case .unknown: "unknown"
      }
    traces.end(step, of: app, api: path, method: call.method, label, hostsAsked: attempts)
    metrics.count(.wechatPayCallsTotal, [("api", path), ("method", call.method), ("outcome", label)])
    var fields = [("app", app.text), ("method", call.method), ("outcome", label)]
    if let id = reply.outcome.requestId { fields.append(("requestId", id)) }
    switch reply.outcome.result {
    case .answered: return
    case .refused(let error): log(LogEvent(.info, "weChatPay.refused", fields + [("refusal", "\(error)")]))
    case .unknown(let why): log(LogEvent(.warning, "weChatPay.outcomeUnknown", fields + [("why", why.summary)]))
    }
  }

  // MARK: bills and pictures

  /// Downloads the file of a ticket. WeChat Pay does not sign the file; the ticket's checksum verifies it.
  func download(_ download: BillDownload) async throws -> [UInt8] {
    let response = try await sendSigned(within: BillDownload.timeLimit) { merchant, now, nonce in
      download.request(by: merchant, at: now, nonce: nonce)
    }
    return try download.file(in: response)
  }

  /// Downloads a picture of a complaint, which WeChat Pay does not sign; nil if there is none, or it is too large.
  func download(_ picture: ComplaintPicture) async -> [UInt8]? {
    let response = try? await sendSigned(within: ComplaintPicture.timeLimit) { merchant, now, nonce in
      picture.request(by: merchant, at: now, nonce: nonce)
    }
    guard let response, response.status == 200, response.body.count <= ComplaintPicture.bytesMax else { return nil }
    return response.body
  }

  /// Sends a request whose answer is verified elsewhere, with one key of the merchant after the other while WeChat Pay
  /// answers 401.
  private func sendSigned(
    within limit: TimeSpan, _ request: (MerchantCredentials, Timestamp, String) -> HTTPRequest
  ) async throws(HTTPExchangeError) -> HTTPResponse {
    let merchants = current.merchants(at: dependencies.now())
    var response = HTTPResponse(status: 401)
    for (number, merchant) in merchants where response.status == 401 {
      let nonce = Nonce.text(randomBytes: dependencies.randomBytes(32))
      response = try await exchange.send(request(merchant, dependencies.now(), nonce), limit)
      if response.status == 200 { noteAccepted(number, merchant) }
    }
    return response
  }

  // MARK: notifications

  /// A notification with verified signature and decrypted content. An unknown key is downloaded first.
  func open(_ fields: HTTPFields, _ body: [UInt8]) async throws(NotificationFailure) -> WeChatPayNotification {
    do throws(NotificationFailure) { return try opened(fields, body) } catch {
      guard case .unverified(let signatureError) = error,
        signatureError.code == .unknownKey || signatureError.code == .keyNotValid,
        await learnKeysOnDemand()
      else { throw error }
    }
    return try opened(fields, body)
  }

  /// Decrypts with the newest APIv3 key, then with the former ones: during a key change both are in use.
  private func opened(_ fields: HTTPFields, _ body: [UInt8]) throws(NotificationFailure) -> WeChatPayNotification {
    let now = dependencies.now()
    let access = access
    do throws(NotificationFailure) {
      return try WeChatPayNotification(
        fields: fields, body: body, keys: keys, apiV3Key: access.merchant.apiV3Key, at: now)
    } catch {
      guard case .sealed = error else { throw error }
      for key in access.formerAPIv3Keys {
        if let opened = try? WeChatPayNotification(fields: fields, body: body, keys: keys, apiV3Key: key, at: now) {
          return opened
        }
      }
      throw error
    }
  }

  // MARK: certificates

  private func refreshCertificatesIfDue() async {
    guard access.downloadsCertificates else { return }
    let now = dependencies.now()
    // One failed download does not delay every call.
    if let lastDownload, now < lastDownload + CertificateDownload.interval { return }
    if let lastAttempt, now < lastAttempt + CertificateDownload.pauseOnDemand { return }
    lastAttempt = now
    await downloadCertificates()
  }

  /// Whether a download may have brought an unknown key: at most one a minute, for all callers.
  private func learnKeysOnDemand() async -> Bool {
    guard access.downloadsCertificates else { return false }
    if isDownloading {
      let listener = await downloaded.listen(for: 0)
      if isDownloading { for await _ in listener.signals { break } }
      await downloaded.stop(listener.number, for: 0)
      return true
    }
    let now = dependencies.now()
    if let last = lastDownloadOnDemand, now < last + CertificateDownload.pauseOnDemand { return false }
    lastDownloadOnDemand = now
    await downloadCertificates()
    return true
  }

  private func downloadCertificates() async {
    guard !isDownloading else { return }
    isDownloading = true
    await downloadCertificatesOnce()
    isDownloading = false
    await downloaded.signal(for: 0)
  }

  private func downloadCertificatesOnce() async {
    let now = dependencies.now()
    let host = hosts.take(at: now)
    let response: HTTPResponse
    do throws(HTTPExchangeError) {
      response = try await sendSigned(within: .seconds(15)) { merchant, now, nonce in
        CertificateDownload.request(by: merchant, to: host, at: now, nonce: nonce)
      }
      hosts.succeeded(host)
    } catch {
      hosts.failed(host, at: dependencies.now())
      log(LogEvent(.warning, "weChatPay.certificatesUnreachable", [("app", app.text), ("error", "\(error)")]))
      return
    }
    do throws(CodedError<CertificateDownloadErrorCode>) {
      let moment = dependencies.now()
      let certificates = try access.certificates(in: response, verifiedBy: keys, at: moment)
      keys.removeExpired(at: moment)
      for certificate in certificates { install(certificate) }
      lastDownload = moment
      metrics.count(.wechatPayCertificatesTotal, [("outcome", "installed")])
    } catch {
      // A merchant with a platform public key has no certificates: that is no error, and no reason to ask often.
      if error.code == .notIssued || error.code == .expired { lastDownload = dependencies.now() }
      metrics.count(.wechatPayCertificatesTotal, [("outcome", error.code.rawValue)])
      log(LogEvent(.warning, "weChatPay.certificatesRefused", [("app", app.text), ("refusal", "\(error)")]))
    }
  }

  private func install(_ certificate: X509Certificate) {
    do throws(CodedError<MerchantKeyErrorCode>) { try keys.add(certificate: certificate) } catch {
      log(LogEvent(.error, "weChatPay.certificateUnusable", [("app", app.text), ("refusal", "\(error)")]))
    }
  }
}
