import CounterfoilAPI
import HTTPMessages
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// Users' wallets: debits by a backend, postings, and write-offs by an operator.
enum WalletRoutes {
  static let all: [Route] = [
    debit, credit, entries("/v1/users/{userId}/balances/{unit}/entries", .backend),
    entries("/v1/operator/users/{userId}/balances/{unit}/entries", .operator),
    refundRatio("/v1/users/{userId}/refund-ratio", [.backend]),
    refundRatio("/v1/operator/users/{userId}/refund-ratio", [.operator]), writeOff,
  ]

  static let key = RouteDocumentation.Parameter(
    name: "Idempotency-Key",
    meaning: "1 to 255 bytes: the caller's own id of it. Again with the same request it answers the same booking.")

  private static let debit = Route(
    "POST", "/v1/users/{userId}/balances/{unit}/debits", name: "DebitBalance", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Takes units that a user has spent, at most the balance, and once for each id of the backend.",
      about: .user, query: [.environment], fields: [key], request: "DebitBalance", answer: "Booking",
      statuses: [201, 200], codes: [.insufficientBalance, .balanceFrozen, .idempotencyKeyReused])
  ) { call in
    let body = try call.body(DebitBalance.Request.init(json:))
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let unit = try unit(call)
    var request = DebitRequest(
      user: user, unit: unit, amount: body.amount, key: try key(call, orInBody: body.id),
      digest: digest(of: body, user, unit))
    request.reason = body.reason
    request.metadata = body.metadata?.text
    let appEnvironment = try call.appEnvironment(named: body.environment)
    let booked = try await call.server.engine.debitBalance(request, in: appEnvironment)
    return call.answer(BookingBody(booked).json, status: booked.isNew ? 201 : 200)
  }

  private static let credit = Route(
    "POST", "/v1/users/{userId}/balances/{unit}/credits", name: "CreditBalance", access: [.backend],
    documentation: RouteDocumentation(
      summary: "Gives a user units without a payment, once for each id of the backend. The key needs the permission.",
      about: .user, query: [.environment], fields: [key], request: "CreditBalance", answer: "Booking",
      statuses: [201, 200], codes: [.creditUnitUnknown, .creditCeilingReached, .idempotencyKeyReused])
  ) { call in
    guard call.mayCredit else {
      throw CodedError<ServerErrorCode>(.notAllowed, "The key was made without the permission to credit.")
    }
    let body = try call.body(DebitBalance.Request.init(json:))
    guard let reason = body.reason, !reason.isEmpty else {
      throw CodedError<ServerErrorCode>(.fieldInvalid, "reason must be a text of 1 to 1024 bytes.")
    }
    let user = try call.user(named: UserIdentifier(call.parameter("userId")))
    let unit = try unit(call)
    var request = CreditRequest(
      user: user, unit: unit, amount: body.amount, key: try key(call, orInBody: body.id),
      digest: "credit " + digest(of: body, user, unit), reason: reason)
    request.metadata = body.metadata?.text
    let appEnvironment = try call.appEnvironment(named: body.environment)
    let booked = try await call.server.engine.creditBalance(request, in: appEnvironment)
    return call.answer(BookingBody(booked).json, status: booked.isNew ? 201 : 200)
  }

  private static func entries(_ path: String, _ access: Route.Access) -> Route {
    let isOperators = access == .operator
    return Route(
      "GET", path, name: "ReadEntries", access: [access],
      documentation: RouteDocumentation(
        summary: "Every posting on a balance with its cause, newest first.", about: isOperators ? .nobody : .user,
        query: [
          .limit(ContractLimits.pageMax), .init(name: "before", meaning: "The `next` of the page before."),
          isOperators ? .operatorEnvironment("The app's own unless said otherwise.") : .environment,
        ], answer: "Entries")
    ) { call in
      let named = UserIdentifier(call.parameter("userId"))
      let user = isOperators ? named : try call.user(named: named)
      let unit = try unit(call)
      let limit = Int(try call.queryNumber("limit", in: 1...Int64(ContractLimits.pageMax), otherwise: 20))
      let before = try call.queryNumber("before", in: 1...Int64.max, otherwise: .max)
      let appEnvironment = isOperators ? try call.operatorEnvironmentOrHome() : try call.appEnvironment()
      let page = try await call.server.engine.readEntries(
        of: user, unit: unit, in: appEnvironment, before: before, limit: limit)
      return call.answer(
        .members([
          ("unit", .string(unit.text)), ("balance", .integer(page.balance?.amount ?? 0)),
          ("environment", .string(appEnvironment.environment.rawValue)),
          ("frozenSince", page.balance?.frozenSince.map { .string($0.iso8601) }),
          ("entries", .array(page.entries.map { EntryBody($0, of: user, call.personal).json })),
          ("next", page.next.map { .string(String($0)) }),
        ]))
    }
  }

  private static func refundRatio(_ path: String, _ access: Set<Route.Access>) -> Route {
    Route(
      "GET", path, name: "ReadRefundRatio", access: access,
      documentation: RouteDocumentation(
        summary: "How many purchases of a user were granted, and how many of those were refunded.",
        about: access == [.backend] ? .user : .nobody, query: access == [.backend] ? [.environment] : [],
        answer: "RefundRatio")
    ) { call in
      let named = UserIdentifier(call.parameter("userId"))
      let user = call.operatorName == nil ? try call.user(named: named) : named
      // An operator names no environment: the production data is in the app's home environment.
      let appEnvironment =
        call.operatorName == nil ? try call.appEnvironment() : try call.authenticatedApp().homeEnvironment
      let ratio = try await call.server.engine.readRefundRatio(of: user, in: appEnvironment)
      return call.answer(json(ratio, in: appEnvironment))
    }
  }

  static func json(_ ratio: RefundRatio, in appEnvironment: AppEnvironment) -> JSONValue {
    .members([
      ("granted", .integer(ratio.granted)), ("refunded", .integer(ratio.refunded)),
      ("refundedWholly", .integer(ratio.refundedWholly)), ("refundedPermille", .integer(ratio.permille)),
      ("environment", .string(appEnvironment.environment.rawValue)),
    ])
  }

  private static let writeOff = Route(
    "POST", "/v1/operator/users/{userId}/balances/{unit}/write-off", name: "WriteOffDebt", access: [.operator],
    documentation: RouteDocumentation(
      summary: "Gives up what a user owes: a balance below zero is brought to zero, and is no longer frozen.",
      fields: [key], request: "WriteOffDebt", answer: "Booking", statuses: [201, 200],
      codes: [.balanceNotInDebt, .idempotencyKeyReused])
  ) { call in
    let app = try call.authenticatedApp()
    let (reason, environment) = try call.body { (json) throws(JSONFieldError) in
      let fields = try JSONFields(json)
      return (
        try fields.string("reason", bytesMax: 1024),
        try fields.optionallyConverted("environment", "an environment", StoreEnvironment.init(rawValue:)) ?? app.home
      )
    }
    let booked = try await call.server.engine.writeOffDebt(
      of: UserIdentifier(call.parameter("userId")), unit: try unit(call), in: try call.appEnvironment(of: environment),
      key: try key(call, orInBody: nil), reason: reason, by: call.operatorName ?? "")
    return call.answer(BookingBody(booked).json, status: booked.isNew ? 201 : 200)
  }

  private static func unit(_ call: Call) throws(CodedError<ServerErrorCode>) -> UnitName {
    let text = call.parameter("unit")
    guard (1...64).contains(text.utf8.count) else {
      throw CodedError(.fieldInvalid, "The unit must be a text of 1 to 64 bytes.")
    }
    return UnitName(text)
  }

  /// The caller's own id, from the header or the body; if both have it, it must be the same.
  static func key(_ call: Call, orInBody id: String?) throws(CodedError<ServerErrorCode>) -> String {
    let keys = call.request.fields.values("Idempotency-Key")
    guard keys.count <= 1, keys.allSatisfy({ (1...255).contains($0.utf8.count) }) else {
      throw CodedError(.fieldInvalid, "Idempotency-Key must be one text of 1 to 255 bytes.")
    }
    if let id, let key = keys.first, !id.utf8.elementsEqual(key.utf8) {
      throw CodedError(.fieldInvalid, "id and Idempotency-Key are not the same.")
    }
    guard let key = keys.first ?? id else {
      throw CodedError(.fieldInvalid, "Idempotency-Key must name it, for ever.")
    }
    return key
  }

  /// A digest of the request's meaning: the user, the unit, and all of the body except the id itself and the
  /// environment, in which the id is unique.
  private static func digest(of body: DebitBalance.Request, _ user: UserIdentifier, _ unit: UnitName) -> String {
    var understood = body
    understood.id = nil
    understood.environment = nil
    return APIKeyText.digest(
      of: JSONValue.array([.string(user.text), .string(unit.text), understood.json.withSortedMembers]).text)
  }
}

extension BookingBody {
  /// The engine's booking in the form of the contract.
  init(_ booked: BookedBalance) {
    let booking = booked.booking
    self.init(
      id: booking.key, kind: booking.kind.rawValue, user: booking.user, unit: booking.unit, amount: booking.amount,
      balance: booked.balance, environment: booking.appEnvironment.environment, createdAt: booking.at)
    reason = booking.reason
    metadata = booking.metadata.flatMap { try? JSONReader.read($0.utf8) }
  }
}

extension EntryBody {
  /// Stands for an id and for words that the caller's role does not show.
  static let masked = "***"

  /// A posting as its user sees it.
  init(_ entry: LedgerEntry, of user: UserIdentifier, _ personal: PersonalView) {
    let posting = entry.posting
    let amount = posting.balanceChanges.reduce(0) { $1.user == user ? $0 + $1.amount : $0 }
    let counterpart = posting.debit == .user(user) ? posting.credit : posting.debit
    let cause = posting.cause
    let kind = cause.utf8.prefix { $0 != 0x3A }
    self.init(
      id: entry.number, amount: amount, counterpart: counterpart.text, kind: String(Substring(kind)), at: posting.at)
    switch posting.source {
    case .payment(let payment, _):
      store = payment.store
      transaction = payment.transaction
      if kind.endIndex < cause.endIndex { self.cause = String(cause[cause.index(after: kind.endIndex)...]) }
    case .booking:
      let words = personal.words(of: entry)
      booking = words?.key ?? Self.masked
      reason = entry.booking?.reason.map { words == nil ? Self.masked : $0 }
      metadata = words?.metadata.flatMap { try? JSONReader.read($0.utf8) }
    }
  }
}
