package counterfoil

import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.WeChatResponse

/** A payment through WeChat, and each way in which its callback gets lost. */
class WeChatChecks(private val checks: Checks) {
    private class Lost(
        val name: String, val pays: Long?, val returns: Long?, val isKilled: Boolean = false,
    )

    private val ways = listOf(
        Lost("1A.15.1: the pay sheet is closed with the system's back key", null, 10_000),
        Lost("1A.15.2: the password box is left by system navigation", null, 20_000),
        Lost("1A.15.3: to the home screen, then to the app", null, 45_000),
        Lost("1A.15.3: the same, and paid after the return", 50_000, 45_000),
        Lost("1A.15.4: locked and unlocked over the pay sheet, then paid", 25_000, 15_000),
        Lost("1A.15.5: the notification shade over the pay sheet, then paid", 14_000, 4_000),
        Lost("1A.15.6: password accepted, home instead of done", 4_000, 10_000),
        Lost("1A.15.6: the same, and the process is gone", 4_000, 10_000, isKilled = true),
        Lost("1A.15.7: WeChat was logged out, back in the middle of the login", null, 30_000),
        Lost("1A.15.8: the chooser between two WeChats is cancelled: the app never left", null, null),
    )

    fun run() {
        for (way in ways) {
            checks.check("a lost callback (S16) leaves what was paid granted, else open: ${way.name}") { lost(way) }
        }
        normal()
        responses()
    }

    private fun lost(way: Lost) {
        val world = World()
        world.visits += Visit(pays = way.pays, responds = null)
        world.launch()
        val tap = world.tap()
        expect(world.time.goOn(60_000) { world.opened.size == 1 })
        if (way.isKilled) {
            world.kill()
            world.time.goOn(way.returns ?: 0)
            world.launch()
        } else if (way.returns != null) {
            world.time.goOn(way.returns)
            world.comeToForeground()
            // Coming back ends the wait: the answer comes within 10 s, not after 30.
            expect(world.time.goOn(10_000) { tap.isDone }) { "the caller still waits" }
        }
        if (!way.isKilled) expect(world.time.goOn(200_000) { tap.isDone })
        world.time.goOn(60_000)
        if (way.pays == null) {
            expectEqual(tap.outcome, PurchaseOutcome.AwaitingConfirmation(world.server.orders.single().id))
            expectEqual(world.server.orders.single().state, "awaitingPayment")
            expectEqual(world.openRecords, 1)
        } else {
            expectEqual(world.granted, 1)
            expectEqual(world.openRecords, 0)
            if (!way.isKilled) expect(tap.outcome !is PurchaseOutcome.Cancelled)
        }
        expect(world.server.requests("close").isEmpty()) { "only the server closes an order" }
        // Nothing stays for ever: an unpaid order expires at the server.
        for (order in world.server.orders) if (order.state == "awaitingPayment") order.state = "closed"
        world.kill()
        world.launch()
        world.time.goOn(60_000)
        expectEqual(world.openRecords, 0)
    }

    private fun bought(visit: Visit, check: (World, Tap) -> Unit) {
        val world = World()
        world.visits += visit
        world.launch()
        val tap = world.tap()
        expect(world.time.goOn(200_000) { tap.isDone })
        check(world, tap)
    }

    private fun normal() {
        checks.check("the server's answer alone makes it bought, and nothing is left behind (1A.2, 1A.3, 1A.4)") {
            bought(Visit()) { world, tap ->
                world.time.goOn(300_000)
                expectEqual(tap.outcome, PurchaseOutcome.Fulfilled(world.server.orders.single().id, recovered = false))
                expectEqual(world.openRecords, 0)
                expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
            }
        }
        checks.check("WeChat gets the nine values as the server signed them, and no log shows them (1A.9)") {
            bought(Visit()) { world, _ ->
                val request = world.opened.single()
                expectEqual(
                    listOf(request.appId, request.partnerId, request.packageValue, request.timeStamp, request.sign),
                    listOf("wx0000000000000001", "1900000001", "Sign=WXPay", "1795660777", "c2lnbmF0dXJl"))
                expectEqual(listOf(request.signType, request.extData), listOf("RSA", world.server.orders.single().id))
                expect((world.log + request.toString()).none { "c2lnbmF0dXJl" in it || "token" in it })
            }
        }
        checks.check("the order is in the vault before WeChat opens, and the page hears of it (1A.5, 1A.31)") {
            val world = World()
            world.launch()
            world.tap()
            expect(world.time.goOn(60_000) { world.opened.size == 1 })
            expect("\"state\":\"paying\"" in world.records)
            val phases = world.events.filterIsInstance<PurchaseEvent.OrderOpen>().map { it.order.phase }
            expectEqual(phases, listOf("created", "paying"))
        }
        checks.check("it is asked about at once and 5 s later before the caller hears, then at 10, 20, 30 s (1A.16)") {
            bought(Visit(pays = null, responds = 2_000L to -2)) { world, tap ->
                expectEqual(tap.outcome, PurchaseOutcome.Cancelled(world.server.orders.single().id))
                expectEqual(world.server.requests("GET /orders/").size, 2)
                world.time.goOn(300_000)
                expectEqual(world.server.requests("GET /orders/").size, 5)
                expectEqual(world.server.orders.single().state, "awaitingPayment")
            }
        }
        checks.check("an order that the server closes unpaid is cancelled, never bought (reach.md B9)") {
            val world = World()
            world.visits += Visit(pays = null, responds = null)
            world.launch()
            val tap = world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.server.orders.single().state = "closed"
            world.comeToForeground()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.outcome, PurchaseOutcome.Cancelled(world.server.orders.single().id))
            expectEqual(world.openRecords, 0)
            expect(world.events.none { it is PurchaseEvent.OrderGranted })
        }
        checks.check("a payment that was taken back meanwhile is told as revoked, not as bought") {
            val world = World()
            world.visits += Visit(pays = null, responds = null)
            world.launch()
            val tap = world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.server.pay(world.opened.single().prepayId)
            world.server.orders.single().verdict = "revoked"
            world.comeToForeground()
            expect(world.time.goOn(60_000) { tap.isDone })
            expect(tap.outcome is PurchaseOutcome.NotGranted) { "${tap.outcome}" }
        }
        checks.check("WeChat Pay's answer that lags behind the payment is found by a later question (S17)") {
            bought(Visit(pays = 6_500, responds = 3_000L to 0)) { _, tap ->
                expect(tap.outcome is PurchaseOutcome.Fulfilled) { "${tap.outcome}" }
            }
            bought(Visit(pays = 16_000, responds = 3_000L to 0)) { world, tap ->
                expect(tap.outcome is PurchaseOutcome.AwaitingConfirmation) { "${tap.outcome}" }
                world.time.goOn(20_000)
                expectEqual(world.openRecords, 0)
                expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
            }
        }
        checks.check("a silent server leaves it unknown, never bought and never failed (X18, S10)") {
            val world = World()
            world.visits += Visit(responds = 4_000L to -1)
            world.launch()
            world.server.silence = { if ("GET /orders/" in it) ScriptedServer.Silence.AFTER else null }
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            expectEqual(tap.outcome, PurchaseOutcome.AwaitingConfirmation(world.server.orders.single().id))
            world.time.goOn(10_000)
            world.server.silence = { null }
            world.time.goOn(300_000)
            expectEqual(world.openRecords, 0)
            expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
        }
        checks.check("WeChat that never answers the call to open holds nobody up") {
            bought(Visit(hangs = true)) { _, tap -> expect(tap.outcome is PurchaseOutcome.Fulfilled) }
        }
        checks.check("a customer who types for two minutes is waited for; silence decides nothing") {
            bought(Visit(pays = 120_000, responds = 121_000L to 0)) { _, tap ->
                expect(tap.outcome is PurchaseOutcome.Fulfilled)
            }
        }
        checks.check("a caller waits for three minutes at most, and what is paid later is granted") {
            bought(Visit(pays = 190_000, responds = null)) { world, tap ->
                expect(tap.outcome is PurchaseOutcome.AwaitingConfirmation)
                world.time.goOn(60_000)
                expectEqual(world.openRecords, 0)
                expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
            }
        }
        checks.check("the hint comes 30 s after the foreground if nothing is decided, not otherwise (1A.75)") {
            bought(Visit(pays = null, responds = 2_000L to -2)) { world, _ ->
                world.comeToForeground()
                world.time.goOn(120_000)
                expect(world.events.none { it is PurchaseEvent.SlowCallback })
            }
            val world = World()
            world.visits += Visit(pays = null, responds = null)
            world.launch()
            world.server.silence = { if ("GET /orders/" in it) ScriptedServer.Silence.BEFORE else null }
            val tap = world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            val slow = "01a215b9-070a-7935-97a2-000000000001"
            world.comeToForeground()
            world.time.goOn(5_000)
            expect(PurchaseEvent.SlowCallback(slow) !in world.events || tap.isDone)
        }
    }

    private fun responses() {
        for (code in listOf(0, -1, -2, -3, -5)) {
            checks.check("what was paid is granted, though WeChat says $code (X20, S5)") {
                bought(Visit(pays = 1_000, responds = 2_000L to code)) { _, tap ->
                    expect(tap.outcome is PurchaseOutcome.Fulfilled) { "${tap.outcome} ${tap.error}" }
                }
            }
        }
        checks.check("success in WeChat without a payment is awaiting confirmation, never bought (1A.12)") {
            bought(Visit(pays = null, responds = 2_000L to 0)) { world, tap ->
                expect(tap.outcome is PurchaseOutcome.AwaitingConfirmation)
                expect(world.events.any { it is PurchaseEvent.NotConfirmed })
            }
        }
        for (code in listOf(-1, -3, -4, -5, -77)) {
            checks.check("number $code of an unpaid order is asked about and kept for support (1A.11)") {
                bought(Visit(pays = null, responds = 2_000L to code)) { world, tap ->
                    expectEqual(tap.error?.code, PurchasingErrorCode.WECHAT_FAILED)
                    expectEqual(tap.error?.weChatCode, code)
                    expect("\"weChatCode\":$code" in world.records)
                    expectEqual(world.server.requests("GET /orders/").size, 2)
                }
            }
        }
        checks.check("a response that comes twice counts once (1A.8)") {
            bought(Visit(times = 2)) { world, tap ->
                world.time.goOn(60_000)
                expect(tap.outcome is PurchaseOutcome.Fulfilled)
                expectEqual(world.events.count { it is PurchaseEvent.OrderGranted }, 1)
            }
        }
        checks.check("a shared picture is no payment (1A.10), and another order's response decides nothing (1A.8)") {
            val world = World()
            world.visits += Visit(pays = 20_000, responds = 21_000L to 0)
            world.launch()
            val tap = world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.respond(WeChatResponse(0, isPayment = false))
            world.respond(WeChatResponse(-2, prepayId = "wx-of-another"))
            world.time.goOn(10_000)
            expect(!tap.isDone)
            expect(world.time.goOn(60_000) { tap.isDone })
            expect(tap.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a response without a number of the payment, with two payments open, is about neither") {
            val world = World()
            world.visits += listOf(Visit(pays = 8_000, responds = null), Visit(pays = null, responds = null))
            world.launch()
            val taps = listOf(world.tap("coins.100"), world.tap("coins.500"))
            world.time.goOn(60_000) { world.opened.size == 2 }
            world.respond(WeChatResponse(-1))
            expect(world.time.goOn(60_000) { taps.all { it.isDone } })
            expect(taps.all { it.error == null }) { "${taps.map { it.error }}" }
        }
        checks.check("a response for an earlier process only makes the client ask (1A.12)") {
            val world = World()
            world.visits += Visit(responds = null)
            world.launch()
            world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.kill()
            world.time.goOn(10_000)
            world.launch()
            world.respond(WeChatResponse(0, prepayId = world.opened.single().prepayId))
            world.time.goOn(5_000)
            expectEqual(world.openRecords, 0)
            expectEqual(world.granted, 1)
        }
        checks.check("WeChat that did not open is asked about before the customer hears anything") {
            bought(Visit(opens = false)) { world, tap ->
                expectEqual(tap.error?.code, PurchasingErrorCode.WECHAT_FAILED)
                expect(world.server.requests("GET /orders/").isNotEmpty())
            }
        }
    }
}
