import AppStoreProtocol
import Cryptography
import PaymentPrimitives
import SigningAuthorities
import StrictJSON
import TestFixtures
import Testing

/// Two implementations that share nothing: ours and Apple's own library for Python (`app-store-server-library`).
@Suite(.enabled(if: PythonTool.isPresent, "\(PythonTool.absence)"))
struct `Apple's own library` {
  @Test func `signs at least twenty items that we accept with every field`() throws {
    let signed = try PythonTool.run("sign_like_apple.py") { _, output in [output] + PythonTool.appleModels }
    let root = try X509Certificate(der: #require(Base64.decode(signed["root"]?.string ?? "")))
    let verifier = try SignedDataVerifier(
      SignedDataConfiguration(profile: .development, anchors: [root], unsignedEnvironments: [.localTesting]))
    let items = try #require(signed["items"]?.array)
    #expect(items.count >= 20)
    let now = TestAppStore.now
    for item in items {
      let token = try #require(item["token"]?.string)
      let kind = try #require(item["kind"]?.string.flatMap(SignedDataKind.init))
      let environment: StoreEnvironment = item["environment"] == .string("LocalTesting") ? .localTesting : .simulated
      let expecting = SignedDataExpectations(
        apps: item["payload"]?["bundleId"]?.string.map { [AppIdentity(bundleId: $0)] }, environments: [environment])
      let payload: JSONValue?
      switch kind {
      case .transaction:
        payload = verifier.verifyTransaction(token, expecting: expecting, at: now).verified?.payload.json
      case .renewalInfo:
        payload = verifier.verifyRenewalInfo(token, expecting: expecting, at: now).verified?.payload.json
      case .appTransaction:
        payload = verifier.verifyAppTransaction(token, expecting: expecting, at: now).verified?.payload.json
      case .realtimeRequest:
        payload = verifier.verifyRealtimeRequest(token, expecting: expecting, at: now).verified?.payload.json
      case .notification:
        payload = verifier.verifyNotification(token, expecting: expecting, at: now).notification.verified?.payload.json
      }
      // `note` is an unknown member: only the bytes keep it.
      #expect(payload?.sorted == item["payload"]?.with([("note", nil)]).sorted, "\(kind)")
      let forged = String(token.dropLast(8)) + (token.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA")
      if environment == .simulated {
        #expect(!verifier.verify(forged, as: JWSTransactionDecodedPayload.self, expecting: expecting, at: now).isValid)
      }
    }
  }

  @Test func `accepts everything that our chains sign, and refuses our forgeries`() throws {
    let (chain, authority) = (TestAppStore.chain, TestAppStore.authority)
    let sandbox: [(String, JSONValue?)] = [("environment", .string("Sandbox"))]
    let transaction = TestAppStore.transaction.with(sandbox)
    let renewalInfo = TestAppStore.renewalInfo.with(sandbox)
    let inner = JSONValue.members([
      ("environment", .string("Sandbox")), ("bundleId", .string(TestAppStore.bundleId)),
      ("signedTransactionInfo", .string(chain.sign(transaction))),
      ("signedRenewalInfo", .string(chain.sign(renewalInfo))),
    ])
    let good: [(String, String, String)] = [
      ("transaction", chain.sign(transaction), "Sandbox"),
      ("transaction", chain.sign(TestAppStore.transaction), "Production"),
      ("renewalInfo", chain.sign(renewalInfo), "Sandbox"),
      ("appTransaction", chain.sign(TestAppStore.appTransaction), "Production"),
      ("notification", chain.sign(TestAppStore.notification()), "Production"),
      ("notification", chain.sign(TestAppStore.notification().with([("data", inner)])), "Sandbox"),
      ("realtimeRequest", chain.sign(TestAppStore.realtimeRequest), "Production"),
      ("transaction", ChainRecipe().chain.sign(transaction), "Sandbox"),
    ]
    // Our forgeries of chain and signature make this test able to fail: Apple's library must refuse them, too.
    let forged = (Forgery.ofChainTrust.prefix(7) + Forgery.ofSignature).map { ("transaction", $0.token, "Production") }
    let items = (good + forged).map { kind, token, environment in
      JSONValue.members([("kind", .string(kind)), ("token", .string(token)), ("environment", .string(environment))])
    }
    let question = JSONValue.members([
      ("roots", .array([authority.root, ChainRecipe.trustedRoot].map { .string(Base64.encode($0.der)) })),
      ("bundleId", .string(TestAppStore.bundleId)), ("appAppleId", .integer(TestAppStore.appAppleId)),
      ("items", .array(items)),
    ])
    let answers = try #require(
      PythonTool.run("accepted_by_apple.py", input: question) { [$0, $1] }.array)
    #expect(answers.count == items.count)
    for (index, answer) in answers.enumerated() {
      #expect(
        answer["accepted"] == .bool(index < good.count), "item \(index): \(answer["error"]?.string ?? "accepted")")
    }
    #expect(answers[0]["payload"]?["transactionId"]?.string == "2000000943569033")
    #expect(answers[0]["payload"]?["price"]?.integer == 6000)
  }
}
