import CounterfoilAPI
import PaymentPrimitives

extension Purchasing {
  /// Rounds of asking for an order: one for an earlier tap's record, one for a new one, one in reserve.
  private static let roundsMax = 3

  /// Makes the order, or finds the one that an earlier tap made and never showed.
  ///
  /// The idempotency key is in the vault before the request leaves. If the process or the network loses the answer, a
  /// retry under the same key finds the same order.
  func makeOrder(
    _ number: Int, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> (OrderRecord, OrderBody) {
    for _ in 0..<Self.roundsMax {
      let record = try await takeRecord(number, flow)
      let body = try await requestOrder(record, flow)
      guard let order = PlacedOrder(body), body.product == flow.request.product,
        body.store == flow.request.store, body.quantity == flow.request.quantity
      else { throw PurchasingError(.orderDiffers, "Order \(body.id).") }
      guard body.user == flow.user else {
        throw PurchasingError(.userDiffers, "The token that the app gave is another user's.")
      }
      let placed: OrderRecord?
      do throws(VaultFailure) {
        placed = try await take(.ordered(order), for: record.id)
      } catch {
        throw PurchasingError(.vaultUnavailable, error.explanation)
      }
      if let storeProduct = order.storeProduct { storeProducts[flow.request.product] = storeProduct }
      guard let placed else { continue }
      guard body.state == .closed else { return (placed, body) }
      // An earlier tap left it and it is closed since. It was never shown, so it cannot be paid.
      await takeIfPossible(.closedAtServer(queueHoldsNothing: true), for: placed.id)
      release(number)
    }
    throw PurchasingError(.orderDiffers, "The server answers with orders that are closed.")
  }

  /// The record to work on: the one that an earlier tap for the same purchase left without a sheet, or a new one.
  private func takeRecord(_ number: Int, _ flow: PurchaseFlow) async throws(PurchasingError) -> OrderRecord {
    let left = await book.orders.last {
      $0.user == flow.user && $0.request == flow.request && ($0.phase == nil || $0.phase == .created)
        && !claimed.contains($0.id)
    }
    if let left, claimed.insert(left.id).inserted {
      flows[number]?.record = left.id
      // Between the lookup and the claim a recovery may have closed it.
      if let current = await book.order(left.id), current.phase == nil || current.phase == .created {
        return current
      }
      release(number)
    }
    guard await makeRoom() else { throw PurchasingError(.vaultFull) }
    let record = OrderRecord(
      id: RecordIdentifier(dependencies.makeOrderIdentifier().appAccountToken),
      app: configuration.app, user: flow.user, request: flow.request,
      writtenAt: dependencies.now())
    claimed.insert(record.id)
    flows[number]?.record = record.id
    do throws(VaultFailure) {
      try await book.add(record)
    } catch {
      throw PurchasingError(.vaultUnavailable, error.explanation)
    }
    return record
  }

  /// Lets other tasks work on the record of a flow.
  func release(_ number: Int) {
    if let record = flows[number]?.record { claimed.remove(record) }
    flows[number]?.record = nil
  }

  private func requestOrder(
    _ record: OrderRecord, _ flow: PurchaseFlow
  ) async throws(PurchasingError) -> OrderBody {
    let server = self.server
    do throws(PurchasingError) {
      return try await askWhileCustomerLooks(flow.user) {
        await server.createOrder(record.request, key: record.id, as: $0)
      }
    } catch {
      // A refused token says nothing about the order: an earlier attempt under this key may have made it.
      if error.code == .serverRefused { await takeIfPossible(.refusedByServer, for: record.id) }
      throw error
    }
  }

  /// Repeats a repeatable request for as long as a customer is willing to wait.
  func askWhileCustomerLooks<Value: Sendable>(
    _ user: UserIdentifier, _ call: (ServerConnection.Credential) async -> ServerReply<Value>
  ) async throws(PurchasingError) -> Value {
    let policies = configuration.policies
    var pauses = policies.orderPauses[...]
    while true {
      switch await asUser(user, call) {
      case .answered(let value):
        return value
      case .noCredential(let why):
        throw PurchasingError(.userTokenUnavailable, why)
      case .refused(let problem):
        let isToken = problem.status == 401 || problem.status == 403
        throw PurchasingError(
          isToken ? .userTokenUnavailable : .serverRefused, problem.title, serverCode: problem.code)
      case .unknown(let why, let retryAfter):
        // A customer does not wait longer than this; the record stays, and the next tap goes on with it.
        guard let pause = pauses.popFirst(), retryAfter ?? .zero <= policies.requestLimit,
          !Task.isCancelled
        else { throw PurchasingError(.serverUnreachable, why, retryAfter: retryAfter) }
        try? await dependencies.sleep(dependencies.jittered(max(pause, retryAfter ?? .zero)))
      }
    }
  }
}
