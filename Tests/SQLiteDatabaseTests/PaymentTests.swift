import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import Testing

@Suite struct `The payments of a database` {
  @Test(arguments: DatabaseKind.allCases)
  func `are unique by app, store, environment and transaction`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let keys = [
        paymentKey("1"), paymentKey("1", sandbox), paymentKey("1", otherApp),
        paymentKey("1", production, store: .weChatPay),
      ]
      try await database.commit { transaction throws in
        for key in keys { try transaction.insert(samplePayment(key)) }
      }
      for key in keys {
        #expect(await database.errorCode { try $0.insert(samplePayment(key)) } == .contended)
        #expect(try await database.read { try $0.payment(key)?.key } == key)
      }
      #expect(try await database.read { try $0.payment(paymentKey("2")) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `have each order at most once, and take it over only if it is free`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        try transaction.insert(samplePayment("1") { $0.order = orderKey(1).id })
        try transaction.insert(samplePayment("2"))
        // The same id in another environment is another order.
        try transaction.insert(samplePayment(paymentKey("1", sandbox)) { $0.order = orderKey(1).id })
      }
      let second = samplePayment("2") { $0.order = orderKey(1).id }
      #expect(await database.errorCode { try $0.update(second) } == .contended)
      let third = samplePayment(paymentKey("3", production, store: .weChatPay)) { $0.order = orderKey(1).id }
      #expect(await database.errorCode { try $0.insert(third) } == .contended)
      try await database.commit { transaction throws in
        try transaction.update(samplePayment("1"))
        try transaction.update(second)
      }
      try await database.read { reading throws in
        #expect(try reading.payment(paying: orderKey(1))?.key == paymentKey("2"))
        #expect(try reading.payment(paying: orderKey(1, sandbox))?.key == paymentKey("1", sandbox))
        #expect(try reading.payment(paying: orderKey(2)) == nil)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are not updated if they are missing`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      #expect(await database.errorCode { try $0.update(samplePayment("1")) } == .inconsistent)
      #expect(await database.errorCode { try $0.update(sampleGrant(paymentKey("1"))) } == .inconsistent)
      #expect(try await database.read { try $0.payment(paymentKey("1")) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `of one original are sorted by purchase date, the original among them`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func payment(_ transaction: String, _ original: String, date: Int64) -> Payment {
        samplePayment(transaction) {
          $0.facts.originalTransaction = TransactionIdentifier(original)
          $0.facts.purchaseDate = at(date)
        }
      }
      try await database.commit { transaction throws in
        try transaction.insert(payment("30", "10", date: 20))
        try transaction.insert(payment("10", "10", date: 30))
        try transaction.insert(payment("20", "10", date: 20))
        // Its original was never seen, and it is not the original of another payment.
        try transaction.insert(payment("40", "unseen", date: 1))
        try transaction.insert(samplePayment(paymentKey("10", sandbox)))
      }
      try await database.read { reading throws in
        func payments(ofOriginal original: String) throws -> [String] {
          try reading.payments(ofOriginal: paymentKey(original)).map(\.key.transaction.text)
        }
        #expect(try payments(ofOriginal: "10") == ["20", "30", "10"])
        #expect(try payments(ofOriginal: "unseen") == ["40"])
        #expect(try payments(ofOriginal: "20") == [])
        #expect(try payments(ofOriginal: "nothing") == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `wait for the operator by state, the longest first`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func payment(_ key: PaymentKey, _ state: PaymentState, seen: Int64) -> Payment {
        samplePayment(key, firstSeenAt: at(seen)) { $0.state = state }
      }
      try await database.commit { transaction throws in
        try transaction.insert(payment(paymentKey("3"), .held(.ownerAmbiguous), seen: 10))
        try transaction.insert(payment(paymentKey("2", production, store: .weChatPay), .held(.familyShared), seen: 10))
        try transaction.insert(payment(paymentKey("4"), .held(.claimLimit), seen: 5))
        try transaction.insert(payment(paymentKey("5"), .held(.claimLimit), seen: 20))
        try transaction.insert(payment(paymentKey("6"), .unclaimed, seen: 5))
        try transaction.insert(payment(paymentKey("7"), .fulfilled, seen: 5))
        try transaction.insert(payment(paymentKey("8", sandbox), .held(.claimLimit), seen: 5))
      }
      try await database.read { reading throws in
        func queue(_ word: String, limit: Int = 9) throws -> [String] {
          try reading.payments(inState: word, firstSeenBefore: at(20), in: production, limit: limit)
            .map(\.key.transaction.text)
        }
        #expect(try queue("held") == ["4", "3", "2"])
        #expect(try queue("held", limit: 2) == ["4", "3"])
        #expect(try queue("unclaimed") == ["6"])
        #expect(try queue("fulfilled") == ["7"])
        #expect(try queue("no such word") == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `are walked through in key order, page by page`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let keys = [
        paymentKey("10"), paymentKey("9"), paymentKey("1", sandbox),
        paymentKey("1", production, store: .weChatPay), paymentKey("1", otherApp),
      ]
      try await database.commit { transaction throws in
        for key in keys.reversed() { try transaction.insert(samplePayment(key)) }
        // This key is named, but it is not a payment: the walk omits it.
        try transaction.insert(
          Evidence(payment: paymentKey("5"), text: "jws", origin: .client, receivedAt: at(0)))
      }
      var walked: [PaymentKey] = []
      while true {
        let last = walked.last
        let page = try await database.read { try $0.payments(after: last, limit: 1) }
        guard let payment = page.first else { break }
        walked.append(payment.key)
      }
      #expect(walked == keys)
    }
  }
}

@Suite struct `What a database keeps beside payments` {
  @Test(arguments: DatabaseKind.allCases)
  func `includes evidence in order of receipt, also of a payment that is not stored yet`(
    kind: DatabaseKind
  ) async throws {
    try await withDatabase(kind) { database, underTest async throws in
      let texts = ["b", "a", "b"]
      for text in texts {
        try await database.commit {
          try $0.insert(
            Evidence(payment: paymentKey("1"), text: text, origin: .notification, receivedAt: at(5)))
        }
      }
      let reopened = try await underTest.reopen()
      #expect(try await reopened.read { try $0.evidence(of: paymentKey("1")).map(\.text) } == texts)
      #expect(try await reopened.read { try $0.payment(paymentKey("1")) } == nil)
      #expect(try await reopened.read { try $0.evidence(of: paymentKey("2")) } == [])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes one duplicate for each later id`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let duplicate = DuplicateTransaction(
        key: paymentKey("2"), of: paymentKey("1"), original: paymentKey("1"), firstSeenAt: at(3))
      try await database.commit { try $0.insert(duplicate) }
      #expect(await database.errorCode { try $0.insert(duplicate) } == .contended)
      #expect(try await database.read { try $0.duplicate(paymentKey("2")) } == duplicate)
      #expect(try await database.read { try $0.duplicate(paymentKey("1")) } == nil)
      var changed = duplicate
      changed.facts = VerifiedPayment(
        key: paymentKey("2"), originalTransaction: "1", storeProduct: "p", kind: .nonConsumable, quantity: 1,
        purchaseDate: at(1), signedDate: at(2))
      changed.refundReversedAt = at(4)
      try await database.commit { [changed] in try $0.update(changed) }
      #expect(try await database.read { try $0.duplicates(ofOriginal: paymentKey("1")) } == [changed])
      try await database.commit { try $0.removeDuplicate(paymentKey("2")) }
      #expect(try await database.read { try $0.duplicates(ofOriginal: paymentKey("1")) } == [])
      #expect(await database.errorCode { try $0.update(duplicate) } == .inconsistent)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes a subscription's claimant, as last set`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      for claimant in [nil, "alice", "bob", nil] as [UserIdentifier?] {
        let subscription = Subscription(key: paymentKey("1"), claimant: claimant)
        try await database.commit { try $0.put(subscription) }
        #expect(try await database.read { try $0.subscription(paymentKey("1")) } == subscription)
      }
      #expect(try await database.read { try $0.subscription(paymentKey("2")) } == nil)
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes the known users of an Apple account, each once`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for user in ["alice", "bob", "alice"] as [UserIdentifier] {
          try transaction.noteUser(user, ofAppTransaction: "t", in: production)
        }
        try transaction.noteUser("carol", ofAppTransaction: "t", in: sandbox)
      }
      try await database.commit { try $0.noteUser("bob", ofAppTransaction: "t", in: production) }
      try await database.read { reading throws in
        #expect(try reading.users(ofAppTransaction: "t", in: production) == ["alice", "bob"])
        #expect(try reading.users(ofAppTransaction: "t", in: sandbox) == ["carol"])
        #expect(try reading.users(ofAppTransaction: "u", in: production) == [])
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes the number of a user's claims since a given time`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      try await database.commit { transaction throws in
        for moment in [10, 20, 20, 30] as [Int64] {
          try transaction.noteClaim(by: "alice", of: paymentKey("1"), at: at(moment))
        }
        try transaction.noteClaim(by: "bob", of: paymentKey("1"), at: at(40))
        try transaction.noteClaim(by: "alice", of: paymentKey("1", sandbox), at: at(40))
      }
      try await database.read { reading throws in
        #expect(try reading.claims(by: "alice", since: at(20), in: production) == 3)
        #expect(try reading.claims(by: "alice", since: at(31), in: production) == 0)
        #expect(try reading.claims(by: "carol", since: at(0), in: production) == 0)
      }
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes the earlier system's list, and whether it exists`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      @Sendable func earlier(_ reading: any DatabaseReader) throws -> [CutOver.Earlier] {
        try [
          paymentKey("1"), paymentKey("2"), paymentKey("1", sandbox),
          paymentKey("1", production, store: .weChatPay),
        ].map { try reading.earlierDelivery(of: $0) }
      }
      #expect(try await database.read(earlier) == [.notLoaded, .notLoaded, .notLoaded, .notLoaded])
      try await database.commit { transaction throws in
        try transaction.noteEarlierDeliveries(["1", "9"], at: .appStore, in: production)
        try transaction.noteEarlierDeliveries(["1"], at: .appStore, in: production)
      }
      // An incomplete list decides nothing.
      #expect(try await database.read(earlier) == [.notLoaded, .notLoaded, .notLoaded, .notLoaded])
      #expect(try await database.read { try $0.isEarlierDelivery(paymentKey("9")) })
      try await database.commit { transaction throws in
        try transaction.setEarlierListReach(at(7), at: .appStore, in: production)
        try transaction.setEarlierListReach(at(5), at: .weChatPay, in: production)
      }
      #expect(try await database.read(earlier) == [.delivered, .notDelivered, .notLoaded, .notDelivered])
      #expect(try await database.read { try $0.earlierListReach(at: .appStore, in: production) } == at(7))
      try await database.commit { try $0.setEarlierListReach(nil, at: .appStore, in: production) }
      #expect(try await database.read(earlier) == [.notLoaded, .notLoaded, .notLoaded, .notDelivered])
    }
  }

  @Test(arguments: DatabaseKind.allCases)
  func `includes one owner by the earlier system's records: the first one`(kind: DatabaseKind) async throws {
    try await withDatabase(kind) { database, _ async throws in
      let owner = ImportedOwner(
        transaction: paymentKey("1"), user: "alice", product: "com.example.coins", importedAt: at(3))
      try await database.commit { try $0.insert(owner) }
      let kept = try await database.commit { transaction throws in
        if let known = try transaction.importedOwner(paymentKey("1")) { return known }
        try transaction.insert(
          ImportedOwner(transaction: paymentKey("1"), user: "bob", product: nil, importedAt: at(4)))
        return owner
      }
      #expect(kept == owner)
      #expect(try await database.read { try $0.importedOwner(paymentKey("1")) } == owner)
      #expect(try await database.read { try $0.importedOwner(paymentKey("1", sandbox)) } == nil)
      #expect(try await database.read { try $0.importedOwner(paymentKey("2")) } == nil)
    }
  }
}
