import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `A payment with a user's UUID as its token, where tokens name users` {
  private static let alice = Purchases.identifier(100)
  private static let name = UserIdentifier(alice.appAccountToken)

  private func question(
    of product: Product = Purchases.coins, _ tokenUser: TokenUser? = .known(name, own: []),
    by presenter: UserIdentifier? = nil, _ change: (inout MatchQuestion) -> Void = { _ in }
  ) -> MatchQuestion {
    var question = Purchases.question(Purchases.payment("t1", for: product, token: 100), of: product)
    question.tokenUser = tokenUser
    question.presentation = presenter.map { Purchases.presentation(by: $0) }
    change(&question)
    return question
  }

  private func order(_ number: UInt64, of user: UserIdentifier = name, at moment: Timestamp = Purchases.noon) -> Order {
    Purchases.order(number, of: user, at: moment)
  }

  private let derived = MatchDecision.grant(
    to: name, .derivedOrder(from: nil), rule: .derived, flags: [.tokenNamesUser])

  // MARK: what is refused

  @Test func `can be claimed by no other user, whether that user is known or not (A7)`() {
    #expect(Match.decide(question(by: "mallory")) == derived)
    let orders = [order(1, of: "mallory")]
    let unknown = question(.unknown, by: "mallory") {
      $0.presentation?.presented = orders
      $0.presentation?.own = orders
      $0.presentation?.sameRun = orders[0].key.id
    }
    #expect(Match.decide(unknown) == .held(.tokenOfAnotherUser))
    let known = question(.known(Self.name, own: orders), by: "mallory") { $0.presentation?.presented = orders }
    #expect(Match.decide(known) == derived, "another user's order is not a candidate")
  }

  @Test func `is held if several users write that UUID, for any presenter`() {
    for presenter in [nil, "mallory", Self.name] as [UserIdentifier?] {
      #expect(Match.decide(question(.ambiguous, by: presenter)) == .held(.tokenUserAmbiguous))
      let monthly = question(of: Purchases.monthly, .ambiguous, by: presenter) {
        $0.subscription = SubscriptionFacts(named: [], claimant: "bob")
      }
      #expect(Match.decide(monthly) == .held(.tokenUserAmbiguous))
    }
  }

  @Test func `is unclaimed while that user is unknown and it is not presented`() {
    #expect(Match.decide(question(.unknown)) == .unclaimed)
  }

  @Test func `is still not granted if it cannot be sold, or if its order is frozen`() {
    #expect(Match.decide(question { $0.product = nil }) == .held(.productUnknown))
    var frozen = order(1)
    frozen.frozenBecause = "a broken rule"
    #expect(Match.decide(question(.known(Self.name, own: [frozen]))) == .held(.orderFrozen))
  }

  @Test func `names no user if it is family-shared (A11)`() {
    let family = question(of: Purchases.premium) { $0.payment.ownership = .familyShared }
    #expect(Match.decide(family) == .unclaimed)
  }

  @Test func `names no user if the token names an order of ours`() {
    let named = question { $0.named = self.order(100, of: "bob") }
    #expect(
      Match.decide(named) == .grant(to: "bob", .order(Self.alice), rule: .exact, flags: []))
  }

  // MARK: what is granted

  @Test func `goes to that user without a presentation, without a device, and beyond their daily claims`() {
    #expect(Match.decide(question()) == derived)
    let many = question(by: Self.name) {
      $0.presentation?.claimsToday = 1000
      $0.presentation?.proof = .differs
      $0.presentation?.policy = ClaimPolicy(isStrict: true, perDay: 0)
      $0.presentation?.usersOfAppTransaction = ["bob"]
    }
    #expect(Match.decide(many) == derived)
  }

  @Test func `pays the user's own fitting order, the presented one before others`() {
    let orders = [order(1), order(2, at: Purchases.noon + .seconds(30))]
    #expect(
      Match.decide(question(.known(Self.name, own: orders)))
        == .grant(
          to: Self.name, .order(orders[1].key.id), rule: .inferred,
          flags: [.tokenNamesUser, .inferred, .severalCandidates]))
    let presented = question(.known(Self.name, own: orders), by: "bob") { $0.presentation?.presented = [orders[0]] }
    #expect(
      Match.decide(presented)
        == .grant(to: Self.name, .order(orders[0].key.id), rule: .presented, flags: [.tokenNamesUser]))
  }

  @Test func `counts before the earlier system's records`() {
    let booked = question {
      $0.importedOwner = "bob"
      $0.isObserving = true
    }
    #expect(
      Match.decide(booked)
        == .imported(
          to: Self.name, .derivedOrder(from: nil), rule: .derived, flags: [.tokenNamesUser, .observed]))
    let unknown = question(.unknown) {
      $0.importedOwner = "bob"
      $0.isObserving = true
    }
    guard case .imported(to: "bob", _, rule: .operator, _) = Match.decide(unknown) else {
      Issue.record("the records name bob, the token an unknown user")
      return
    }
  }

  @Test func `of a subscription goes to the owner of the latest token at or before it, order or user`() {
    let monthly = Purchases.monthly
    func renewal(_ tokenUser: TokenUser?, day: Int64, _ subscription: SubscriptionFacts) -> MatchDecision {
      var payment = Purchases.payment(
        "s9", for: monthly, token: tokenUser == nil ? nil : 100, at: Purchases.noon + .days(day))
      payment.originalTransaction = "s1"
      var question = Purchases.question(payment, of: monthly)
      question.tokenUser = tokenUser
      question.subscription = subscription
      return Match.decide(question)
    }
    func at(_ day: Int64, _ user: UserIdentifier) -> SubscriptionFacts.NamedUser {
      SubscriptionFacts.NamedUser(
        payment: Purchases.payment(TransactionIdentifier("s\(day)")).key, purchaseDate: Purchases.noon + .days(day),
        user: user)
    }
    let subscription = SubscriptionFacts(named: [], users: [at(0, "bob"), at(60, "carol")], claimant: "dave")
    #expect(renewal(nil, day: 30, subscription) == .grant(to: "bob", .none, rule: .subscription, flags: []))
    #expect(renewal(nil, day: 90, subscription) == .grant(to: "carol", .none, rule: .subscription, flags: []))
    #expect(renewal(nil, day: -1, subscription) == .grant(to: "dave", .none, rule: .subscription, flags: []))
    #expect(
      renewal(.known(Self.name, own: []), day: 30, subscription)
        == .grant(to: Self.name, .none, rule: .subscription, flags: [.tokenNamesUser]))
    #expect(renewal(.unknown, day: 30, subscription) == .grant(to: "bob", .none, rule: .subscription, flags: []))
  }

  @Test func `begins a subscription like any other purchase of that user`() {
    #expect(Match.decide(question(of: Purchases.monthly)) == derived)
  }

  // MARK: properties

  /// Every fact that may vary in a question, by the digits of a number.
  private func question(number: Int, _ tokenUser: TokenUser) -> MatchQuestion {
    var rest = number
    func digit(_ count: Int) -> Int {
      defer { rest /= count }
      return rest % count
    }
    let product = [Purchases.coins, Purchases.premium, Purchases.season, Purchases.monthly][digit(4)]
    let presenter: UserIdentifier? = [nil, "mallory", Self.name][digit(3)]
    return question(of: product, tokenUser, by: presenter) { question in
      let orders = [
        Purchases.order(1, of: "mallory", for: product), Purchases.order(2, of: Self.name, for: product),
        Purchases.order(3, of: "bob", for: product),
      ]
      let shown = digit(8)
      question.presentation?.presented = orders.indices.filter { shown >> $0 & 1 == 1 }.map { orders[$0] }
      question.presentation?.own = orders.filter { $0.user == presenter }
      question.presentation?.sameRun = [nil, orders[0].key.id, orders[2].key.id][digit(3)]
      question.presentation?.claimsToday = [0, 5][digit(2)]
      question.presentation?.proof = Presentation.DeviceProof.allCases[digit(4)]
      question.presentation?.usersOfAppTransaction = [[], ["mallory"]][digit(2)]
      question.isTokenUnseen = digit(2) == 1
      if case .known(let user, _) = question.tokenUser, digit(2) == 1 {
        question.tokenUser = .known(user, own: orders.filter { $0.user == user })
      }
    }
  }

  private static let questions = 4 * 3 * 8 * 3 * 2 * 4 * 2 * 2 * 2

  @Test func `goes to that user in each of eighteen thousand questions, and to none while they are unknown`() {
    for number in 0..<Self.questions {
      let decision = Match.decide(question(number: number, .known(Self.name, own: [])))
      guard case .grant(to: Self.name, let pairing, _, let flags) = decision, flags.contains(.tokenNamesUser) else {
        Issue.record("\(number): \(decision)")
        return
      }
      if case .order(let id) = pairing { #expect(id == Purchases.identifier(2)) }
      switch Match.decide(question(number: number, .unknown)) {
      case .unclaimed, .held(.tokenOfAnotherUser): break
      case let other:
        Issue.record("\(number): \(other)")
        return
      }
    }
  }
}

@Suite struct `The user that sixteen bytes name` {
  private static let token = Purchases.identifier(0xABCDEF)

  private func named(_ users: Set<UserIdentifier>) -> TokenUser {
    TokenUser(named: Self.token, among: users) { _ in [] }
  }

  @Test func `is unknown among users without UUIDs as ids, or with other UUIDs`() {
    #expect(named([]) == .unknown)
    #expect(named(["alice", UserIdentifier(Purchases.identifier(1).appAccountToken)]) == .unknown)
    #expect(named([UserIdentifier("{\(Self.token.appAccountToken)}")]) == .unknown)
  }

  @Test func `is one user in any spelling, and ambiguous if two users' ids spell the UUID differently`() {
    for spelling in TokenUser.spellings(of: Self.token) {
      #expect(named([spelling, "alice"]).user == spelling)
    }
    let mixed = UserIdentifier(Self.token.appAccountToken.replacing("a", with: "A"))
    #expect(named([mixed]).user == mixed)
    #expect(named(Set(TokenUser.spellings(of: Self.token).prefix(2))) == .ambiguous)
    #expect(named([mixed, TokenUser.spellings(of: Self.token)[0]]) == .ambiguous)
  }

  @Test func `is searched in four spellings, and in fewer if there are no letters`() {
    #expect(TokenUser.spellings(of: Self.token).count == 4)
    #expect(TokenUser.spellings(of: OrderIdentifier(high: 0x1234, low: 0x5678)).count == 2)
  }
}
