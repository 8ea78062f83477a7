import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import HTTPMessages
import PaymentPrimitives
import TestDoubles
import Testing

/// An app that comes to the foreground often, with orders that the customer cancelled.
@Suite struct `A return to the foreground` {
  private func world(cancelled count: Int, ofOneProduct: Bool) -> ClientWorld {
    let world = ClientWorld()
    world.launch()
    world.goOn(for: .seconds(1))
    for number in 0..<count {
      world.store.next(.cancels)
      let tap = world.tap(ofOneProduct ? "coins60" : ProductIdentifier("coins\(60 + number)"))
      world.goOn { tap.isDone }
      #expect(tap.outcome != nil)
    }
    world.letPass(.minutes(2))
    return world
  }

  private func requests(of world: ClientWorld, _ body: () -> Void) -> [String] {
    let before = world.server.requests.count
    body()
    return world.server.requests.dropFirst(before).map { ScriptedBackend.route(of: $0) }
  }

  private func foreground(_ world: ClientWorld) -> RecoveryReport? { world.ask { await $0.recover(.foreground) } }

  @Test(arguments: [0, 1, 5, 15], [false, true])
  func `costs at most one request, however many orders the customer has cancelled (B4)`(
    _ count: Int, _ ofOneProduct: Bool
  ) {
    let world = world(cancelled: count, ofOneProduct: ofOneProduct)
    for _ in 0..<3 {
      let routes = requests(of: world) {
        #expect(foreground(world)?.isComplete == true)
        world.letPass(.minutes(1))
      }
      #expect(routes.count <= 1, "\(routes)")
      #expect(routes.isEmpty == (count == 0))
    }
  }

  @Test func `within 30 seconds of the last one finds nothing new to ask (W10)`() {
    let world = world(cancelled: 1, ofOneProduct: true)
    #expect(requests(of: world) { _ = foreground(world) }.count == 1)
    world.letPass(.seconds(29))
    let routes = requests(of: world) { #expect(foreground(world) == RecoveryReport()) }
    #expect(routes.isEmpty)
    world.letPass(.seconds(2))
    #expect(requests(of: world) { _ = foreground(world) }.count == 1)
  }

  @Test func `is repeated at once if the last one could not ask`() {
    let world = world(cancelled: 1, ofOneProduct: true)
    world.server.fault("order", .requestLost)
    #expect(foreground(world)?.isComplete == false)
    #expect(foreground(world)?.isComplete == true)
  }

  @Test func `of two windows is one recovery, and both get its report (B5)`() {
    let world = world(cancelled: 2, ofOneProduct: false)
    let reports = SharedValue<[RecoveryReport]>([])
    guard let purchasing = world.app?.purchasing else { return }
    let routes = requests(of: world) {
      for _ in 0..<2 { world.start { reports.value.append(await purchasing.recover(.foreground)) } }
      world.goOn { reports.value.count == 2 }
    }
    #expect(routes == ["orders"])
    #expect(reports.value == [RecoveryReport(), RecoveryReport()])
  }

  @Test func `asks about other reasons each time`() {
    let world = world(cancelled: 1, ofOneProduct: true)
    for _ in 0..<2 { #expect(requests(of: world) { _ = world.ask { await $0.recover(.userAsked) } }.count == 1) }
  }

  @Test func `learns from the list what was paid and what was closed`() {
    let world = world(cancelled: 3, ofOneProduct: false)
    let orders = world.server.orders
    #expect(orders.count == 3 && world.openRecords.count == 3)
    world.clock.pass(.days(8))
    let routes = requests(of: world) { #expect(foreground(world)?.ordersClosed == 3) }
    #expect(routes == ["orders"] && world.openRecords.isEmpty)
  }

  @Test func `asks one by one where a gateway does not pass the list on`() {
    let world = world(cancelled: 3, ofOneProduct: false)
    world.server.always("orders", .answers(ScriptedBackend.problem(404, "not_passed_on")))
    let routes = requests(of: world) { #expect(foreground(world)?.isComplete == true) }
    #expect(routes == ["orders", "orders", "order", "order", "order"])
  }

  @Test func `keeps the records of orders that the server does not know, and does not ask about each`() {
    let world = ClientWorld()
    for number in 0..<4 { world.disk.putRecord("r\(number)", user: "anna", state: #""paying""#, order: UInt64(number)) }
    world.launch()
    world.letPass(.minutes(5))
    let routes = requests(of: world) { _ = foreground(world) }
    #expect(routes == ["orders"] && world.openRecords.count == 4)
    #expect(world.eventLog.lines.contains { $0.hasPrefix("client.order.unlisted") })
  }

  @Test func `asks for one order alone by its id`() {
    let world = world(cancelled: 1, ofOneProduct: true)
    #expect(requests(of: world) { _ = foreground(world) } == ["order"])
  }
}
