import CounterfoilAPI
import PaymentPrimitives

/// Makes the order of a purchase, and writes down that its payment begins.
struct OrderPlacement {
  /// Rounds of asking for an order: one for an earlier tap's record, one for a new one, one in reserve.
  private static let roundsMax = 3

  let app: AppIdentifier
  let dependencies: Dependencies
  let server: ServerConnection
  let session: UserSession
  let records: VaultRecords
  let orders: OpenOrders
  let claims: RecordClaims
  let flows: PurchaseFlows
  let room: VaultRoom
  let store: StoreAccess

  /// Makes the order, or finds the one that an earlier tap made and never showed.
  ///
  /// The idempotency key is in the vault before the request leaves. If the process or the network loses the answer, a
  /// retry under the same key finds the same order.
  nonisolated(nonsending) func makeOrder(
    _ number: Int, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> (OrderRecord, OrderBody) {
    for _ in 0..<Self.roundsMax {
      let record = try await claimRecord(number, flow)
      let body = try await requestOrder(record, flow)
      guard var order = PlacedOrder(body), body.product == flow.request.product,
        body.store == flow.request.store, body.quantity == flow.request.quantity
      else { throw PurchasingError(.orderDiffers, "Order \(body.id).") }
      guard body.user == flow.user else {
        throw PurchasingError(.userDiffers, "The token that the app gave is another user's.")
      }
      order.shownPrice = shownPrice(of: order, body)
      let placed: OrderRecord?
      do throws(VaultFailure) {
        placed = try await orders.apply(.ordered(order), to: record.id)
      } catch {
        throw PurchasingError(.vaultUnavailable, error.explanation)
      }
      orders.remember(order.storeProduct, for: flow.request.product)
      guard let placed else { continue }
      guard body.state == .closed else { return (placed, body) }
      // An earlier tap left it and it is closed since. It was never shown, so it cannot be paid.
      await orders.applyIfPossible(.closedAtServer(queueHoldsNothing: true), to: placed.id)
      flows.release(number)
    }
    throw PurchasingError(.orderDiffers, "The server answers with orders that are closed.")
  }

  /// The price that the customer saw, for all pieces: the store's, or the order's own at WeChat Pay.
  private func shownPrice(of order: PlacedOrder, _ body: OrderBody) -> StatedPrice? {
    if let price = body.price, body.store == .weChatPay { return StatedPrice(price) }
    guard let product = order.storeProduct, let piece = store.price(of: product) else { return nil }
    return piece.times(body.quantity)
  }

  /// The record to work on: the one that an earlier tap for the same purchase left without a sheet, or a new one.
  nonisolated(nonsending) private func claimRecord(
    _ number: Int, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> OrderRecord {
    let left = await records.orders.last {
      $0.user == flow.user && $0.request == flow.request && ($0.phase == nil || $0.phase == .created)
        && !claims.isClaimed($0.id)
    }
    if let left, claims.claim(left.id) {
      flows[number]?.record = left.id
      // Between the lookup and the claim a recovery may have closed it.
      if let current = await records.order(left.id), current.phase == nil || current.phase == .created {
        return current
      }
      flows.release(number)
    }
    guard await room.make() else { throw PurchasingError(.vaultFull) }
    let record = OrderRecord(
      id: RecordIdentifier(dependencies.makeOrderIdentifier().appAccountToken),
      app: app, user: flow.user, request: flow.request, writtenAt: dependencies.now())
    _ = claims.claim(record.id)
    flows[number]?.record = record.id
    do throws(VaultFailure) {
      try await records.add(record)
    } catch {
      throw PurchasingError(.vaultUnavailable, error.explanation)
    }
    return record
  }

  nonisolated(nonsending) private func requestOrder(
    _ record: OrderRecord, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> OrderBody {
    let server = self.server
    do throws(PurchasingError) {
      return try await session.asWaitingUser(flow.user) {
        await server.createOrder(record.request, key: record.id, as: $0)
      }
    } catch {
      // A refused token says nothing about the order: an earlier attempt under this key may have made it.
      if error.code == .serverRefused { await orders.applyIfPossible(.refusedByServer, to: record.id) }
      throw error
    }
  }

  /// Writes down that the payment sheet is about to open. Nothing opens without that.
  nonisolated(nonsending) func beginPaying(
    _ number: Int, _ flow: PurchaseFlow, record: OrderRecord, order: PlacedOrder
  ) async throws(PurchasingError) {
    try checkMayPay(number, flow)
    flows[number]?.stage = .paying(record.id, order)
    let written: OrderRecord?
    do throws(VaultFailure) {
      written = try await orders.apply(.paymentStarts, to: record.id)
    } catch {
      flows[number]?.stage = .preparing
      throw PurchasingError(.vaultUnavailable, error.explanation)
    }
    guard written != nil else {
      flows[number]?.stage = .preparing
      throw PurchasingError(.vaultUnavailable, "Another process of the app removed the order.")
    }
  }

  /// The last check before the sheet: after it, the purchase cannot be cancelled.
  private func checkMayPay(_ number: Int, _ flow: PurchaseFlow) throws(PurchasingError) {
    guard flows[number]?.stage == .preparing, !Task.isCancelled else {
      throw PurchasingError(.purchaseAbandoned)
    }
    guard session.user == flow.user else {
      throw PurchasingError(.userDiffers, "Another user signed in while the order was made.")
    }
  }
}

extension PlacedOrder {
  /// The client's part of an order that the server answered; nil if it is not one that the App Store can sell.
  init?(_ body: OrderBody) {
    switch body.store {
    case .appStore:
      guard let parameters = body.appStore, OrderIdentifier(parameters.appAccountToken) == body.id else {
        return nil
      }
      self.init(
        id: body.id, storeProduct: parameters.product, createdAt: body.createdAt, expiresAt: body.expiresAt)
    case .weChatPay:
      self.init(id: body.id, storeProduct: nil, createdAt: body.createdAt, expiresAt: body.expiresAt)
    }
  }
}
