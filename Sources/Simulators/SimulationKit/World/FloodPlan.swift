import PaymentPrimitives

/// What a seed decides of floods: hundreds of requests in a few seconds, several at once, from several addresses. It is
/// drawn apart, so that it changes nothing of what else happens.
struct FloodPlan: Hashable, Sendable {
  enum Kind: CaseIterable, Hashable, Sendable {
    /// Bodies and evidence that nobody can read.
    case garbage
    /// Signed by an authority that names itself like the genuine one.
    case inventedAuthorities
    /// Leaves that the genuine authority is said to have certified.
    case falseLeaves
    /// User tokens that are broken, expired, or of a key that nobody knows.
    case badTokens
    /// Notifications that the App Store has sent.
    case repeatedNotifications
    /// Notifications that WeChat Pay has not signed.
    case forgedWeChatPay
    /// Genuine transactions of other people, all handed in by one user.
    case othersEvidence

    /// Whether nothing of it may be believed.
    var isForged: Bool { self != .repeatedNotifications && self != .othersEvidence }
  }

  struct Flood: Hashable, Sendable {
    let kind: Kind
    /// How long after the one before it.
    let after: TimeSpan
    /// Within how long all of its requests are sent.
    let span: TimeSpan
    let requests: Int
    let peers: Int
    /// Whether one of them is the address behind which all others are, too.
    let sharesAddress: Bool
  }

  var floods: [Flood] = []

  init() {}

  init(seed: UInt64, _ hazards: Set<WorldHazard>) {
    var chance = SeededChance(seed: seed, purpose: "plan of floods")
    guard hazards.contains(.floods), chance.happens(perMille: 180) else { return }
    for _ in 0..<(1 + chance.number(below: 3)) {
      guard let kind = chance.pick(Kind.allCases), let peers = chance.pick([1, 3, 20, 150]) else { return }
      floods.append(
        Flood(
          kind: kind, after: .seconds(Int64(chance.number(below: 400))),
          span: .milliseconds(Int64(500 + chance.number(below: 5000))), requests: 200 + chance.number(below: 500),
          peers: peers, sharesAddress: chance.happens(perMille: 400)))
    }
  }
}
