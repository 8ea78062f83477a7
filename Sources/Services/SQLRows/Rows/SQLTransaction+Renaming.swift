import PaymentDatabase
import PaymentModel
import PaymentPrimitives

/// How the rows of a user who is erased get the alias.
extension SQLTransaction {
  func rename(_ renaming: UserRenaming, limit: Int) throws -> RenamedRows {
    var done = RenamedRows()
    var payments: Set<PaymentKey> = []
    for name in renaming.names {
      let orders = try all(RenamingSQL.ordersOf, { bind(name, renaming, limit: limit, to: &$0) }) {
        try RenamedOrder(&$0, in: renaming.appEnvironment)
      }
      for order in orders {
        try rename(order, renaming)
        if let payment = order.payment { payments.insert(payment) }
      }
      done.orders += orders.count
      payments.formUnion(
        try all(RenamingSQL.grantedTo, { bind(name, renaming, limit: limit, to: &$0) }) { try $0.paymentKey() })
      for sql in [RenamingSQL.postingsTo, RenamingSQL.postingsFrom] {
        let postings = try all(sql, { bind(name, renaming, limit: limit, to: &$0) }, RenamedPosting.init)
        for posting in postings {
          if let payment = posting.payment {
            payments.insert(payment)
          } else {
            try rename(posting, renaming)
            done.bookings += 1
          }
        }
      }
    }
    done.payments = payments.sorted()
    for payment in done.payments { try rename(payment, renaming) }
    return done
  }

  func rename(_ renaming: UserRenaming, in rows: NamingRows) throws {
    for payment in rows.payments { try rename(payment, renaming) }
    for number in rows.entries { try redactEntries(RenamingSQL.entry, renaming) { $0.add(number) } }
  }

  private func bind(
    _ name: UserIdentifier, _ renaming: UserRenaming, limit: Int, to row: inout Parameters
  ) {
    row.add(renaming.appEnvironment)
    row.add(name)
    row.add(max(0, limit))
  }

  private func rename(_ row: RenamedOrder, _ renaming: UserRenaming) throws {
    let order = row.key
    try write(RenamingSQL.order) {
      $0.add(renaming.alias)
      $0.add(renaming.erasedReason(row.scene))
      $0.add(row.frozenBecause.map { renaming.renamed(words: $0) })
      $0.add(order)
    }
    // What this run knows of it has changed.
    if let known = try knownOrder(order) { note(known.erased(renaming)) }
    try write(RenamingSQL.prepayBody) {
      $0.add(WeChatPayOrder.erasedBody)
      $0.add(order)
    }
    if let known = try knownWeChatPayOrder(order) { note(known.erased) }
    try redactEntries(RenamingSQL.entriesOfOrder, renaming) {
      $0.add(order.id)
      $0.add(order.appEnvironment)
    }
  }

  /// The rows of one payment.
  private func rename(_ key: PaymentKey, _ renaming: UserRenaming) throws {
    guard let number = try identifier(of: key) else { return }
    for name in renaming.names {
      for sql in RenamingSQL.usersOfPayment {
        try write(sql) {
          $0.add(renaming.alias)
          $0.add(number)
          $0.add(name)
        }
      }
    }
    let postings = try all(RenamingSQL.postingsOfPayment, { $0.add(number) }, RenamedPosting.init)
    for posting in postings { try rename(posting, renaming) }
    try redactEntries(RenamingSQL.entriesOfPayment, renaming) { $0.add(number) }
    try redact(RenamingSQL.deliveries, RenamingSQL.setBody, of: number, renaming.redacted)
    try redact(RenamingSQL.keptClaims, RenamingSQL.setClaim, of: number, renaming.redacted)
    try redactKeyed(RenamingSQL.stopped, RenamingSQL.setPresentations, of: number) { text in
      TextList.encode(TextList.decode(text).map(renaming.redacted))
    }
    try redactKeyed(RenamingSQL.stoppedFound, RenamingSQL.setFound, of: number) { renaming.renamed(words: $0) }
    try redactKeyed(RenamingSQL.tasks, RenamingSQL.setTaskClaim, of: number, renaming.redacted)
    // What a store signed stays to the byte; what an operator wrote is for people.
    try redact(RenamingSQL.operatorEvidence, RenamingSQL.setEvidence, of: number) { renaming.renamed(words: $0) }
    try redact(RenamingSQL.setAside, RenamingSQL.setSetAside, of: number) { text in
      var texts = TextList.decode(text)
      // The second text is the operator's reason.
      if texts.count > 1 { texts[1] = renaming.renamed(words: texts[1]) }
      return TextList.encode(texts) ?? text
    }
    try redactRefunds(of: number, renaming)
    try write(RenamingSQL.forgetAnswers) { $0.add(number) }
    for name in renaming.names {
      for sql in RenamingSQL.forgetProblems {
        try write(sql) {
          $0.add(number)
          $0.add(name)
        }
      }
    }
  }

  /// The reasons and bodies of refunds that nobody sends again.
  private func redactRefunds(of payment: Int64, _ renaming: UserRenaming) throws {
    let refunds = try all(RenamingSQL.refunds, { $0.add(payment) }, RenamedRefund.init)
    for refund in refunds {
      let reason = refund.reason.map { renaming.renamed(words: $0) }
      let body = refund.body.map { renaming.erasedReason($0) ?? Refund.erasedBody }
      guard reason != refund.reason || body != refund.body else { continue }
      try write(RenamingSQL.setRefund) {
        $0.add(reason)
        $0.add(body)
        $0.add(refund.appEnvironment)
        $0.add(refund.number)
      }
    }
  }

  /// A posting with its booking, if it has one. The balances follow.
  private func rename(_ posting: RenamedPosting, _ renaming: UserRenaming) throws {
    let (debit, credit) = (renaming.renamed(posting.debit), renaming.renamed(posting.credit))
    guard debit != posting.debit || credit != posting.credit else { return }
    try write(RenamingSQL.posting) {
      $0.add(debit)
      $0.add(credit)
      $0.add(posting.number)
    }
    func move(_ amount: Int64, from user: UserIdentifier?, to other: UserIdentifier?) throws {
      guard let user, let other, user != other else { return }
      for (user, amount) in [(user, 0 &- amount), (other, amount)] {
        try write(PostingSQL.moveBalance) {
          $0.add(renaming.appEnvironment)
          $0.add(user)
          $0.add(posting.unit)
          $0.add(amount)
        }
      }
    }
    try move(0 &- posting.amount, from: posting.debit, to: debit)
    try move(posting.amount, from: posting.credit, to: credit)
    guard let booking = posting.booking else { return }
    let reason = try first(RenamingSQL.reason, { $0.add(booking) }, { $0.optionalText() }) ?? nil
    try write(RenamingSQL.booking) {
      $0.add(renaming.alias)
      $0.add(Booking.erasedDigest)
      $0.add(renaming.erasedReason(reason))
      $0.add(booking)
    }
  }

  private func redactEntries(
    _ sql: SQL, _ renaming: UserRenaming, _ bind: (inout Parameters) -> Void
  ) throws {
    let entries = try all(sql, bind) { ($0.integer(), $0.text(), $0.optionalText()) }
    for (number, details, event) in entries {
      let after = (renaming.redacted(details), event.map(renaming.redacted))
      guard after.0 != details || after.1 != event else { continue }
      try write(RenamingSQL.setEntry) {
        $0.add(after.0)
        $0.add(after.1)
        $0.add(number)
      }
    }
  }

  /// Replaces a text of each row of a payment, by the row's number.
  private func redact(_ read: SQL, _ set: SQL, of payment: Int64, _ redacted: (String) -> String) throws {
    for (number, text) in try all(read, { $0.add(payment) }, { ($0.integer(), $0.text()) }) {
      let after = redacted(text)
      guard after != text else { continue }
      try write(set) {
        $0.add(after)
        $0.add(number)
      }
    }
  }

  /// The same for rows that have a payment and a text as their key.
  private func redactKeyed(_ read: SQL, _ set: SQL, of payment: Int64, _ redacted: (String) -> String?) throws {
    for (key, found) in try all(read, { $0.add(payment) }, { ($0.text(), $0.optionalText()) }) {
      guard let text = found, let after = redacted(text), after != text else { continue }
      try write(set) {
        $0.add(after)
        $0.add(payment)
        $0.add(key)
      }
    }
  }

  func forgetRest(_ renaming: UserRenaming) throws {
    for name in renaming.names {
      try write(RenamingSQL.shares) {
        $0.add(renaming.alias)
        $0.add(renaming.appEnvironment)
        $0.add(name)
      }
      try write(RenamingSQL.importedOwners) {
        $0.add(renaming.alias)
        $0.add(renaming.appEnvironment)
        $0.add(name)
      }
      let given = try all(
        RenamingSQL.promotional,
        {
          $0.add(renaming.appEnvironment)
          $0.add(name)
        }, { $0.text() })
      for key in given {
        try write(RenamingSQL.promotionalUser) {
          $0.add(renaming.alias)
          for _ in 0..<3 { $0.add(Booking.erasedDigest) }
          $0.add(renaming.appEnvironment)
          $0.add(key)
        }
      }
      for sql in RenamingSQL.forgotten {
        try write(sql) {
          $0.add(renaming.appEnvironment)
          $0.add(name)
        }
      }
      let complaints = try all(
        RenamingSQL.complaints,
        {
          $0.add(renaming.appEnvironment)
          $0.add(name)
        }, { ($0.text(), $0.text()) })
      for (id, facts) in complaints {
        try write(RenamingSQL.complaint) {
          $0.add(renaming.alias)
          $0.add(renaming.redacted(facts))
          $0.add(renaming.appEnvironment)
          $0.add(id)
        }
      }
    }
    try redactApprovals(renaming)
  }

  private func redactApprovals(_ renaming: UserRenaming) throws {
    let asked = try all(RenamingSQL.approvals, { $0.add(renaming.appEnvironment.app) }, { $0.text() })
    for id in asked {
      guard let before = try approval(id) else { continue }
      let after = before.erased(renaming)
      guard after != before else { continue }
      try write(RenamingSQL.approval) {
        $0.add(after.object)
        $0.add(after.arguments)
        $0.add(after.reason)
        $0.add(after.digest)
        $0.add(id)
      }
    }
  }
}
