package counterfoil

import counterfoil.core.PurchaseOutcome
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.RecoveryReason

/** Several taps, at once and one after the other. */
class TapChecks(private val checks: Checks) {
    fun run() {
        checks.check("two taps are one order and one sheet, and both hear the same (1A.35, 1A.60)") {
            val world = World()
            world.launch()
            val taps = listOf(world.tap(), world.tap())
            expect(world.time.goOn(200_000) { taps.all { it.isDone } })
            expectEqual(world.server.orders.size, 1)
            expectEqual(world.opened.size, 1)
            expectEqual(taps[0].outcome, taps[1].outcome)
        }
        checks.check("a tap for another quantity while the sheet is open is refused") {
            val world = World()
            world.launch()
            world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            val second = world.tap(quantity = 2)
            world.time.goOn(1_000) { second.isDone }
            expectEqual(second.error?.code, PurchasingErrorCode.PURCHASE_IN_PROGRESS)
        }
        checks.check("a tap after an unpaid visit pays the same order again, which can be paid only once (S9, 0042)") {
            val world = World()
            world.visits += Visit(pays = null, responds = 2_000L to -2)
            world.launch()
            val first = world.tap()
            expect(world.time.goOn(200_000) { first.isDone })
            val second = world.tap()
            expect(world.time.goOn(200_000) { second.isDone })
            expectEqual(world.server.orders.size, 1)
            expect(second.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a tap after a payment that nobody heard of charges nothing") {
            val world = World()
            world.visits += Visit(pays = null, responds = 1_000L to 0)
            world.launch()
            val first = world.tap()
            expect(world.time.goOn(200_000) { first.isDone })
            world.time.goOn(60_000)
            world.server.pay(world.opened.single().prepayId)
            val second = world.tap()
            expect(world.time.goOn(200_000) { second.isDone })
            expectEqual(world.opened.size, 1)
            expect(second.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("another quantity closes the old order at the server before a new one is made") {
            val world = World()
            world.visits += Visit(pays = null, responds = 2_000L to -2)
            world.launch()
            val first = world.tap()
            expect(world.time.goOn(200_000) { first.isDone })
            val second = world.tap(quantity = 2)
            expect(world.time.goOn(200_000) { second.isDone })
            expectEqual(world.server.orders.map { it.state }, listOf("closed", "paid"))
        }
        checks.check("the foreground never closes the order that WeChat is about to open for (B10)") {
            val world = World()
            world.launch()
            val tap = world.tap()
            while (world.opened.isEmpty()) {
                world.comeToForeground()
                expect(world.time.goOn(1_000) { true })
                world.act { it.recover(RecoveryReason.USER_ASKED) }
                if (tap.isDone) break
            }
            expect(world.time.goOn(200_000) { tap.isDone })
            expect(world.server.requests("close").isEmpty())
            expect(tap.outcome is PurchaseOutcome.Fulfilled || tap.outcome is PurchaseOutcome.AwaitingConfirmation)
        }
        checks.check("a page that went away before WeChat opened abandons the purchase") {
            val world = World()
            world.launch()
            world.server.silence = { if ("wechat-pay" in it) ScriptedServer.Silence.BEFORE else null }
            val tap = world.tap()
            world.time.goOn(500)
            tap.job.cancel()
            world.server.silence = { null }
            world.time.goOn(60_000)
            expectEqual(world.opened.size, 0)
        }
    }
}
