import HTTPMessages
import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ServerConfiguration
import ShopFixtures
import SimulationKit
import StrictJSON
import Testing
import WeChatPayIntegration
import WeChatPaySimulator

/// One thing that keeps a day's report from being equal to WeChat Pay's bills, and what the report must say then.
///
/// The day has three payments of 600 fen, of alice, bob and carol. Carol gets 250 fen back.
struct PlantedDifference: Sendable, CustomTestStringConvertible {
  typealias Fixture = WeChatPayEngineFixture

  let name: String
  /// Each difference in words: kind, payment, refund, our amount, theirs, details.
  let expected: [String]
  /// What WeChat Pay does with carol's refund.
  var refundFault: WeChatPayFault?
  /// Whether the shop's background tasks run.
  var runsTasks = false
  var isCompared = true
  /// What else happens on the day; the result is one more order.
  var onDay: @Sendable (Fixture, PlantedDay) async throws -> OrderDetails? = { _, _ in nil }
  /// What happens before the comparison.
  var before: @Sendable (Fixture, PlantedDay) async throws -> Void = { _, _ in }
  /// What happens after it.
  var after: @Sendable (Fixture, PlantedDay) async throws -> Void = { _, _ in }

  init(_ name: String, _ expected: [String], change: (inout Self) -> Void = { _ in }) {
    self.name = name
    self.expected = expected
    change(&self)
  }

  /// A fault of one of the bills.
  init(_ fault: WeChatPayFault, of operation: WeChatPayOperation, _ expected: [String]) {
    self.init("\(fault.rawValue) of \(operation.rawValue)", expected) {
      $0.before = { fixture, _ in try await fixture.weChatPay.control.plan(PlannedFault(fault, of: operation)) }
    }
  }

  var testDescription: String { name }

  static let all = tradeBills + fundFlowBills + ledgers + refunds + days

  private static let paidMore = "billPaymentsDiffer ours 1800 theirs 2400"
  private static let paidLess = "billPaymentsDiffer ours 1800 theirs 1200"

  private static let tradeBills: [Self] = [
    Self(
      .alteredAmount, of: .tradeBill,
      [
        "amountDiffers alice ours 600 theirs 601",
        // The account got what the ledger says.
        "amountDiffers alice theirs 600 fund-flow bill, expected 601", "billPaymentsDiffer ours 1800 theirs 1801",
      ]),
    Self(
      .missingRow, of: .tradeBill,
      ["paymentNotInBill alice ours 600 fulfilled", "notInTradeBill alice theirs 600 payment", paidLess]),
    Self(
      .missingRefunds, of: .tradeBill,
      [
        "refundNotInBill carol refund ours 250 underWay", "notInTradeBill its number theirs -250 refund",
        "billRefundsDiffer ours 250 theirs 0",
      ]),
    Self(
      .doubledRow, of: .tradeBill,
      ["doubledLine alice theirs 600", "notInFundFlow alice fund-flow bill, expected 600", paidMore]),
    Self(
      .swappedRows, of: .tradeBill,
      ["orderDiffers alice theirs 600 order of alice", "orderDiffers bob theirs 600 order of bob"]),
    Self(
      .unknownRow, of: .tradeBill,
      [
        "unknownEvent alice theirs 600 NEW_IN_2030", "paymentNotInBill alice ours 600 fulfilled",
        "notInTradeBill alice theirs 600 payment", paidLess,
      ]),
    Self(.alteredFee, of: .tradeBill, ["feeDiffers alice theirs -4 fund-flow bill, expected -5"]),
  ]

  private static let fundFlowBills: [Self] = [
    Self(.missingRow, of: .fundFlowBill, ["notInFundFlow alice fund-flow bill, expected 600"]),
    Self(.alteredAmount, of: .fundFlowBill, ["amountDiffers alice theirs 601 fund-flow bill, expected 600"]),
    Self(
      .doubledRow, of: .fundFlowBill,
      [
        "doubledLine alice theirs 600", "amountDiffers alice theirs 1200 fund-flow bill, expected 600",
        "balanceDiffers alice theirs 600 fund-flow bill, expected 1200",
      ]),
    Self(
      .missingRefunds, of: .fundFlowBill,
      [
        "notInFundFlow its number fund-flow bill, expected -250",
        "balanceDiffers its number theirs 1540 fund-flow bill, expected 1790",
      ]),
    Self(
      .unknownRow, of: .fundFlowBill,
      ["unknownMovement alice theirs 600 NEW_IN_2030", "notInFundFlow alice fund-flow bill, expected 600"]),
  ]

  /// Both bills are right, and the ledger is not.
  private static let ledgers: [Self] = [
    Self("a payment that WeChat Pay does not confirm", ["missedPayment dave theirs 600", paidMore]) {
      $0.onDay = { fixture, _ in try await Self.pay(fixture, "dave") }
      $0.before = { fixture, _ in
        for operation in [WeChatPayOperation.query, .close] {
          try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: operation, count: nil))
        }
      }
    },
    Self("a held payment", ["notGranted dave ours 600 orderFrozen"]) {
      $0.onDay = { fixture, _ in
        let details = try await Self.pay(fixture, "dave")
        let id = details.order.key.id
        _ = await fixture.database.transact { transaction in
          let key = PaymentModel.OrderKey(appEnvironment: EngineFixture.appEnvironment, id: id)
          guard var order = try transaction.order(key) else { return }
          order.frozenBecause = "by a test"
          try transaction.update(order)
        }
        return details
      }
    },
    Self("an order of another installation", ["orderUnknown dave theirs 600", paidMore]) {
      $0.onDay = { fixture, _ in
        var setup = EngineFixture.Setup()
        setup.dependencies = fixture.process.dependencies()
        setup.anywhere = fixture.weChatPay.api.network
        let other = try EngineFixture(serving: [Fixture.settings(fixture.access)], setup)
        var request = OrderRequest(user: "dave", product: "coins.100", quantity: 1, store: .weChatPay)
        request.platform = "android"
        let details = try await other.engine.createOrder(request, for: other.app, by: .user("dave")).order
        try await fixture.visit(details, openid: "o-dave")
        return details
      }
    },
  ]

  private static let refunds: [Self] = [
    Self(
      "a refund that WeChat Pay does not confirm",
      ["missedRefund bob ELSEWHERE1 theirs 600", "billRefundsDiffer ours 250 theirs 850"]
    ) {
      $0.onDay = { fixture, day in
        try await fixture.refundElsewhere(day.orders[1], number: "ELSEWHERE1")
        return nil
      }
      $0.before = { fixture, _ in
        try await fixture.weChatPay.control.plan(PlannedFault(.unreachable, of: .queryRefund, count: nil))
      }
    },
    // The bill tells it on the next day, and it stands on its own.
    Self("a refund that was made at WeChat Pay itself", []) {
      $0.onDay = { fixture, day in
        try await fixture.refundElsewhere(day.orders[1], number: "ELSEWHERE1")
        return nil
      }
    },
    Self("a refund that failed", ["refundFailed carol refund ours 250", "billRefundsDiffer ours 0 theirs 250"]) {
      $0.refundFault = .closedRefund
      $0.runsTasks = true
    },
    Self("a refund that came back", ["returnedRefundDiffers its number theirs 250 refund done"]) {
      $0.refundFault = .closedRefund
      $0.runsTasks = true
      $0.before = { fixture, day in
        let number = day.refund
        _ = await fixture.database.transact { transaction in
          guard var refund = try transaction.refund(number, in: EngineFixture.appEnvironment) else { return }
          refund.state = .done(at: Timestamp(seconds: 1))
          try transaction.update(refund)
        }
      }
    },
  ]

  private static let days: [Self] = [
    Self("nothing", []),
    Self("a day that was not compared", ["dayNotCompared ours 1550"]) { $0.isCompared = false },
    Self("a day that an earlier version compared", ["feesUnknown"]) {
      $0.after = { fixture, day in
        let name = day.name
        _ = await fixture.database.transact { transaction in
          let environment = EngineFixture.appEnvironment
          guard var record = try transaction.reconciliation(of: name, at: .weChatPay, in: environment),
            let report = record.report.flatMap({ try? JSONReader.read($0.utf8) })
          else { return }
          record.report = JSONValue.object((report.object ?? []).filter { $0.name != "fees" }).text
          try transaction.put(record)
        }
      }
    },
  ]

  /// A user pays, and nobody tells the shop.
  private static func pay(_ fixture: Fixture, _ user: UserIdentifier) async throws -> OrderDetails {
    let details = try await fixture.order("coins.100", of: user)
    try await fixture.visit(details, openid: "o-\(user.text)")
    return details
  }
}

/// The day on which a difference is planted.
struct PlantedDay: Sendable {
  let name: String
  /// Those of alice, bob and carol.
  var orders: [OrderDetails] = []
  /// Our number of carol's refund.
  var refund = ""

  init(_ name: String) { self.name = name }
}
