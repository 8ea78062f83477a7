import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

extension SimulatedWeChatPay {
  struct Call {
    let route: APIRoute
    let request: HTTPRequest
    let merchant: SimulatedMerchant
    let certificate: SimulatedMerchant.Certificate
    /// Scheme and host of the merchant's request.
    let origin: String
    let fault: WeChatPayFault?

    var body: [UInt8] { request.body }

    /// Checks that `mchid` of the query is the merchant that signed.
    func checkQueryMerchant() throws(APIProblem) {
      guard route.target["mchid"] == merchant.mchid else {
        throw .parameter("mchid", "缺少或与 Authorization 中的商户号不一致", location: "query")
      }
    }
  }

  /// Checks the request and runs its call.
  func perform(
    _ route: APIRoute, _ request: HTTPRequest, rawTarget: String, origin: String, fault: WeChatPayFault?
  ) async throws(APIProblem) -> APIOutcome {
    let gate = RequestGate(state: state, wireTime: wireTime(), identifiers: identifiers())
    let passed = try gate.admit(request, rawTarget: rawTarget)
    let mchid = passed.merchant.mchid
    if state.behaviours.isOn(.refuseRepeatedNonces) {
      guard nonces.admit(mchid, passed.nonce, at: wireTime()) else { throw .signature("nonce_str 重复使用") }
    }
    guard rateLimits.admit(mchid, route.operation, at: now(), behaviour: state.behaviours[.requestsPerSecond]) else {
      throw .frequencyLimited
    }
    let call = Call(
      route: route, request: request, merchant: passed.merchant, certificate: passed.certificate, origin: origin,
      fault: fault)
    switch route.operation {
    case .prepay: return .json(try await prepay(call))
    case .query, .queryTransaction: return .json(try query(call))
    case .close:
      try await close(call)
      return .nothing
    case .refund:
      let body = try OrderForm.refund.read(call.body)
      let facts = try await commit { decision throws(APIProblem) in
        try decision.refund(body, by: call.merchant)
      }
      return .json(facts.json)
    case .queryRefund:
      guard let refund = state.refunds[RefundKey(mchid: mchid, outRefundNo: route.number)] else {
        throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "退款单不存在")
      }
      return .json(refund.facts.json)
    case .tradeBill: return .json(try tradeBill(call))
    case .downloadBill: return try downloadBill(call)
    case .certificates: return .json(try certificates(call))
    case .echo: return .json(try await echo(call))
    case .paymentNotification, .refundNotification, .echoNotification: throw .systemError
    }
  }

  // MARK: orders

  private func prepay(_ call: Call) async throws(APIProblem) -> JSONValue {
    guard let tradeType = call.route.tradeType else { throw .systemError }
    let body = try OrderForm.prepay(tradeType).read(call.body)
    let (key, answer) = try await commit { decision throws(APIProblem) in
      try decision.prepay(tradeType, body, by: call.merchant, origin: call.origin)
    }
    if call.fault == .payBeforeAnswer {
      try await commit { decision throws(APIProblem) in
        guard let order = decision.state.orders[key], order.state == .notPaid else { return }
        decision.pay(order, openid: order.openid ?? "oSimulatedQuickPayer", payerTotal: order.total)
      }
      await NotificationSender(self).sendDue()
    }
    return answer
  }

  private func query(_ call: Call) throws(APIProblem) -> JSONValue {
    try call.checkQueryMerchant()
    let number = call.route.number
    let mchid = call.merchant.mchid
    let isByTransaction = call.route.operation == .queryTransaction
    let key = isByTransaction ? state.orderOfTransaction[number] : OrderKey(mchid: mchid, outTradeNo: number)
    guard key?.mchid ?? mchid == mchid else {
      throw APIProblem(403, "NO_AUTH", message: "商户号与订单不匹配", number: 268_447_843)
    }
    let decision = CommandContext(state, now: now(), dependencies)
    var transaction = try decision.query(key, transactionId: isByTransaction ? number : nil)
    if call.fault == .alteredAmount { transaction.alterAmount() }
    if call.fault == .otherOrder { decision.takeOtherOrder(&transaction) }
    return transaction.json
  }

  private func close(_ call: Call) async throws(APIProblem) {
    let body = try OrderForm.close.read(call.body)
    guard body["mchid"]?.string == call.merchant.mchid else {
      throw .parameter("/mchid", "与 Authorization 中的商户号不一致", value: body["mchid"])
    }
    let key = OrderKey(mchid: call.merchant.mchid, outTradeNo: call.route.number)
    try await commit { decision throws(APIProblem) in try decision.close(key) }
  }

  /// Processes all due events: payments in progress arrive, refunds end.
  func settle() async {
    while let entry = state.dueEndings.entries.first, entry.moment <= now(), canWrite {
      try? await commit { decision throws(APIProblem) in
        // An event that is processed late takes place at its scheduled time.
        decision.now = entry.moment
        switch entry.item {
        case .payment(let key): decision.landPayment(key)
        case .refund(let key): decision.endRefund(key)
        case .notification: break
        }
      }
    }
  }

  // MARK: certificates and self-test

  private func certificates(_ call: Call) throws(APIProblem) -> JSONValue {
    switch state.keys.mode {
    case .publicKey: throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "无可用的平台证书，请在商户平台-API安全申请使用微信支付公钥")
    case .certificatesExpired: throw APIProblem(403, "NOT_ENOUGH", message: "平台证书已过期，请使用微信支付公钥")
    case .mixed, .certificates: break
    }
    guard let key = call.merchant.apiV3Key else { throw APIProblem(403, "NO_AUTH", message: "商户未设置APIv3密钥") }
    let decision = CommandContext(state, now: now(), dependencies)
    let items = platformCertificates().filter { $0.notAfter >= wireTime() }.map {
      CertificateDownload.item($0, apiV3Key: key, nonce: decision.digits(12))
    }
    return .members([("data", .array(items))])
  }

  private func echo(_ call: Call) async throws(APIProblem) -> JSONValue {
    let body = try OrderForm.echo.read(call.body)
    let message = body["echo_message"]?.string ?? ""
    var encrypted: String?
    if let field = body["encrypted_echo_message"]?.string {
      guard let serial = call.request.fields["Wechatpay-Serial"].flatMap({ PlatformKeyIdentifier($0) }),
        let name = identifiers()[serial]
      else { throw .parameter("Wechatpay-Serial", "含敏感字段的请求必须携带 Wechatpay-Serial", location: "header") }
      guard let plain = SensitiveField.decrypt(field, with: key(name).privateKey) else {
        throw .parameter("/encrypted_echo_message", "敏感字段解密失败")
      }
      encrypted = SensitiveField.encrypt(plain, to: call.certificate.key)
    }
    if let url = body["notify_url"]?.string {
      try await commit { decision throws(APIProblem) in
        decision.tellOfEcho(message, of: call.merchant.mchid, to: url)
      }
    }
    return .members([
      ("echo_message", .string(message)), ("encrypted_echo_message", encrypted.map { .string($0) }),
    ])
  }
}
