import Counterfoil
import PaymentVocabulary
import ServerContract
import Testing

@Suite struct `A purchase` {
  @Test func `is granted once, finished on the server's word, and leaves nothing behind`() {
    let world = ClientWorld()
    world.launch()
    let tap = world.tap()

    world.goOn { tap.isDone }
    world.goOn(for: .minutes(5))

    let order = world.server.orders.first?.id
    #expect(tap.outcome == order.map { .fulfilled($0, recovered: false) })
    #expect(world.faults() == [])
    #expect(world.store.charges.count == 1)
    #expect(world.store.queue == [])
    #expect(world.openRecords == [])
  }
}
