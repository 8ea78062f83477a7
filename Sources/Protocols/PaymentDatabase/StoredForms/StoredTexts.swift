import PaymentModel
import PaymentPrimitives

/// A row with texts that may come from outside. A database refuses it if one of them contains U+0000.
protocol StoredTexts {
  var texts: [String?] { get }
}

extension StoredTexts {
  var areStorable: Bool { texts.allSatisfy { $0.map { !$0.utf8.contains(0) } ?? true } }
}

extension String: StoredTexts {
  var texts: [String?] { [self] }
}

extension Order: StoredTexts {
  var texts: [String?] {
    [
      user.text, product.id.text, reference?.text, metadata, platform, scene, idempotency?.caller, idempotency?.key,
      lastVerdict?.reason, frozenBecause,
    ]
  }
}

extension WeChatPayOrder: StoredTexts {
  var texts: [String?] { [merchant, storeApp, tradeType, prepayBody, handle?.text, transaction?.text] }
}

extension Refund: StoredTexts {
  var texts: [String?] { [number, reason, body, storeNumber] }
}

extension VerifiedPayment {
  var texts: [String?] {
    [
      key.transaction.text, originalTransaction.text, webOrderLineItem, storeProduct.text, appTransaction, merchant,
      storeApp, storefront, offer?.type, offer?.id, offer?.discountType, offer?.period,
    ]
  }
}

extension Payment: StoredTexts {
  var texts: [String?] { facts.texts + [owner?.text, presenter?.text] }
}

extension DuplicateTransaction: StoredTexts {
  var texts: [String?] { [key.transaction.text, of.transaction.text] + (facts?.texts ?? []) }
}

extension Evidence: StoredTexts {
  var texts: [String?] { [payment.transaction.text, text] }
}

extension JournalEntry: StoredTexts {
  var texts: [String?] { [what, payment?.transaction.text, details, event] }
}

extension Delivery: StoredTexts {
  var texts: [String?] { [id.text, body, lastProblem] }
}

extension ReceivedNotification: StoredTexts {
  var texts: [String?] { [id, type, subtype, transaction?.text, signedPayload] }
}

extension NotificationForward: StoredTexts {
  var texts: [String?] { [notification, lastProblem] }
}

extension Booking: StoredTexts {
  var texts: [String?] { [key, user.text, unit.text, requestDigest, reason, metadata] }
}

extension UserMerge: StoredTexts {
  var texts: [String?] { [user.text, into.text] }
}

extension PromotionalEntitlement: StoredTexts {
  var texts: [String?] {
    [key, user.text, entitlement.text, reason, givenBy, requestDigest, end?.reason, end?.by]
  }
}

extension UserErasure: StoredTexts {
  var texts: [String?] { [alias.text, user?.text] }
}

extension SpendingLimit: StoredTexts {
  var texts: [String?] { [user.text] }
}

extension APIKey: StoredTexts {
  var texts: [String?] { [id.text, digest, label] }
}

extension OperatorAccount: StoredTexts {
  var texts: [String?] { [name.text] + roles.keys.map(\.text) }
}

extension Passkey: StoredTexts {
  var texts: [String?] { [credential, account.text, label] }
}

extension Complaint: StoredTexts {
  var texts: [String?] { [appEnvironment.app.text, id, state, user?.text, facts, history] }
}

extension Approval: StoredTexts {
  var texts: [String?] { [id, app.text, action, objectKind, object, arguments, reason, problem] }
}

extension AuditLogEntry: StoredTexts {
  var texts: [String?] {
    [app?.text, actor, address, action, objectKind, object, reason, requestId, problem, actionKey]
  }
}

extension KeptClaim: StoredTexts {
  var texts: [String?] { [payment.transaction.text, claim] }
}

extension StoppedChange: StoredTexts {
  var texts: [String?] { [statement, found, content, evidence] + presentations }
}
