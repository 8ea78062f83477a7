package import PaymentModel
package import PaymentPrimitives

// Rows that never change otherwise, as they are after the erasure of their user.

extension JournalEntry {
  package func redacted(_ redacted: (String) -> String) -> JournalEntry {
    var entry = JournalEntry(
      appEnvironment: appEnvironment, at: at, stored: what, order: order, payment: payment, details: redacted(details))
    entry.event = event.map(redacted)
    return entry
  }
}

extension Booking {
  /// What a booking's request digest is after an erasure: some digests contain the user.
  package static let erasedDigest = "erased"

  package func erased(_ renaming: UserRenaming) -> Booking {
    var booking = Booking(
      appEnvironment: appEnvironment, key: key, user: renaming.renamed(user), unit: unit, kind: kind, amount: amount,
      requestDigest: Self.erasedDigest, at: at)
    booking.reason = renaming.erasedReason(reason)
    return booking
  }
}

extension UserRenaming {
  /// A text that nothing is decided by, such as the reason of a booking; nil if it names the user.
  package func erasedReason(_ reason: String?) -> String? {
    reason.flatMap { text in names.contains { text.contains($0.text) } ? nil : text }
  }
}

extension Delivery {
  package func erased(_ renaming: UserRenaming) -> Delivery {
    let body = renaming.redacted(body)
    var delivery = Delivery(
      id: id, payment: payment, order: order, kind: kind, sequence: sequence, body: body, createdAt: createdAt)
    delivery.state = state
    delivery.attempts = attempts
    delivery.nextAttemptAt = nextAttemptAt
    delivery.lease = lease
    delivery.lastProblem = renaming.erasedReason(lastProblem)
    return delivery
  }
}

extension Delivery {
  /// The same delivery once the time of its body is over.
  package var withoutBody: Delivery {
    var delivery = Delivery(
      id: id, payment: payment, order: order, kind: kind, sequence: sequence, body: "", createdAt: createdAt)
    delivery.state = state
    delivery.attempts = attempts
    delivery.nextAttemptAt = nextAttemptAt
    delivery.lease = lease
    delivery.lastProblem = lastProblem
    return delivery
  }
}

extension Evidence {
  /// What a store signed stays to the byte; what an operator wrote is for people.
  package func erased(_ renaming: UserRenaming) -> Evidence {
    guard origin == .operator else { return self }
    return Evidence(payment: payment, text: renaming.renamed(words: text), origin: origin, receivedAt: receivedAt)
  }
}

extension WeChatPayOrder {
  /// What the body for WeChat Pay is after an erasure. It held the buyer's id or address, and is not sent any more.
  package static let erasedBody = "{}"

  package var erased: WeChatPayOrder {
    var erased = WeChatPayOrder(
      order: order, merchant: merchant, storeApp: storeApp, tradeType: tradeType, amount: amount,
      prepayBody: Self.erasedBody, nextQuestionAt: nextQuestionAt ?? Timestamp(milliseconds: 0))
    erased.state = state
    erased.handle = handle
    erased.transaction = transaction
    erased.nextQuestionAt = nextQuestionAt
    erased.questions = questions
    return erased
  }
}

extension SetAside {
  package func erased(_ renaming: UserRenaming) -> SetAside {
    SetAside(by: by, reason: renaming.renamed(words: reason), at: at, former: former)
  }
}

extension Refund {
  /// What a refund's body is after an erasure if it named the user.
  package static let erasedBody = "{}"

  /// The refund without the user's name. Nobody sends its body again: it is done, or it failed.
  package func erased(_ renaming: UserRenaming) -> Refund {
    guard state.isFinal else { return self }
    let text = body.flatMap { renaming.erasedReason($0) }
    var refund = Refund(
      appEnvironment: appEnvironment, number: number, order: order, payment: payment, amount: amount, total: total,
      reason: reason.map { renaming.renamed(words: $0) }, body: body == nil ? nil : text ?? Self.erasedBody,
      createdAt: createdAt)
    refund.state = state
    refund.storeNumber = storeNumber
    refund.signedDate = signedDate
    refund.nextQuestionAt = nextQuestionAt
    refund.questions = questions
    return refund
  }
}

extension Approval {
  /// The approval with the alias in the place of the user. Nobody decides about it any more, and its digest goes: it
  /// would tell whether a guessed name is the user's.
  package func erased(_ renaming: UserRenaming) -> Approval {
    let path = object.split(separator: "/", omittingEmptySubsequences: false).map { part in
      renaming.renamed(UserIdentifier(String(part))).text
    }
    let (object, arguments) = (path.joined(separator: "/"), renaming.redacted(arguments))
    let reason = renaming.renamed(words: reason)
    guard (object, arguments, reason) != (self.object, self.arguments, self.reason) else { return self }
    var approval = Approval(
      id: id, app: app, environment: environment, action: action, objectKind: objectKind, object: object,
      arguments: arguments, digest: Self.erasedDigest, reason: reason, askedBy: askedBy, askedAt: askedAt)
    approval.decidedBy = decidedBy
    approval.decidedAt = decidedAt
    approval.isApproved = isApproved
    approval.doneAt = doneAt
    approval.problem = problem
    return approval
  }
}

extension PromotionalEntitlement {
  /// The row with the alias in the place of the user, without the words of whoever gave it. Its id stays taken.
  package func erased(for alias: UserIdentifier) -> PromotionalEntitlement {
    var row = PromotionalEntitlement(
      appEnvironment: appEnvironment, key: key, user: alias, entitlement: entitlement, givenAt: givenAt, until: until,
      reason: Booking.erasedDigest, givenBy: givenBy, requestDigest: Booking.erasedDigest)
    row.end = end.map { End(at: $0.at, reason: Booking.erasedDigest, by: $0.by) }
    return row
  }
}
