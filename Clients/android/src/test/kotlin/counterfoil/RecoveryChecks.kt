package counterfoil

import counterfoil.core.EarlierRecord
import counterfoil.core.OrderRequest
import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.RecoveryReason

/** Kills at each step, users who change, new devices, and what earlier code stored. */
class RecoveryChecks(private val checks: Checks) {
    /** Kills so far. */
    var kills = 0

    private class Story(val name: String, val visit: () -> Visit)

    private val stories = listOf(
        Story("paid and told") { Visit() },
        Story("paid, the callback lost") { Visit(responds = null) },
        Story("paid, and WeChat says -1") { Visit(responds = 4_000L to -1) },
        Story("not paid, cancelled") { Visit(pays = null, responds = 2_000L to -2) },
        Story("paid late, after a cancel") { Visit(pays = 15_000, responds = 2_000L to -2) },
        Story("WeChat did not open") { Visit(opens = false) },
    )

    fun run() {
        for (story in stories) {
            checks.check("no kill loses or doubles: ${story.name} (1A.65, S18)") { killEverywhere(story) }
        }
        checks.check("lost answers at each request lose and double nothing (1B.17)") { loseEverywhere() }
        users()
        devices()
        earlier()
    }

    /** The same story again and again, killed one effect later each time, until no kill comes any more. */
    private fun killEverywhere(story: Story) {
        var at = 1
        while (true) {
            val world = World()
            world.visits += story.visit()
            world.launch()
            world.dieAt = world.effects + at
            val tap = world.tap()
            world.time.goOn(200_000) { tap.isDone || world.process.isDead }
            val wasKilled = world.process.isDead
            world.dieAt = null
            if (wasKilled) kills += 1
            check(world, tap, "at effect $at")
            if (!wasKilled) break
            at += 1
            expect(at < 100)
        }
        expect(at > 10) { "only $at effects" }
    }

    private fun check(world: World, tap: Tap, words: String) {
        val order = world.server.orders.singleOrNull()
        if (tap.outcome is PurchaseOutcome.Fulfilled) {
            expect(order?.state == "paid") { "$words: a false bought" }
        }
        world.kill()
        world.time.goOn(60_000)
        world.launch()
        world.time.goOn(200_000)
        // The customer taps again: what was paid is not charged a second time.
        val wasPaid = world.server.orders.any { it.payments > 0 }
        val tapped = if (wasPaid) null else world.tap()
        if (tapped != null) expect(world.time.goOn(300_000) { tapped.isDone }) { words }
        world.time.goOn(200_000)
        val payments = world.server.orders.sumOf { it.payments }
        expect(world.server.orders.all { it.payments <= 1 }) { words }
        expect(payments <= 1) { "$words: $payments payments" }
        expectEqual(world.granted, payments)
        if (payments == 1) expectEqual(world.openRecords, 0)
        expect(world.server.orders.none { it.state == "closed" && it.payments > 0 }) { words }
    }

    private fun loseEverywhere() {
        for (silence in ScriptedServer.Silence.entries) for (number in 1..8) {
            val world = World()
            world.launch()
            val begun = world.server.requests.size
            world.server.silence = { if (world.server.requests.size == begun + number) silence else null }
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            world.server.silence = { null }
            check(world, tap, "request $number, $silence")
        }
    }

    private fun users() {
        checks.check("another user who signs in ends the wait, sees nothing and gets nothing (1A.36, S7, S20)") {
            val world = World()
            world.visits += Visit(pays = 20_000, responds = null)
            world.launch()
            val tap = world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.events.clear()
            world.act { it.setUser("bob") }
            expect(world.time.goOn(10_000) { tap.isDone })
            expectEqual(tap.outcome, PurchaseOutcome.AwaitingConfirmation(world.server.orders.single().id))
            world.time.goOn(120_000)
            expectEqual(world.events, emptyList<PurchaseEvent>())
            expectEqual(world.openRecords, 1)
            world.act { it.setUser("alice") }
            world.time.goOn(60_000)
            expectEqual(world.openRecords, 0)
            expectEqual(world.server.orders.single().user, "alice")
            expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
        }
        checks.check("a user who changes before WeChat opens: it does not open") {
            val world = World()
            world.launch()
            world.server.silence = { if ("wechat-pay" in it) ScriptedServer.Silence.BEFORE else null }
            val tap = world.tap()
            world.time.goOn(500)
            world.act { it.setUser("bob") }
            world.server.silence = { null }
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.USER_DIFFERS)
            expectEqual(world.opened.size, 0)
        }
        checks.check("nobody signed in: no purchase, and what is open waits for its user") {
            val world = World()
            world.visits += Visit(responds = null)
            world.launch()
            world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.kill()
            world.launch(signsIn = false)
            world.time.goOn(60_000)
            val tap = world.tap()
            world.time.goOn(1_000)
            expectEqual(tap.error?.code, PurchasingErrorCode.NOT_SIGNED_IN)
            expectEqual(world.openRecords, 1)
            world.act { it.setUser("alice") }
            world.time.goOn(60_000)
            expectEqual(world.openRecords, 0)
        }
        checks.check("a user's name that no server takes is refused") {
            val world = World()
            world.launch(signsIn = false)
            var code: PurchasingErrorCode? = null
            for (name in listOf("", "..", "a\u0000b", "x".repeat(256))) {
                code = null
                world.act {
                    try {
                        it.setUser(name)
                    } catch (error: counterfoil.core.PurchasingError) {
                        code = error.code
                    }
                }
                world.time.goOn(10)
                expectEqual(code, PurchasingErrorCode.CONFIGURATION_INVALID)
            }
        }
    }

    private fun devices() {
        checks.check("a device without records learns the open orders from the server before it sells (S19)") {
            val world = World()
            world.visits += Visit(pays = null, responds = 2_000L to -2)
            world.launch()
            val first = world.tap()
            expect(world.time.goOn(200_000) { first.isDone })
            world.kill()
            world.document = null
            world.launch()
            world.time.goOn(60_000)
            expectEqual(world.openRecords, 1)
            val second = world.tap()
            expect(world.time.goOn(200_000) { second.isDone })
            expectEqual(world.server.orders.size, 1)
            expect(second.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a device without records that could not ask at the launch asks before it sells") {
            val world = World()
            world.visits += Visit(pays = null, responds = 2_000L to -2)
            world.launch()
            val first = world.tap()
            expect(world.time.goOn(200_000) { first.isDone })
            world.kill()
            world.document = null
            world.server.silence = { if ("open=true" in it) ScriptedServer.Silence.BEFORE else null }
            world.launch()
            world.server.silence = { null }
            val second = world.tap()
            expect(world.time.goOn(200_000) { second.isDone })
            expectEqual(world.server.orders.size, 1)
            expect(second.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a damaged vault is replaced by the server's list") {
            val world = World()
            world.document = "no JSON".encodeToByteArray()
            world.launch()
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            expect(tap.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a recovery without an answer is repeated after 10, 30 and 120 s (1A.63, S18)") {
            val world = World()
            world.visits += Visit(responds = null)
            world.launch()
            world.tap()
            world.time.goOn(60_000) { world.opened.size == 1 }
            world.kill()
            world.time.goOn(5_000)
            world.server.silence = { ScriptedServer.Silence.BEFORE }
            val begin = world.time.now
            world.launch()
            world.time.goOn(9_000)
            world.server.silence = { null }
            world.time.goOn(10_000) { world.openRecords == 0 }
            expectEqual(world.openRecords, 0)
            expect(world.time.now - begin in 9_000..12_000)
        }
        checks.check("the foreground, five times within half a minute, asks about an order as often as once (B4)") {
            val world = World()
            world.visits += Visit(pays = null, responds = 2_000L to -2)
            world.launch()
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            world.time.goOn(100_000)
            val before = world.server.requests.size
            repeat(5) {
                world.comeToForeground()
                world.time.goOn(1_000)
            }
            // At once, and again 5 s later.
            expectEqual(world.server.requests.drop(before).count { "GET /orders/" in it }, 2)
        }
    }

    private fun earlier() {
        checks.check("what the article's code stored is taken over, judged, and told (`orderId¥status`)") {
            val world = World()
            world.launch()
            val tap = world.tap(OrderRequest("coins.100", reference = "20240117A7"))
            expect(world.time.goOn(200_000) { tap.isDone })
            var unusable: List<EarlierRecord>? = null
            world.act {
                unusable = it.takeOver(listOf(
                    EarlierRecord("20240117A7", "alice"), EarlierRecord("unknown-1", "alice"),
                    EarlierRecord("of-bob", "bob"), EarlierRecord("a/b", "alice"), EarlierRecord("1", "")))
            }
            world.time.goOn(60_000)
            expectEqual(unusable, listOf(EarlierRecord("a/b", "alice"), EarlierRecord("1", "")))
            expect(PurchaseEvent.EarlierRecordJudged("20240117A7", "fulfilled") in world.events) { "${world.events}" }
            expect("unknown-1" in world.records && "of-bob" in world.records && "20240117A7" !in world.records)
            world.time.now += 31L * 24 * 60 * 60 * 1000
            world.act { it.recover(RecoveryReason.USER_ASKED) }
            world.time.goOn(60_000)
            expect("unknown-1" !in world.records && "of-bob" in world.records)
        }
        checks.check("records that could not be kept stay the app's: takeOver fails") {
            val world = World()
            world.launch()
            world.vaultFails = true
            var failed: PurchasingErrorCode? = null
            world.act {
                try {
                    it.takeOver(listOf(EarlierRecord("1", "alice")))
                } catch (error: counterfoil.core.PurchasingError) {
                    failed = error.code
                }
            }
            world.time.goOn(1_000)
            expectEqual(failed, PurchasingErrorCode.VAULT_UNAVAILABLE)
        }
    }
}
