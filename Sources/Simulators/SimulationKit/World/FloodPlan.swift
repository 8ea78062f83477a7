import PaymentPrimitives

/// The floods that a seed schedules: hundreds of requests in a few seconds, several at once, from several addresses.
/// The plan has its own random stream, so it changes nothing else in the world.
struct FloodPlan: Hashable, Sendable {
  enum Kind: CaseIterable, Hashable, Sendable {
    /// Bodies and evidence that cannot be parsed.
    case garbage
    /// Evidence signed by an authority that uses the names of the genuine one.
    case inventedAuthorities
    /// Leaf certificates that claim the genuine authority as issuer.
    case falseLeaves
    /// User tokens that are broken, expired, or signed with an unknown key.
    case badTokens
    /// Notifications that the App Store has sent.
    case repeatedNotifications
    /// Notifications that WeChat Pay has not signed.
    case forgedWeChatPay
    /// Genuine transactions of other users, all submitted by one user.
    case othersEvidence

    /// Whether the server must reject every request of this kind.
    var isForged: Bool { self != .repeatedNotifications && self != .othersEvidence }
  }

  struct Flood: Hashable, Sendable {
    let kind: Kind
    /// Time since the previous flood.
    let after: TimeSpan
    /// Time within which all of its requests are sent.
    let span: TimeSpan
    let requests: Int
    let peers: Int
    /// Whether one of its addresses is the address that all phones and stores use.
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
