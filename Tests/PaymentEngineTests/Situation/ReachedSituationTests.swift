import PaymentDatabase
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import ShopFixtures
import SimulationKit
import Testing

/// The name of a situation, without what comes along.
enum SituationName: String, CaseIterable {
  case waitingForPayment, waitingForApproval, closedUnpaid, alreadyOwned, pendingAtStore, weChatUnknown, held, setAside
  case unclaimed, revoked, imported, observed, paidGrantedAcknowledged, paidGrantedNotTold, paidGrantedParked
  case paidTwice, boughtSomethingElse, paidLate, sandboxCounterpart, reversed, reinstated, refundUnderWay, refundStuck
  case refundAskedAtApple, contradicted, frozen
}

extension OrderSituation {
  /// A new case has no name here: this does not compile until it has one, and then a stage has to reach it.
  var name: SituationName {
    switch self {
    case .waitingForPayment: .waitingForPayment
    case .waitingForApproval: .waitingForApproval
    case .closedUnpaid: .closedUnpaid
    case .alreadyOwned: .alreadyOwned
    case .pendingAtStore: .pendingAtStore
    case .weChatUnknown: .weChatUnknown
    case .held: .held
    case .setAside: .setAside
    case .unclaimed: .unclaimed
    case .revoked: .revoked
    case .imported: .imported
    case .observed: .observed
    case .paidGrantedAcknowledged: .paidGrantedAcknowledged
    case .paidGrantedNotTold: .paidGrantedNotTold
    case .paidGrantedParked: .paidGrantedParked
    case .paidTwice: .paidTwice
    case .boughtSomethingElse: .boughtSomethingElse
    case .paidLate: .paidLate
    case .sandboxCounterpart: .sandboxCounterpart
    case .reversed: .reversed
    case .reinstated: .reinstated
    case .refundUnderWay: .refundUnderWay
    case .refundStuck: .refundStuck
    case .refundAskedAtApple: .refundAskedAtApple
    case .contradicted: .contradicted
    case .frozen: .frozen
    }
  }
}

/// A situation, a way into it, and what the customer is told there.
struct ToldSituation: Sendable {
  let name: SituationName
  let how: String
  let english: String
  let chinese: String

  init(_ name: SituationName, _ how: String, tell customer: (String, String)) {
    self.name = name
    self.how = how
    (english, chinese) = customer
  }

  func expect(_ situation: OrderSituation, at location: SourceLocation = #_sourceLocation) {
    #expect(situation.name == name, "\(how)", sourceLocation: location)
    let told = situation.sentence(.init(amount: "¥6.00", goods: "100 coin")).customer
    #expect(told.english == english, sourceLocation: location)
    #expect(told.chinese == chinese, sourceLocation: location)
  }
}

/// Brings an order or a payment into a situation, through an engine whose time stands still.
struct EngineStage: Sendable, CustomTestStringConvertible {
  let told: ToldSituation
  let bring: @Sendable () async throws -> OrderSituation

  init(
    _ name: SituationName, _ how: String, tell customer: (String, String),
    bring: @escaping @Sendable () async throws -> OrderSituation
  ) {
    told = ToldSituation(name, how, tell: customer)
    self.bring = bring
  }

  var testDescription: String { "\(told.name.rawValue): \(told.how)" }
}

/// Brings an order into a situation in a simulated world, whose time the stage moves.
struct WorldStage: Sendable, CustomTestStringConvertible {
  let told: ToldSituation
  let bring: @Sendable () throws -> OrderSituation

  init(
    _ name: SituationName, _ how: String, tell customer: (String, String),
    bring: @escaping @Sendable () throws -> OrderSituation
  ) {
    told = ToldSituation(name, how, tell: customer)
    self.bring = bring
  }

  var testDescription: String { "\(told.name.rawValue): \(told.how)" }
}

@Suite struct `What an order comes down to` {
  @Test(arguments: EngineStage.all)
  func `is what really happened, and so is what the customer is told`(stage: EngineStage) async throws {
    stage.told.expect(try await stage.bring())
  }

  @Test(arguments: WorldStage.all)
  func `is what really happened at the stores, and so is what the customer is told`(stage: WorldStage) throws {
    stage.told.expect(try stage.bring())
  }

  @Test func `is reached by a test for each case of the list`() {
    let reached = Set(EngineStage.all.map(\.told.name) + WorldStage.all.map(\.told.name))
    #expect(Set(SituationName.allCases).subtracting(reached).map(\.rawValue) == [])
  }
}

extension ShopUnderTest {
  /// The situation of an order, as its page shows it.
  func situation(of order: OrderIdentifier?, in environments: [AppEnvironment]? = nil) async throws -> OrderSituation {
    let story = try await engine.tellOrder(.id(try #require(order)), in: environments ?? app.userEnvironments)
    return OrderSituation(story, at: now())
  }

  /// The situation of a payment without an order.
  func situation(ofPayment id: String) async throws -> OrderSituation {
    let story = try await engine.tellPayment(EngineFixture.key(id))
    return OrderSituation(try #require(story.payment), grant: story.relations.grant, deliveries: story.deliveries)
  }

  /// The backend has all deliveries of an order.
  func acknowledgeAll(of order: OrderIdentifier?, in environments: [AppEnvironment]? = nil) async throws {
    let story = try await engine.tellOrder(.id(try #require(order)), in: environments ?? app.userEnvironments)
    for delivery in story.details.deliveries { _ = try await engine.acknowledge(delivery.id, in: app.id) }
  }
}
