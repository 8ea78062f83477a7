import CounterfoilAPI
import PaymentEngine
import PaymentModel
import PaymentPrimitives
import StrictJSON

extension Call {
  /// An order as the caller sees it. A phone that is still signed in as a user who was merged sees its own user: its
  /// client takes no order of another one.
  func orderBody(_ details: OrderDetails) -> OrderBody {
    var body = OrderBody(details, personal)
    if case .user(let user) = caller { body.user = user }
    return body
  }
}

extension OrderBody {
  /// The engine's order in the form of the contract.
  init(_ details: OrderDetails, _ personal: PersonalView) {
    let order = details.order
    self.init(
      id: order.key.id, user: order.user, product: order.product.id, quantity: order.quantity,
      store: order.store, environment: order.key.appEnvironment.environment, state: State(order.state),
      createdAt: order.createdAt, expiresAt: order.expiresAt, delivery: DeliveryState(details))
    let reference = order.reference ?? order.derivation?.reference
    self.reference = reference?.text
    self.referenceFrom = reference?.origin == .app ? "app" : nil
    self.metadata = personal.metadata(of: order).flatMap { try? JSONReader.read($0.utf8) }
    self.deliveredAt = details.deliveredAt
    self.refunds = details.refunds.map { Refund($0) }
    self.refundedAmount = details.refundedAmount
    self.refundState = RefundState(details.refundState)
    self.derivedFrom = order.derivation?.from
    switch order.state {
    case .awaitingPayment: break
    case .paid(_, let at): self.paidAt = at
    case .closed(let reason, _): self.closeReason = reason.rawValue
    }
    if let last = order.lastVerdict {
      self.lastVerdict = Verdict(verdict: last.verdict.rawValue, reason: last.reason, at: last.at)
    }
    switch order.store {
    case .appStore:
      self.appStore = order.product.appStoreProducts.first.map {
        AppStoreParameters(product: $0, appAccountToken: order.key.id.appAccountToken)
      }
      self.signedPrice = details.payment?.facts.price
    case .weChatPay:
      self.price = order.product.weChatPrice.map {
        Money(minorUnits: $0.minorUnits * Int64(order.quantity), currency: $0.currency)
      }
      if let handOff = details.handOff { hand(over: handOff) }
    }
  }
}

extension OrderBody {
  /// Sets the values that the engine signed for the payer's side; an app's nine names have their own type.
  private mutating func hand(over json: JSONValue) {
    if let fields = try? JSONFields(json), let parameters = try? WeChatPayParameters(fields) {
      weChatPay = parameters
    } else {
      weChatPayElsewhere = json
    }
  }
}

extension OrderBody.RefundState {
  init?(_ state: OrderDetails.RefundState) {
    switch state {
    case .none: return nil
    case .partial: self = .partial
    case .full: self = .full
    }
  }
}

extension OrderBody.Refund {
  init(_ refund: OrderRefund) {
    self.init(state: refund.state, createdAt: refund.createdAt)
    id = refund.number
    amount = refund.amount
    percentage = refund.percentage
    doneAt = refund.doneAt
  }
}

extension OrderBody.State {
  init(_ state: OrderState) {
    switch state {
    case .awaitingPayment: self = .awaitingPayment
    case .paid: self = .paid
    case .closed: self = .closed
    }
  }
}

extension OrderBody.DeliveryState {
  /// The least advanced delivery of the order gives the state.
  init(_ details: OrderDetails) {
    if details.deliveries.isEmpty {
      self = .none
    } else if details.deliveries.contains(where: { if case .parked = $0.state { true } else { false } }) {
      self = .parked
    } else if details.deliveries.contains(where: { $0.state == .pending }) {
      self = .pending
    } else {
      self = .acknowledged
    }
  }
}
