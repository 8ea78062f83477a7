import PaymentPrimitives

/// What a seed decides before the start: the users and phones of the world, and the rates of its faults.
///
/// Each seed enables a random part of the faults, each with its own rate. If all faults occurred at once, they would
/// hide what one fault alone would show.
struct WorldPlan: Hashable, Sendable {
  struct PhonePlan: Hashable, Sendable {
    /// The Apple account; two phones may share one.
    var account: String
    /// Users of the app who sign in on it.
    var users: [UserIdentifier]
    /// How often a user opens the app before all faults end.
    var sessions: Int
    /// How far its clock is ahead of the world's clock.
    var skew: TimeSpan
    /// Whether it is never opened again after its last session.
    var isLost: Bool
    /// Whether it loses its vault between two sessions.
    var losesVault: Bool
    /// Whether its app uses StoreKit 1, which delivers an unfinished purchase instead of selling a second one.
    var isStoreKit1: Bool
    /// Whether it has no App Store, and its app sells through WeChat Pay.
    var isAndroid = false
    /// Whether the app receipt is the only evidence of its app.
    var sendsReceipts = false
  }

  /// Fault rates, in thousandths.
  struct Faults: Hashable, Sendable {
    var requestLost = 0
    var answerLost = 0
    var requestDoubled = 0
    var slow = 0
    var storeBusy = 0
    var storeConflict = 0
    var commitUnknown = 0
    var readRefused = 0
    var receiverFails = 0
    var customerCancels = 0
    var approvalNeeded = 0
    var failsThoughCharged = 0
    var callbackLost = 0
    var appKilled = 0
    var interrupted = 0
    var odd = 0
    var keychainFails = 0
    var reinstalled = 0
    var receiptLags = 0
    var approvedSoon = 0
  }

  var phones: [PhonePlan] = []
  var faults = Faults()
  /// Number of server processes over the one database.
  var servers = 1
  /// What happens to them where they are the nodes over the modelled PostgreSQL.
  var nodes: NodePlan?
  /// Whether the App Store sells subscriptions, too.
  var sellsSubscriptions = false
  var serverKills = 0
  var appStoreKills = 0
  var backendKills = 0
  var partitions = 0
  var refunds = 0
  /// The part of the world in which users pay through WeChat Pay.
  let weChat: WeChatPlan
  /// The server's connection to Apple's servers.
  let apple: ApplePlan
  /// Events after a purchase.
  let aftermath: LifecyclePlan
  let catalog: CatalogPlan
  /// The database and its disk.
  var database: DatabasePlan
  let bookkeeping: BookkeepingPlan
  let crowd: CrowdPlan
  /// The home environment, and the sandbox purchases.
  let sandbox: SandboxPlan
  let flood: FloodPlan
  /// How the App Store repeats, refunds and sells non-consumables again.
  let habits: StoreHabitsPlan
  /// The initial behaviour settings of the simulated App Store.
  var behaviours: [ApplePlan.Behaviour] { behaviourList + apple.behaviours + habits.behaviours }
  private var behaviourList: [ApplePlan.Behaviour] = []
  var chaos = TimeSpan.minutes(20)

  init(seed: UInt64, hazards: Set<WorldHazard> = WorldHazard.usual) {
    var chance = SeededChance(seed: seed, purpose: "plan")
    servers = 1 + (chance.happens(perMille: 350) ? 1 : 0)
    let isSharing = chance.happens(perMille: 250)
    var apples: [PhonePlan] = []
    for number in 0..<(2 + chance.number(below: 2)) { apples.append(Self.phone(number, isSharing, chance: &chance)) }
    apple = ApplePlan(seed: seed, phones: apples)
    for number in apple.receiptPhones { apples[number].sendsReceipts = true }
    if apple.losesPhone { apples[0].isLost = true }
    phones = apples
    weChat = WeChatPlan(seed: seed, users: apples.flatMap(\.users))
    aftermath = LifecyclePlan(seed: seed)
    catalog = CatalogPlan(seed: seed, hazards)
    habits = StoreHabitsPlan(seed: seed, hazards)
    crowd = CrowdPlan(seed: seed, hazards)
    flood = FloodPlan(seed: seed, hazards)
    sandbox = SandboxPlan(seed: seed, hazards)
    database = DatabasePlan(seed: seed, hazards)
    bookkeeping = BookkeepingPlan(seed: seed, hazards)
    sellsSubscriptions = aftermath.sellsSubscriptions
    drawFaults(&chance)
    drawBehaviours(&chance)
    drawDeviceFaults(seed)
    faults.receiptLags = apple.receiptLags
    faults.approvedSoon = apple.approvedSoon
    if apple.approvedSoon > 0 { faults.approvalNeeded = max(faults.approvalNeeded, 300) }
    if chance.happens(perMille: 600) { serverKills = 1 + chance.number(below: 4) }
    if chance.happens(perMille: 350) { appStoreKills = 1 + chance.number(below: 2) }
    if chance.happens(perMille: 350) { backendKills = 1 + chance.number(below: 2) }
    if chance.happens(perMille: 350) { partitions = 1 + chance.number(below: 3) }
    if chance.happens(perMille: 350) { refunds = 1 + chance.number(below: 2) }
    phones += weChat.phones
  }

  /// A world of those phones in which no faults are active.
  init(phones: [PhonePlan]) {
    self.phones = phones
    apple = ApplePlan()
    weChat = WeChatPlan()
    aftermath = LifecyclePlan()
    catalog = CatalogPlan()
    habits = StoreHabitsPlan()
    crowd = CrowdPlan()
    flood = FloodPlan()
    sandbox = SandboxPlan()
    database = DatabasePlan()
    bookkeeping = BookkeepingPlan()
  }

  private static func phone(_ number: Int, _ isSharing: Bool, chance: inout SeededChance) -> PhonePlan {
    let own = ["ann", "bob", "cat"][number % 3]
    var users: [UserIdentifier] = [UserIdentifier(own)]
    if chance.happens(perMille: 300) { users.append(UserIdentifier(own + ".sister")) }
    let skews: [TimeSpan] = [.zero, .zero, .zero, .minutes(3), -.minutes(40), .days(3), -.days(3650)]
    return PhonePlan(
      account: isSharing && number < 2 ? "family" : own, users: users, sessions: 2 + chance.number(below: 3),
      skew: chance.pick(skews) ?? .zero, isLost: chance.happens(perMille: 120),
      losesVault: chance.happens(perMille: 250), isStoreKit1: chance.happens(perMille: 300))
  }

  private mutating func drawFaults(_ chance: inout SeededChance) {
    let all: [(WritableKeyPath<Faults, Int>, most: Int)] = [
      (\.requestLost, 200), (\.answerLost, 200), (\.requestDoubled, 300), (\.slow, 250),
      (\.storeBusy, 150), (\.storeConflict, 300), (\.commitUnknown, 250), (\.readRefused, 120),
      (\.receiverFails, 500), (\.customerCancels, 300), (\.approvalNeeded, 300), (\.failsThoughCharged, 300),
      (\.callbackLost, 400), (\.appKilled, 700),
    ]
    for (fault, most) in all where chance.happens(perMille: 400) {
      faults[keyPath: fault] = 1 + chance.number(below: most)
    }
  }

  /// Faults that only phones with Apple's queues can have. They use their own random stream, so they change nothing
  /// for others.
  private mutating func drawDeviceFaults(_ seed: UInt64) {
    var chance = SeededChance(seed: seed, purpose: "plan of devices")
    let all: [(WritableKeyPath<Faults, Int>, most: Int)] = [
      (\.interrupted, 400), (\.odd, 600), (\.keychainFails, 300), (\.reinstalled, 500),
    ]
    for (fault, most) in all where chance.happens(perMille: 400) {
      faults[keyPath: fault] = 1 + chance.number(below: most)
    }
  }

  private mutating func drawBehaviours(_ chance: inout SeededChance) {
    // Only notifications can replace a lost phone, so they must not be lost for good then.
    let mayLoseNotifications = !phones.contains { $0.isLost }
    var all: [(String, perMille: Int, most: Int)] = [
      ("failPurchases", 200, 2), ("losePurchaseAnswers", 300, 3), ("loseTokens", 450, 4),
      ("loseFinishes", 250, 3), ("loseFinishAnswers", 250, 3), ("loseAttempts", 300, 4),
      ("duplicateNotifications", 250, 3), ("notifyBeforeAnswer", 300, 1), ("newIdWhenOwned", 400, 1),
      ("notificationDelayMilliseconds", 300, 3_600_000),
    ]
    if mayLoseNotifications { all.append(("loseNotifications", 300, 4)) }
    for (name, perMille, most) in all where chance.happens(perMille: perMille) {
      behaviourList.append(ApplePlan.Behaviour(name: name, value: Int64(1 + chance.number(below: most))))
    }
  }
}
