import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `What a database keeps of a subscription` {
  private func subscription(_ original: String, askAt: Int64?) -> Subscription {
    var subscription = Subscription(key: paymentKey(original), claimant: "alice")
    subscription.periodEnd = at(30)
    subscription.askAt = askAt.map { at($0) }
    subscription.transfer = Subscription.Transfer(to: "bob", at: at(7))
    var renewal = VerifiedRenewal(subscription: subscription.key, signedDate: at(9), willRenew: true)
    renewal.renewsTo = "com.example.yearly"
    renewal.expiration = .billingError
    renewal.isInBillingRetry = true
    renewal.gracePeriodExpiresDate = at(46)
    renewal.renewalDate = at(31)
    renewal.priceIncrease = .pending
    subscription.renewal = renewal
    return subscription
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is unchanged when it is read, also after the database was opened again`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let (whole, bare) = (subscription("1", askAt: 40), Subscription(key: paymentKey("2"), claimant: nil))
      try await database.commit { transaction throws in
        try transaction.put(whole)
        try transaction.put(bare)
      }
      let reopened = try await underTest.reopen()
      #expect(try await reopened.read { try $0.subscription(paymentKey("1")) } == whole)
      #expect(try await reopened.read { try $0.subscription(paymentKey("2")) } == bare)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is due for a request at its time, the longest waiting first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (name, moment) in [("1", 50), ("2", 40), ("3", 40), ("4", 60), ("5", nil)] as [(String, Int64?)] {
          try transaction.put(subscription(name, askAt: moment))
        }
      }
      try await database.read { reading throws in
        let due = try reading.subscriptionsToAsk(at: at(50), in: production, limit: 9)
        #expect(due.map(\.key.transaction) == ["2", "3", "1"])
        #expect(try reading.subscriptionsToAsk(at: at(50), in: production, limit: 1).map(\.key.transaction) == ["2"])
        #expect(try reading.subscriptionsToAsk(at: at(50), in: sandbox, limit: 9) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is part of the entitlements that it gives`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let renewed = paymentKey("2")
      let known = subscription("1", askAt: 40)
      try await database.commit { transaction throws in
        try transaction.insert(
          samplePayment(renewed) {
            $0.facts.originalTransaction = "1"
            $0.facts.kind = .autoRenewable
            $0.facts.storeProduct = "com.example.monthly"
            $0.facts.isUpgraded = true
            $0.facts.revocation = Revocation(date: at(3), type: "REFUND_PRORATED")
          })
        try transaction.insert(
          sampleGrant(renewed, .entitlement("club", from: at(0), until: at(30)), at: at(1)))
        try transaction.put(known)
      }
      let source = try #require(
        try await database.read { try $0.entitlementSources(of: "alice", in: production) }.first)
      #expect(source.kind == .autoRenewable && source.original == "1" && source.storeProduct == "com.example.monthly")
      #expect(source.isUpgraded && source.revocationType == "REFUND_PRORATED")
      #expect(source.renewal == known.renewal)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `is shared with each user once`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (original, user) in [("2", "bob"), ("1", "bob"), ("1", "carol"), ("1", "bob")] {
          try transaction.share(paymentKey(original), with: UserIdentifier(user), at: at(5))
        }
      }
      try await database.read { reading throws in
        #expect(try reading.sharedEntitlements(of: "bob", in: production) == [paymentKey("1"), paymentKey("2")])
        #expect(try reading.sharedEntitlements(of: "bob", in: sandbox) == [])
        #expect(try reading.countOfShares(of: paymentKey("1")) == 2)
        #expect(try reading.countOfShares(of: paymentKey("nobody")) == 0)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes notifications that wait for a version that understands them`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for (id, type, effect) in [
          ("b", "REFUND", .kept), ("a", "REFUND", .kept), ("c", "REFUND", .applied), ("d", "REVOKE", .kept),
        ] as [(String, String, ReceivedNotification.Effect)] {
          try transaction.insert(
            ReceivedNotification(
              appEnvironment: production, id: id, type: type, subtype: nil, signedDate: at(1), transaction: "1",
              signedPayload: "a.b.c", receivedAt: at(2), effect: effect))
        }
      }
      func kept(_ after: String? = nil) async throws -> [String] {
        try await database.read {
          try $0.keptNotifications(of: "REFUND", after: after, in: production, limit: 9).map(\.id)
        }
      }
      #expect(try await kept() == ["a", "b"])
      #expect(try await kept("a") == ["b"])
      try await database.commit { try $0.noteEffect(of: "a", in: production) }
      #expect(try await kept() == ["b"])
      #expect(try await database.read { try $0.notification("a", in: production) }?.effect == .applied)
      #expect(await database.errorCode { try $0.noteEffect(of: "z", in: production) } == .inconsistent)
    }
  }
}
