#if canImport(Flutter)
  import CounterfoilApp
  import Flutter
  import Foundation

  /// A value of Flutter's codec. It crosses actors, which `Any` cannot.
  enum ChannelValue: Sendable {
    case nothing
    case flag(Bool)
    case number(Int64)
    case text(String)
    case list([ChannelValue])
    case map([String: ChannelValue])

    /// As Flutter takes it.
    var any: Any? {
      switch self {
      case .nothing: nil
      case .flag(let flag): flag
      case .number(let number): Int(number)
      case .text(let text): text
      case .list(let list): list.map { $0.any ?? NSNull() }
      case .map(let map): map.mapValues { $0.any ?? NSNull() }
      }
    }

    /// A map without the members that are absent.
    static func members(_ members: [String: ChannelValue?]) -> ChannelValue { .map(members.compactMapValues { $0 }) }
  }

  /// What crosses the channel. `test/golden.json` has each message in bytes.
  struct ChannelMessages: Sendable {
    let purchasing: Purchasing
    let language: Language

    func outcome(_ outcome: PurchaseOutcome) -> ChannelValue {
      var members: [String: ChannelValue?] = [
        "order": .text(outcome.order.appAccountToken), "message": .text(purchasing.message(for: outcome)),
      ]
      switch outcome {
      case .fulfilled(_, let recovered):
        members["outcome"] = .text("fulfilled")
        members["recovered"] = .flag(recovered)
      case .cancelled: members["outcome"] = .text("cancelled")
      case .pendingApproval: members["outcome"] = .text("pendingApproval")
      case .renewalChanged: members["outcome"] = .text("renewalChanged")
      case .awaitingConfirmation: members["outcome"] = .text("awaitingConfirmation")
      case .notGranted(_, let verdict, let reason):
        members["outcome"] = .text("notGranted")
        members["verdict"] = .text("\(verdict)")
        members["reason"] = reason.map { .text($0) }
      }
      return .members(members)
    }

    func event(_ event: PurchaseEvent) -> Any? {
      var members: [String: ChannelValue?]
      switch event {
      case .orderOpen(let order): members = Self.order(order).merging(Self.named("orderOpen")) { $1 ?? $0 }
      case .orderClosed(let order): members = Self.named("orderClosed", order)
      case .orderGranted(let order): members = Self.named("orderGranted", order)
      case .openedWeChat(let order): members = Self.named("openedWeChat", order)
      case .delivered(let order): members = Self.named("delivered", order)
      case .notConfirmed(let order): members = Self.named("notConfirmed", order)
      case .slowCallback(let order): members = Self.named("slowCallback", order)
      case .promotedPayment(let payment):
        members = Self.named("promotedPayment")
        members["storeProductId"] = .text(payment.product.text)
      case .fulfilled(let transaction, let order, _): members = Self.named("fulfilled", order, transaction)
      case .notGranted(let transaction, let verdict, let reason):
        members = Self.named("notGranted", nil, transaction)
        members["verdict"] = .text("\(verdict)")
        members["reason"] = reason.map { .text($0) }
      case .orphan(let transaction): members = Self.named("orphan", nil, transaction)
      case .finishDidNotStick(let transaction, _): members = Self.named("finishDidNotStick", nil, transaction)
      case .earlierRecordJudged(let reference, let verdict, _):
        members = Self.named("earlierRecordJudged")
        members["reference"] = .text(reference)
        members["verdict"] = .text("\(verdict)")
      }
      members["message"] = .text(purchasing.message(for: event))
      return ChannelValue.members(members).any
    }

    private static func named(
      _ name: String, _ order: OrderIdentifier? = nil, _ transaction: TransactionIdentifier? = nil
    ) -> [String: ChannelValue?] {
      [
        "event": .text(name), "order": order.map { .text($0.appAccountToken) },
        "transactionId": transaction.map { .text($0.text) },
      ]
    }

    static func order(_ order: OpenOrder) -> [String: ChannelValue?] {
      [
        "order": .text(order.order.id.appAccountToken), "store": .text(order.store.rawValue),
        "productId": .text(order.product.text), "quantity": .number(Int64(order.quantity)),
        "phase": .text(word(for: order.phase)),
      ]
    }

    private static func word(for phase: OrderRecord.Phase) -> String {
      switch phase {
      case .created: "created"
      case .paying: "paying"
      case .failedOnce: "failedOnce"
      case .deferred: "deferred"
      case .paid: "paid"
      case .setAside: "setAside"
      case .owned: "owned"
      }
    }

    func report(_ report: RecoveryReport, open: Int) -> ChannelValue {
      .map([
        "isComplete": .flag(report.isComplete), "ordersClosed": .number(Int64(report.ordersClosed)),
        "ordersOpen": .number(Int64(open)),
      ])
    }

    func restored(_ report: RecoveryReport) -> ChannelValue {
      .members([
        "isComplete": .flag(report.isComplete), "isCancelled": .flag(report.isCancelled),
        "fulfilled": .number(Int64(report.fulfilled - report.ofOtherAccounts)),
        "message": purchasing.message(forRestore: report).map { .text($0) },
      ])
    }

    func products(_ catalog: Catalog) -> ChannelValue {
      .map([
        "products": .list(catalog.items.map { product($0) }), "isPriced": .flag(catalog.isPriced),
        "unknown": .list(catalog.unknown.map { .text($0.text) }),
      ])
    }

    private func product(_ item: CatalogItem) -> ChannelValue {
      var members: [String: ChannelValue?] = [
        "productId": .text(item.id.text), "kind": .text(item.kind.rawValue), "store": .text(item.store.rawValue),
        "name": .text(item.name), "price": .text(item.displayPrice), "priceWords": .text(item.priceWords(language)),
        "isPhysical": .flag(item.isPhysical),
      ]
      switch item.grant {
      case .units(let unit, let amount):
        members["unit"] = .text(unit.text)
        members["amount"] = .number(amount)
      case .entitlement(let name, let seconds):
        members["entitlement"] = .text(name.text)
        members["seconds"] = seconds.map { .number($0) }
      }
      return .members(members)
    }

    func balance(_ balance: Balance) -> ChannelValue {
      .members([
        "unit": .text(balance.unit.text), "amount": .number(balance.amount),
        "environment": .text(balance.environment.rawValue),
        "frozenSince": balance.frozenSince.map { .text($0.iso8601) },
      ])
    }

    func entitlement(_ right: Entitlement) -> ChannelValue {
      .members([
        "entitlement": .text(right.entitlement.text), "state": .text(right.state.rawValue),
        "givesAccess": .flag(right.state.givesAccess), "store": right.store.map { .text($0.rawValue) },
        "source": right.source == .payment ? nil : .text(right.source.rawValue),
        "environment": .text(right.environment.rawValue), "expiresAt": right.expiresAt.map { .text($0.iso8601) },
        "willRenew": right.willRenew.map { .flag($0) }, "renewsTo": right.renewsTo.map { .text($0.text) },
        "gracePeriodExpiresAt": right.gracePeriodExpiresAt.map { .text($0.iso8601) },
        "reason": right.reason.map { .text($0.rawValue) }, "message": .text(purchasing.message(for: right)),
      ])
    }

    /// - Parameter text: the text for the customer.
    static func error(_ error: PurchasingError, _ text: String) -> FlutterError {
      FlutterError(
        code: error.code.rawValue, message: text,
        details: ChannelValue.members([
          "explanation": .text(error.details), "serverCode": error.serverCode.map { .text($0) },
          "weChatCode": error.weChatCode.map { .number(Int64($0)) },
          "storeCode": error.storeFailure.map { .number(Int64($0.code)) },
        ]).any)
    }
  }
#endif
