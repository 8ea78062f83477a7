package counterfoil

import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.RecoveryReason

/**
 * The six queue scenes (1A.56 to 1A.60). WeChat Pay has no queue on the phone: the open orders of vault and server
 * stand in its place. A design that waits for a callback before each payment hangs in the first three.
 */
class QueueChecks(private val checks: Checks) {
    /** A tap in a world without open orders: WeChat opens at once, and the purchase is granted. */
    private fun sellsAtOnce(world: World, payments: Int = 1) {
        val opened = world.opened.size
        val tapped = world.time.now
        val tap = world.tap()
        expect(world.time.goOn(60_000) { world.opened.size > opened }) { "WeChat does not open" }
        expect(world.time.now - tapped < 2_000) { "it opened after ${world.time.now - tapped} ms" }
        expect(world.time.goOn(200_000) { tap.isDone })
        val outcome = tap.outcome
        expect(outcome is PurchaseOutcome.Fulfilled && !outcome.recovered) { "$outcome ${tap.error}" }
        world.time.goOn(60_000)
        expectEqual(world.server.orders.sumOf { it.payments }, payments)
        expectEqual(world.granted, payments)
        expectEqual(world.openRecords, 0)
    }

    /** Pays in WeChat, and the process ends before anybody hears of it. */
    private fun leavePaid(world: World) {
        world.visits += Visit(pays = 1_000, responds = null)
        world.launch()
        world.tap()
        expect(world.time.goOn(60_000) { world.opened.size == 1 })
        expect(world.time.goOn(60_000) { world.granted == 1 })
        world.kill()
    }

    fun run() {
        checks.check("scene 1: nothing is open, listening from launch and again before paying: silence, and it sells") {
            val world = World()
            world.launch()
            world.time.goOn(60_000)
            world.begin()
            world.act { it.recover(RecoveryReason.USER_ASKED) }
            world.time.goOn(1_000)
            expectEqual(world.events.size, 0)
            sellsAtOnce(world)
        }
        checks.check("scene 2: nothing is open, nothing at launch, a recovery before paying: an answer, and it sells") {
            val world = World()
            world.launch(starts = false)
            world.time.goOn(60_000)
            expectEqual(world.server.requests.size, 0)
            world.begin()
            var isComplete: Boolean? = null
            world.act { isComplete = it.recover(RecoveryReason.USER_ASKED).isComplete }
            expect(world.time.goOn(1_000) { isComplete != null }) { "it waits for something that never comes" }
            expectEqual(isComplete, true)
            expectEqual(world.events.size, 0)
            sellsAtOnce(world)
        }
        checks.check("scene 3: nothing is open, nothing at launch, listening only before paying: it sells at once") {
            val world = World()
            world.launch(starts = false)
            world.time.goOn(60_000)
            world.begin()
            expectEqual(world.events.size, 0)
            sellsAtOnce(world)
        }
        checks.check("scene 4: a paid order is open and was not checked: the tap completes it, and charges nothing") {
            val world = World()
            leavePaid(world)
            world.server.silence = { ScriptedServer.Silence.BEFORE }
            world.launch()
            world.time.goOn(5_000)
            expectEqual(world.openRecords, 1)
            world.server.silence = { null }
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            expectEqual(tap.outcome, PurchaseOutcome.Fulfilled(world.server.orders.single().id, recovered = true))
            expectEqual(world.opened.size, 1)
            expectEqual(world.granted, 1)
        }
        checks.check("scene 5: nothing is open, and the check before paying is empty: purchase follows purchase") {
            val world = World()
            world.launch()
            sellsAtOnce(world)
            sellsAtOnce(world, payments = 2)
        }
        checks.check("scene 6: what the last run left is granted at launch, and the next tap sells again") {
            val world = World()
            leavePaid(world)
            world.launch()
            world.time.goOn(60_000)
            expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
            expectEqual(world.openRecords, 0)
            sellsAtOnce(world, payments = 2)
        }
    }
}
