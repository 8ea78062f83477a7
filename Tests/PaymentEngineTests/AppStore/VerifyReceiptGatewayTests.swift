import AppStoreIntegration
import AppStoreProtocol
import Cryptography
import HTTPMessages
import PaymentEngine
import PaymentPrimitives
import StrictJSON
import TestDoubles
import Testing

@Suite struct `The gateway to verifyReceipt` {
  private static let good = "{\"status\":0,\"receipt\":{\"bundle_id\":\"com.example\",\"in_app\":[]}}"
  private static let allowed = VerifyReceiptSettings(sharedSecret: Secret("a shared secret".utf8))

  private func verify(
    _ servers: ScriptedAppleServers
  ) throws -> (outcome: VerifyReceiptOutcome, environment: AppStoreEnvironment) {
    try servers.perform { servers in
      guard let receipt = VerifyReceiptRequest(receipt: [1, 2, 3]) else { throw CancellationError() }
      return await servers.gateway.verify(receipt, priority: .livePurchase)
    }
  }

  @Test func `makes no call if the configuration does not allow it`() throws {
    let servers = try ScriptedAppleServers { _, _ in .answer(200, Self.good) }
    guard case .unknown(.notAllowed) = try verify(servers).outcome else {
      Issue.record("it is not allowed")
      return
    }
    #expect(servers.visits.isEmpty)
  }

  @Test func `calls production first, the sandbox on 21007, and never loops (1B.7, X25)`() throws {
    let servers = try ScriptedAppleServers(receipts: Self.allowed) { request, _ in
      request.target.hasPrefix("https://buy") ? .answer(200, "{\"status\":21007}") : .answer(200, Self.good)
    }
    let reply = try verify(servers)
    #expect(reply.outcome.answer?.receipt?.bundleId == "com.example")
    #expect(reply.environment == .sandbox)
    #expect(servers.visits.map(\.host) == ["buy.itunes.apple.com", "sandbox.itunes.apple.com"])
    let circle = try ScriptedAppleServers(receipts: Self.allowed) { request, _ in
      .answer(200, "{\"status\":\(request.target.hasPrefix("https://buy") ? 21007 : 21008)}")
    }
    guard case .refused(let error) = try verify(circle).outcome else {
      Issue.record("neither host accepts it")
      return
    }
    #expect(error.code == .otherEnvironment)
    #expect(circle.visits.count == 2)
  }

  @Test func `retries once for a receipt that Apple cannot read, and no further`() throws {
    let servers = try ScriptedAppleServers(receipts: Self.allowed) { _, _ in .answer(200, "{\"status\":21002}") }
    guard case .refused(let error) = try verify(servers).outcome else {
      Issue.record("it stays malformed")
      return
    }
    #expect(error.code == .malformed)
    #expect(servers.visits.count == 2)
  }

  @Test func `pauses when Apple fails, and logs without the secret`() throws {
    let servers = try ScriptedAppleServers(receipts: Self.allowed) { _, _ in .answer(503, "<html>") }
    for _ in 0..<12 { _ = try verify(servers) }
    #expect(servers.visits.count == 8)
    let told = servers.logged.events.map { "\($0.name) \($0.fields)" }.joined() + servers.metrics.text()
    #expect(told.contains("verify_receipt") && told.contains("appStore.leftAlone"))
    #expect(!told.contains("a shared secret") && !told.contains("AQID"))
  }
}
