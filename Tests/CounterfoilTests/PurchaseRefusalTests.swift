import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import Testing

@Suite struct `A purchase is refused` {
  @Test func `while the client does not run`() {
    let world = ClientWorld()
    let purchasing = world.launch().purchasing
    world.goOn(for: .zero)
    world.start { await purchasing.stop() }
    world.goOn(for: .zero)

    let tap = world.tap()
    world.goOn(for: .minutes(1))

    #expect(tap.error?.code == .notRunning)
  }

  @Test func `while no user is signed in`() {
    let world = ClientWorld()
    world.launch(as: nil)
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .notSignedIn)
    #expect(world.server.requests.isEmpty)
  }

  @Test(arguments: [0, 11, -1])
  func `for a quantity that no store sells`(_ quantity: Int) {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap(quantity: quantity)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .quantityNotAllowed)
    #expect(world.server.requests.isEmpty)
  }

  @Test func `where payments are turned off (1A.18)`() {
    let world = ClientWorld()
    world.store.forbidPayments()
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .paymentsDisabled)
    #expect(world.server.requests("create").isEmpty)
  }

  @Test func `while the store does not answer: the queue is never skipped (1A.57)`() {
    let world = ClientWorld()
    world.store.answersNot(true)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .storeUnavailable)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `when the vault cannot write, before any request (X7)`() {
    let world = ClientWorld()
    world.disk.refuseWrites(true)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .vaultUnavailable)
    #expect(world.server.requests("create").isEmpty)
    #expect(world.store.sheets.isEmpty)
  }

  @Test(arguments: [1, 2])
  func `when the vault stops writing after some records: no sheet opens unrecorded (1A.31)`(_ writes: Int) {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.disk.writes.count == writes }
    world.disk.refuseWrites(true)
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .vaultUnavailable)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `when the vault cannot be read, as on a locked device (X7)`() {
    let world = ClientWorld()
    world.disk.refuseReads(true)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .vaultUnavailable)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `when the vault is full of orders that may still be paid`() {
    let world = ClientWorld()
    for number in 0..<48 {
      world.disk.putRecord("r\(number)", user: "bert", state: #""paying""#, order: UInt64(number))
    }
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .vaultFull)
    #expect(world.openRecords.count == 48)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `for a product while another purchase of it is running: a double tap pays once (1A.60)`() {
    let world = ClientWorld()
    world.launch()
    let first = world.tap()
    let second = world.tap()
    world.goOn { first.isDone && second.isDone }
    world.goOn(for: .minutes(5))

    let refused = [first, second].filter { $0.error?.code == .purchaseInProgress }
    #expect(refused.count == 1)
    #expect(world.store.charges.count == 1)
    #expect(world.faults() == [])
  }

  @Test func `while an earlier purchase of the product is pending, and only of that product (1A.56)`() {
    let world = ClientWorld()
    let id = world.store.chargeOutside("com.example.coins60")
    for _ in 0..<20 { world.server.judge(id, PaymentAnswer(transaction: id, verdict: .pending)) }
    world.launch()
    let same = world.tap("coins60")
    let other = world.tap("coins6")
    world.goOn { same.isDone && other.isDone }

    #expect(same.error?.code == .earlierPurchaseUndecided)
    #expect(other.outcome != nil)
    #expect(world.store.sheets.count == 1)
  }

  @Test func `by the server, with the server's code, and no record stays`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap("unknown")
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .serverRefused)
    #expect(tap.error?.serverCode == "product_unknown")
    #expect(world.openRecords == [])
  }

  @Test func `while the server is unreachable, and the next tap finds the same order`() {
    let world = ClientWorld()
    world.server.fault("create", .answerLost, .requestLost, .requestLost)
    world.launch()
    let first = world.tap()
    world.goOn { first.isDone }
    let second = world.tap()
    world.goOn { second.isDone }

    #expect(first.error?.code == .serverUnreachable)
    #expect(world.server.orders.count == 1)
    #expect(second.outcome?.order == world.server.orders.first?.id)
    #expect(Set(world.server.requests("create").map { $0.fields["Idempotency-Key"] }).count == 1)
  }

  @Test func `temporarily if a gateway answers in its own name`() {
    let world = ClientWorld()
    let gateway = HTTPResponse(status: 404, json: ScriptedBackend.problemBody(404, "no_such_host").json)
    world.server.always("create", .answers(gateway))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .serverUnreachable)
    #expect(world.openRecords.count == 1, "it is unknown whether there is an order")
  }

  @Test func `when the server is busy for longer than the user waits, with the time to retry`() {
    let world = ClientWorld()
    world.server.always("create", .answers(ScriptedBackend.problem(503, "overloaded", retryAfter: 60)))
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .serverUnreachable)
    #expect(tap.error?.retryAfter == .seconds(60))
  }

  @Test func `when the app gives no token`() {
    let world = ClientWorld()
    world.configure = { $0.userToken = { _ in throw CancellationError() } }
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .userTokenUnavailable)
    #expect(world.server.requests.isEmpty)
  }

  @Test func `when the app gives another user's token (S20)`() {
    let world = ClientWorld()
    world.configure = { $0.userToken = { _ in "token-bert" } }
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .userDiffers)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `when the server's order is not the requested one`() {
    let world = ClientWorld()
    world.launch()
    var body = OrderBody(
      id: OrderIdentifier(high: 1, low: 2), user: "anna", product: "coins6", quantity: 1, store: .appStore,
      environment: .simulated, state: .awaitingPayment, createdAt: world.clock.now,
      expiresAt: world.clock.now + .days(7), delivery: .none)
    body.appStore = OrderBody.AppStoreParameters(
      product: "com.example.coins6", appAccountToken: body.id.appAccountToken)
    world.server.fault("create", .answers(HTTPResponse(status: 201, json: body.json)))
    let tap = world.tap("coins60")
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .orderDiffers)
    #expect(world.store.sheets.isEmpty)
  }

  @Test func `by the store, with the store's number; the order stays (1A.37, X4)`() {
    let world = ClientWorld()
    world.store.next(.throwsFailure)
    world.launch()
    let tap = world.tap()
    world.goOn { tap.isDone }

    #expect(tap.error?.code == .storeFailed)
    #expect(tap.error?.storeFailure?.code == 0)
    #expect(world.openRecords.count == 1)
    #expect(world.disk.text(world.openRecords.first ?? "").contains("failedOnce"))
  }

  @Test func `when its caller goes away before the sheet, and then no sheet opens`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()
    world.goOn { world.server.orders.count == 1 }
    tap.task?.cancel()
    world.goOn(for: .minutes(5))

    #expect(tap.error?.code == .purchaseAbandoned)
    #expect(world.store.sheets.isEmpty)
  }

  private func error(of server: String, inDebugging: Bool = false) -> PurchasingError? {
    let world = ClientWorld()
    var configuration = PurchasingConfiguration(server: server, app: "shop", userToken: { _ in "" })
    configuration.allowsLocalNetworkForDebugging = inDebugging
    do throws(PurchasingError) {
      _ = try Purchasing(
        configuration, queue: ScriptedQueue(store: world.store), vault: FileVault(world.disk.folder),
        exchange: world.server.exchange, dependencies: world.clock.dependencies)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    "http://pay.example.com", "https://", "pay.example.com", "ftp://pay.example.com",
    "https://pay.example.com/\r\nX: y", "http://localhost:1@pay.example.com", "http://127.0.0.1.example.com",
  ])
  func `by a client with an unsafe server address`(_ server: String) {
    for inDebugging in [false, true] {
      let error = error(of: server, inDebugging: inDebugging)
      #expect(error?.code == .configurationInvalid)
      #expect(error?.details.contains("must be an https address") == true)
    }
  }

  @Test(arguments: [
    "http://192.168.1.7:8080", "http://10.0.0.1", "http://172.16.0.1", "http://172.31.255.255/pay",
    "http://169.254.3.4:80", "http://my-mac.local:8080", "http://My-Mac.LOCAL",
  ])
  func `by a client with an address of the local network, except in debugging (W8)`(_ server: String) {
    #expect(error(of: server)?.code == .configurationInvalid)
    #expect(error(of: server, inDebugging: true) == nil)
  }

  @Test(arguments: [
    "http://8.8.8.8", "http://172.15.0.1", "http://172.32.0.1", "http://192.169.1.1", "http://10.0.0",
    "http://10.0.0.256",
    "http://10.0.0.1.example.com", "http://192.168.1.1@evil.example.com", "http://.local", "http://local",
    "http://010.0.0.1", "http://10.0.0.1.", "http://10.0.0.0x1", "http://[fe80::1]", "http://my.local.example.com",
  ])
  func `by a client in debugging with an address that is not of the local network (W8)`(_ server: String) {
    #expect(error(of: server, inDebugging: true)?.code == .configurationInvalid)
  }
}
