import Cryptography
import HTTPMessages
import PaymentPrimitives
import SigningAuthorities
import SimulatorCore
import StrictJSON
import WeChatPayProtocol

/// The calls of the merchants' API: the gate, the limits, and what each call does.
enum MerchantCalls {
  /// Checks the request and runs its call.
  static func perform(
    _ route: APIRoute, _ request: HTTPRequest, at address: MerchantRequestAddress, fault: WeChatPayFault?,
    service: isolated SimulatedWeChatPay
  ) async throws(APIProblem) -> APIOutcome {
    let call = try admit(route, request, at: address, fault: fault, service: service)
    switch route.operation {
    case .prepay: return .json(try await prepay(call, service))
    case .query, .queryTransaction: return .json(try query(call, service.snapshot))
    case .close:
      try await close(call, service)
      return .nothing
    case .refund:
      let body = try OrderForm.refund.read(call.body)
      let facts = try await service.commit { decision throws(APIProblem) in
        try OrderRefundDecision.refund(body, by: call.merchant, &decision)
      }
      return .json(Self.facts(facts, call.fault).json)
    case .queryRefund:
      try call.refusePartnerQuery()
      let key = RefundKey(mchid: call.merchant.mchid, outRefundNo: route.number)
      guard let refund = service.state.refunds[key] else {
        throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "退款单不存在")
      }
      return .json(Self.facts(refund.facts, call.fault).json)
    case .abnormalRefund:
      let body = try OrderForm.abnormalRefund.read(call.body)
      let cardNumber = try SensitiveFields(call: call, snapshot: service.snapshot).cardNumber(body)
      let wish = AbnormalRefundDecision(
        refundId: route.number, body: body, cardNumber: cardNumber, merchant: call.merchant)
      let facts = try await service.commit { decision throws(APIProblem) in try wish.decide(&decision) }
      return .json(facts.json)
    case .tradeBill, .fundFlowBill: return .json(try bill(call, service))
    case .downloadBill: return try service.readyBills.download(call, at: service.now())
    case .certificates: return .json(try certificates(call, service.snapshot))
    case .echo: return .json(try await echo(call, service))
    case .complaints: return .json(try service.complaintPage(call))
    case .complaint, .complaintHistory, .answerComplaint, .completeComplaint, .decideComplaintRefund:
      return try await complaint(call, service)
    case .complaintPicture:
      let known = service.state.complaints.values.contains { complaint in
        complaint.mchid == call.merchant.mchid && complaint.facts.pictures.contains { $0.hasSuffix(route.number) }
      }
      guard known else { throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "图片不存在") }
      return .file(Self.picture, type: "image/png")
    case .paymentNotification, .refundNotification, .complaintNotification, .echoNotification: throw .systemError
    }
  }

  private static func admit(
    _ route: APIRoute, _ request: HTTPRequest, at address: MerchantRequestAddress, fault: WeChatPayFault?,
    service: isolated SimulatedWeChatPay
  ) throws(APIProblem) -> MerchantCall {
    let snapshot = service.snapshot
    let gate = RequestGate(state: snapshot.state, wireTime: snapshot.wireTime, identifiers: snapshot.identifiers)
    let passed = try gate.admit(request, rawTarget: address.target)
    let mchid = passed.merchant.mchid
    let behaviours = snapshot.state.behaviours
    if behaviours.isOn(.refuseRepeatedNonces) {
      guard service.nonces.admit(mchid, passed.nonce, at: snapshot.wireTime) else {
        throw .signature("nonce_str 重复使用")
      }
    }
    let most = behaviours[.requestsPerSecond]
    guard service.rateLimits.admit(mchid, route.operation, at: snapshot.now, behaviour: most) else {
      throw .frequencyLimited
    }
    return MerchantCall(
      route: route, request: request, merchant: passed.merchant, certificate: passed.certificate,
      origin: address.origin, fault: fault)
  }

  // MARK: orders

  private static func prepay(
    _ call: MerchantCall, _ service: isolated SimulatedWeChatPay
  ) async throws(APIProblem) -> JSONValue {
    guard let tradeType = call.route.tradeType else { throw .systemError }
    let body = try OrderForm.prepay(tradeType).read(call.body)
    let asked = call.request.fields["Wechatpay-Serial"].flatMap { PlatformKeyIdentifier($0) }
    let wish = PrepayDecision(
      tradeType: tradeType, body: body, merchant: call.merchant, origin: call.origin,
      namesPublicKey: asked.flatMap { service.snapshot.identifiers[$0] }?.isPublicKey == true)
    let (key, answer) = try await service.commit { decision throws(APIProblem) in try wish.decide(&decision) }
    if call.fault == .payBeforeAnswer {
      try await service.commit { decision throws(APIProblem) in
        guard let order = decision.state.orders[key], order.state == .notPaid else { return }
        let openid = order.openid ?? "oSimulatedQuickPayer"
        OrderDecision.pay(order, openid: openid, payerTotal: order.total, &decision)
      }
      await NotificationSender(service).sendDue()
    }
    return answer
  }

  private static func query(
    _ call: MerchantCall, _ snapshot: WeChatPaySnapshot
  ) throws(APIProblem) -> JSONValue {
    try call.checkQueryMerchant()
    let number = call.route.number
    let mchid = call.merchant.mchid
    let isByTransaction = call.route.operation == .queryTransaction
    let key =
      isByTransaction ? snapshot.state.orderOfTransaction[number] : OrderKey(mchid: mchid, outTradeNo: number)
    guard key?.mchid ?? mchid == mchid else {
      throw APIProblem(403, "NO_AUTH", message: "商户号与订单不匹配", number: 268_447_843)
    }
    let context = snapshot.context
    var transaction = try OrderDecision.query(key, transactionId: isByTransaction ? number : nil, context)
    if call.fault == .alteredAmount { transaction.alterAmount() }
    if call.fault == .unknownWord { transaction.tradeState = .other(NotificationDecision.unknownWord) }
    if call.fault == .otherOrder { NotificationDecision.takeOtherOrder(&transaction, context) }
    return transaction.json
  }

  private static func facts(_ facts: RefundFacts, _ fault: WeChatPayFault?) -> RefundFacts {
    guard fault == .unknownWord || fault == .unknownChannel else { return facts }
    var facts = facts
    facts.channel = NotificationDecision.unknownWord
    if fault == .unknownWord { facts.status = .other(NotificationDecision.unknownWord) }
    return facts
  }

  private static func close(
    _ call: MerchantCall, _ service: isolated SimulatedWeChatPay
  ) async throws(APIProblem) {
    let body = try OrderForm.close.read(call.body)
    guard body["mchid"]?.string == call.merchant.mchid else {
      throw .parameter("/mchid", "与 Authorization 中的商户号不一致", value: body["mchid"])
    }
    let key = OrderKey(mchid: call.merchant.mchid, outTradeNo: call.route.number)
    try await service.commit { decision throws(APIProblem) in try OrderDecision.close(key, &decision) }
  }

  /// Makes a bill and keeps it; the answer has its download URL and its hash.
  private static func bill(
    _ call: MerchantCall, _ service: isolated SimulatedWeChatPay
  ) throws(APIProblem) -> JSONValue {
    let (bill, answer) =
      call.route.operation == .fundFlowBill
      ? try FundFlowBills(call: call, snapshot: service.snapshot).bill()
      : try TradeBills(call: call, snapshot: service.snapshot).bill()
    service.readyBills.keep(bill, at: service.now())
    return answer
  }

  // MARK: complaints

  private static func complaint(
    _ call: MerchantCall, _ service: isolated SimulatedWeChatPay
  ) async throws(APIProblem) -> APIOutcome {
    let decisions = ComplaintDecision(id: call.route.number, merchant: call.merchant)
    let known = try decisions.known(service.state)
    switch call.route.operation {
    case .complaintHistory:
      return .json(
        .members([
          ("data", .array(known.steps.reversed().map(\.json))), ("total_count", .integer(Int64(known.steps.count))),
        ]))
    case .answerComplaint:
      let body = try OrderForm.complaintAnswer.read(call.body)
      try await service.commit { decision throws(APIProblem) in try decisions.answer(body, &decision) }
    case .completeComplaint:
      _ = try OrderForm.complaintEnd.read(call.body)
      try await service.commit { decision throws(APIProblem) in try decisions.complete(&decision) }
    case .decideComplaintRefund:
      let body = try OrderForm.complaintRefund.read(call.body)
      try await service.commit { decision throws(APIProblem) in try decisions.decideRefund(body, &decision) }
    default:
      var facts = known.facts
      if call.fault == .unknownWord { facts.state = .other(NotificationDecision.unknownWord) }
      return .json(facts.json)
    }
    return .nothing
  }

  /// A picture of one white point.
  private static let picture: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0x0F, 0x00, 0x01, 0x01, 0x01, 0x00, 0x1B, 0xB6, 0xEE, 0x56, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
  ]

  // MARK: certificates and self-test

  private static func certificates(
    _ call: MerchantCall, _ snapshot: WeChatPaySnapshot
  ) throws(APIProblem) -> JSONValue {
    let policy = snapshot.state.keys
    switch call.merchant.keyMode ?? policy.mode {
    case .publicKey: throw APIProblem(404, "RESOURCE_NOT_EXISTS", message: "无可用的平台证书，请在商户平台-API安全申请使用微信支付公钥")
    case .certificatesExpired: throw APIProblem(403, "NOT_ENOUGH", message: "平台证书已过期，请使用微信支付公钥")
    case .mixed, .certificates: break
    }
    guard let key = call.merchant.apiV3Key else { throw APIProblem(403, "NO_AUTH", message: "商户未设置APIv3密钥") }
    let context = snapshot.context
    let items = snapshot.keys.certificates(in: policy).filter { $0.notAfter >= snapshot.wireTime }.map {
      CertificateDownload.item($0, apiV3Key: key, nonce: context.digits(12))
    }
    return .members([("data", .array(items))])
  }

  private static func echo(
    _ call: MerchantCall, _ service: isolated SimulatedWeChatPay
  ) async throws(APIProblem) -> JSONValue {
    let body = try OrderForm.echo.read(call.body)
    let message = body["echo_message"]?.string ?? ""
    let encrypted = try encryptedEcho(body, call, snapshot: service.snapshot)
    if let url = body["notify_url"]?.string {
      try await service.commit { decision throws(APIProblem) in
        NotificationDecision.tellOfEcho(message, of: call.merchant.mchid, to: url, &decision)
      }
    }
    return .members([
      ("echo_message", .string(message)), ("encrypted_echo_message", encrypted.map { .string($0) }),
    ])
  }

  /// The encrypted part of a self-test, encrypted again for the merchant.
  private static func encryptedEcho(
    _ body: JSONValue, _ call: MerchantCall, snapshot: WeChatPaySnapshot
  ) throws(APIProblem) -> String? {
    guard let field = body["encrypted_echo_message"]?.string else { return nil }
    let plain = try SensitiveFields(call: call, snapshot: snapshot).plain(field, at: "/encrypted_echo_message")
    return SensitiveField.encrypt(plain, to: call.certificate.key)
  }
}
