package import PaymentPrimitives

/// A named situation in which common code loses money or gives something away, to be played step by step: the real
/// client library, the real server and engine, the simulated stores, and a backend that books deliveries.
///
///     counterfoil-lab trigger kill-after-password
///
/// It ends with a verdict from the ledger, never from intermediate reports.
package struct Scenario: Sendable {
  package enum Group: String, CaseIterable, Sendable {
    /// A purchase at the App Store that goes wrong.
    case purchase
    /// Transactions that wait in the payment queue.
    case queue
    /// A WeChat callback that never comes, and other WeChat Pay faults.
    case weChat
    /// A row of Apple's table of notifications.
    case notification

    package var title: BilingualText {
      switch self {
      case .purchase: BilingualText("Purchases at the App Store", "App Store 购买")
      case .queue: BilingualText("The payment queue", "支付队列")
      case .weChat: BilingualText("WeChat Pay", "微信支付")
      case .notification: BilingualText("Apple's notifications", "Apple 服务器通知")
      }
    }
  }

  /// The permanent command-line name: lower case with dashes.
  package let name: String
  package let group: Group
  package let title: BilingualText
  /// What typical code does, and what that would have cost here.
  package let naive: BilingualText
  let cast: ScenarioCast
  let expected: ScenarioExpectation
  let play: @Sendable (ScenarioPlay) async throws -> Void

  init(
    _ name: String, _ group: Group, title: BilingualText, naive: BilingualText, cast: ScenarioCast = ScenarioCast(),
    expecting expected: ScenarioExpectation, play: @escaping @Sendable (ScenarioPlay) async throws -> Void
  ) {
    self.name = name
    self.group = group
    self.title = title
    self.naive = naive
    self.cast = cast
    self.expected = expected
    self.play = play
  }

  /// All scenarios, in the order in which they are listed.
  package static let all: [Scenario] =
    Scenarios.purchases + Scenarios.repeats + Scenarios.people + Scenarios.queue + Scenarios.crossings
    + Scenarios.weChat + Scenarios.notifications
}

/// The scenarios, in several files by topic.
enum Scenarios {}

struct ScenarioCast: Sendable {
  /// The phones, each with an Apple account and the users of the app who sign in on it.
  var phones = [ScenarioCast.phone("ann")]
  var sellsSubscriptions = false

  /// A phone of one Apple account.
  static func phone(
    _ users: UserIdentifier..., account: String? = nil, isStoreKit1: Bool = false, isLost: Bool = false
  ) -> WorldPlan.PhonePlan {
    WorldPlan.PhonePlan(
      account: account ?? users[0].text, users: users, sessions: 0, skew: .zero, isLost: isLost, losesVault: false,
      isStoreKit1: isStoreKit1)
  }

  /// A phone without an App Store, on which the app sells through WeChat Pay.
  static func android(_ user: UserIdentifier) -> WorldPlan.PhonePlan {
    var phone = phone(user, account: "")
    phone.isAndroid = true
    return phone
  }
}

/// The expected state of the ledger at the end.
struct ScenarioExpectation: Sendable {
  var charges: Int
  /// The number of grants; nil: every charge is granted.
  var grants: Int?
  /// Coins by user; all other users have none.
  var coins: [UserIdentifier: Int64] = [:]
  /// Active entitlements by user; all other users have none.
  var rights: [UserIdentifier: Set<String>] = [:]
  /// The number of deliveries to the backend by kind; nil: every charge is granted and nothing else is reported.
  var told: [String: Int]?
}
