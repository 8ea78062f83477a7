import AppStoreIntegration
import CounterfoilAPI
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing

/// The policies of an app together: none of them weakens another.
@Suite struct `The policies of an app together` {
  struct Combination: Sendable, CustomTestStringConvertible {
    let mode: AppPolicy.Mode
    let finishWhen: AppPolicy.FinishPolicy
    let sandbox: AppPolicy.SandboxPolicy

    static let all: [Combination] = AppPolicy.Mode.allCases.flatMap { mode in
      AppPolicy.FinishPolicy.allCases.flatMap { finishWhen in
        [.separate, .testers(["alice"]), .review(until: EngineFixture.noon + .days(1)), .refuse].map {
          Combination(mode: mode, finishWhen: finishWhen, sandbox: $0)
        }
      }
    }

    func set(_ app: inout AppPolicy) {
      (app.mode, app.finishWhen, app.sandboxPurchases) = (mode, finishWhen, sandbox)
    }

    var testDescription: String { "\(mode) \(finishWhen) \(sandbox)" }
  }

  @Test(arguments: Combination.all)
  func `allow no finish while observing, and for undecided payments only if storage is enough`(
    together: Combination
  ) async throws {
    let shop = try EngineFixture(together.set)
    let isLive = together.mode == .deliver
    let unclaimed = try await shop.submit(shop.transaction("1001"), by: nil)
    #expect(unclaimed.finish == (isLive && together.finishWhen == .kept))
    shop.clock.advance(by: .seconds(2))
    let bought = try await shop.submit(shop.transaction("1002", token: await shop.order()))
    #expect(bought.verdict == (isLive ? .fulfilled : .imported) && bought.finish == isLive)
    let refused = try await shop.submit(shop.transaction("1003") { $0["bundleId"] = "com.example.other" })
    #expect(refused.verdict == .refused && !refused.finish)
    #expect(try await shop.coins() == (isLive ? 100 : 0))
    #expect(try await shop.violations() == [])
  }

  @Test(arguments: Combination.all)
  func `keep the sandbox separate, shown by its policy, and granted if deliveries are on`(
    together: Combination
  ) async throws {
    let shop = try EngineFixture(together.set, home: .production)
    let order = try await shop.order()
    var facts = VerifiedPayment(
      key: PaymentKey(app: "shop", store: .appStore, environment: .sandbox, transaction: "2001"),
      originalTransaction: "2001", storeProduct: "com.example.coins100", kind: .consumable,
      quantity: 1, purchaseDate: shop.clock.now, signedDate: shop.clock.now)
    facts.token = order
    _ = try await shop.engine.fulfil(PaymentUpdate(facts: facts, evidence: "signed", origin: .client), for: shop.app)
    var question = SubmitAppStorePayment.Request(evidence: "")
    question.evidence = nil
    question.transaction = "2001"
    let isLive = together.mode == .deliver
    if together.sandbox == .refuse {
      // A payment accepted under an earlier policy is hidden under this one.
      await #expect(throws: CodedError<EngineErrorCode>(.transactionUnknown)) {
        try await shop.engine.submitAppStorePayment(question, from: "alice", for: shop.app)
      }
    } else {
      let answer = try await shop.engine.submitAppStorePayment(question, from: "alice", for: shop.app).payments.first
      #expect(answer?.verdict == (isLive ? .fulfilled : .imported) && answer?.finish == isLive)
      #expect(answer?.environment == .sandbox)
    }
    func coins(_ environment: StoreEnvironment) async throws -> [Int64] {
      try await shop.engine.readBalances(of: "alice", in: AppEnvironment(app: "shop", environment: environment)).map(
        \.amount)
    }
    #expect(try await coins(.production) == [])
    #expect(try await coins(.sandbox) == (isLive ? [100] : []))
    let isShown =
      switch together.sandbox {
      case .separate, .refuse: false
      case .testers, .review: true
      }
    #expect(shop.app.environmentsShown(to: "alice", at: shop.clock.now) == (isShown ? [.sandbox] : []))
    #expect(try await shop.violations() == [])
  }
}
