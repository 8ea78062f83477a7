import HTTPMessages
import PaymentPrimitives
import SimulatorCore
import StrictJSON
import TestDoubles
import Testing
import WeChatPayProtocol
import WeChatPaySimulator

@Suite struct `The keys of one merchant of a simulated WeChat Pay` {
  /// Who signs a payment's notification, after an order that names the public key or does not.
  private func signer(_ counter: WeChatPayCounter, _ number: String, namesKey: Bool) async throws
    -> PlatformKeyIdentifier
  {
    let call = try WeChatPayCall<PrepayAnswer>.prepay(WeChatPayCounter.order(number))
    var request = counter.request(call)
    if !namesKey { request.fields.set("Wechatpay-Serial", nil) }
    let answer = await counter.service.api.respond(to: request)
    let prepayId = try #require(answer.json?["prepay_id"]?.string)
    let visit = try counter.handOver(prepayId)
    #expect(try await counter.service.cashier.visit(visit, openid: WeChatPayCounter.payer, .pay).errCode == 0)
    return try await counter.firstDelivered().get().signedBy
  }

  @Test func `sign a notification as the merchant's last order asked, out of the box`() async throws {
    let counter = try await WeChatPayCounter()
    let certificate = PlatformKeyIdentifier.certificate(
      CertificateSerial(of: try #require(await counter.service.platformCertificates().first)))
    #expect(try await signer(counter, "ORDERNUMBER1", namesKey: false) == certificate)
    #expect(try await signer(counter, "ORDERNUMBER2", namesKey: true) == .publicKey(counter.publicKeyIdentifier))
    #expect(try await signer(counter, "ORDERNUMBER3", namesKey: false) == certificate)
    #expect(try await counter.restarted().service.state == counter.service.state)
    try await counter.service.control.setKeyPolicy(mode: .publicKey)
    #expect(
      try await signer(counter, "ORDERNUMBER4", namesKey: false) == .publicKey(counter.publicKeyIdentifier),
      "there is no certificate")
  }

  @Test func `may be of another kind than those of other merchants`() async throws {
    let counter = try await WeChatPayCounter()
    var merchant = WeChatPayCounter.simulated
    merchant.keyMode = .publicKey
    try await counter.service.control.setMerchant(merchant)
    #expect(await counter.ask("GET", "/v3/certificates").status == 404)
    let key = PlatformKeyIdentifier.publicKey(counter.publicKeyIdentifier)
    #expect(try await signer(counter, "ORDERNUMBER1", namesKey: false) == key)
    let unnamed = await counter.ask("GET", "/v3/pay/transactions/out-trade-no/NEVERORDERED")
    #expect(unnamed.fields["Wechatpay-Serial"] == counter.publicKeyIdentifier)
    merchant.keyMode = .certificates
    try await counter.service.control.setMerchant(merchant)
    #expect(await counter.ask("GET", "/v3/certificates").status == 200)
    #expect(try await signer(counter, "ORDERNUMBER2", namesKey: true) != key)
    merchant.keyMode = nil
    try await counter.service.control.setMerchant(merchant)
    #expect(try await signer(counter, "ORDERNUMBER3", namesKey: true) == key)
  }

  @Test func `tell a refund without notify_url at the address that the merchant platform has`() async throws {
    let counter = try await WeChatPayCounter()
    let body =
      #"{"out_trade_no":"ORD20251009000001","out_refund_no":"RF1","#
      + #""amount":{"refund":1,"total":600,"currency":"CNY"}}"#
    var merchant = WeChatPayCounter.simulated
    for address in [nil, "https://pay.example.com/refunds"] {
      merchant.refundNotifyURL = address
      try await counter.service.control.setMerchant(merchant)
      let number = address == nil ? "ORD20251009000001" : "ORD20251009000002"
      _ = try await counter.paid(number)
      let asked = body.replacing("000001", with: number.suffix(6)).replacing("RF1", with: "RF\(number.suffix(1))")
      #expect(await counter.ask("POST", "/v3/refund/domestic/refunds", body: asked).status == 200)
      _ = try await counter.delivered()
      counter.time.advance(by: .seconds(5))
      _ = try await counter.delivered()
      #expect(await counter.server.requests.map(\.target) == [address].compactMap(\.self))
    }
  }
}
