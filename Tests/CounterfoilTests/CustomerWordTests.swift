import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import TestDoubles
import Testing

@Suite struct `Words for the customer` {
  private static func report(
    fulfilled: Int = 0, others: Int = 0, waiting: Int = 0, setAside: Int = 0, cancelled: Bool = false
  ) -> RecoveryReport {
    var report = RecoveryReport()
    (report.fulfilled, report.ofOtherAccounts, report.waiting) = (fulfilled, others, waiting)
    (report.setAside, report.isCancelled) = (setAside, cancelled)
    return report
  }

  @Test(arguments: [
    (report(fulfilled: 1), "Restored 1 purchase."), (report(fulfilled: 2), "Restored 2 purchases."),
    (report(fulfilled: 3, others: 1), "Restored 2 purchases."), (report(), "There is nothing to restore."),
    (
      report(fulfilled: 1, others: 1),
      "The purchases of this Apple account belong to another account of this app."
    ),
    (report(waiting: 1), "Your purchases are being checked. They arrive automatically."),
    (report(setAside: 1), "A purchase was found and could not be credited. Please contact support."),
    (report(cancelled: true), nil),
  ])
  func `follow a restore, and nothing follows a cancelled one (B15)`(_ report: RecoveryReport, _ words: String?) {
    #expect(CustomerMessages().text(ofRestore: report, in: .english) == words)
  }

  @Test func `about a restore come with the real number`() throws {
    let world = ClientWorld()
    world.launch()
    let ids = [world.store.chargeOutside("com.example.coins60"), world.store.chargeOutside("com.example.coins300")]
    world.goOn(for: .minutes(1))
    world.store.restoreBrings(
      ids.map { id in
        var entry = StoreTransaction(handle: "restored-\(id)", state: .restored)
        (entry.id, entry.product) = (id, "com.example.coins60")
        entry.evidence = world.store.charges.first { $0.id == id }?.evidence
        return entry
      })
    let report = try #require(world.ask { try? await $0.restorePurchases() } ?? nil)
    #expect(world.app?.purchasing.message(forRestore: report) == "Restored 2 purchases.")
  }

  private static func right(
    _ state: Entitlement.State, until end: String? = nil, renews: Bool? = nil, because reason: Entitlement.Reason? = nil
  ) -> Entitlement {
    var right = Entitlement("club", state: state, store: .appStore, environment: .production)
    right.expiresAt = end.flatMap { Timestamp(iso8601: $0) }
    (right.willRenew, right.reason) = (renews, reason)
    return right
  }

  @Test(arguments: [
    (right(.active), "It is yours for good.", "永久有效。"),
    (right(.active, until: "2027-02-01T00:00:00Z"), "Valid until 2027-02-01.", "有效期至 2027-02-01。"),
    (right(.active, until: "2027-02-01T00:00:00Z", renews: true), "Renews on 2027-02-01.", "将于 2027-02-01 续订。"),
    (right(.expired, until: "2027-02-01T00:00:00Z"), "Ended on 2027-02-01.", "已于 2027-02-01 到期。"),
    (right(.revoked, because: .refunded), "It was refunded.", "已退款。"),
    (right(.revoked, because: .familySharingEnded), "No longer shared in your family.", "家人共享已结束。"),
    (right(.revoked), "Taken back by the store.", "已被商店撤销。"),
    (right(Entitlement.State(rawValue: "suspended")), "Please update the app to see this.", "请更新应用以查看。"),
  ])
  func `say the state of an entitlement`(_ right: Entitlement, _ english: String, _ chinese: String) {
    let messages = CustomerMessages()
    #expect(messages.text(of: right, in: .english) == english)
    #expect(messages.text(of: right, in: .chinese) == chinese)
  }

  @Test func `exist for every state that the server knows, with and without a reason`() {
    for state in EntitlementBody.State.allCases {
      for reason in EntitlementBody.Reason.allCases.map({ Entitlement.Reason(rawValue: $0.rawValue) }) + [nil] {
        let right = Self.right(.init(rawValue: state.rawValue), until: "2027-02-01T00:00:00Z", because: reason)
        for language in Language.allCases {
          let words = CustomerMessages().text(of: right, in: language)
          #expect(!words.isEmpty && !words.contains("{") && right.messageKey != .entitlement(.unknown))
        }
      }
    }
  }

  @Test func `take a third language by name, and the default where it lacks a text`() {
    var messages = CustomerMessages(translating: { $0 == "outcome.fulfilled" ? "Danke!" : nil })
    #expect(messages.text(.outcome(.fulfilled), in: .english) == "Danke!")
    #expect(messages.text(.outcome(.recovered), in: .chinese) == CustomerMessages.ours(.outcome(.recovered)).chinese)
    messages[.outcome(.fulfilled)] = BilingualText("Enjoy!", "谢谢！")
    #expect(messages.text(.outcome(.fulfilled), in: .english) == "Enjoy!", "the app's own text comes first")
  }

  @Test func `have names that are unique and stable`() {
    let names = CustomerMessageKey.allCases.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(names.contains("error.client_not_signed_in") && names.contains("restored.several"))
  }
}
