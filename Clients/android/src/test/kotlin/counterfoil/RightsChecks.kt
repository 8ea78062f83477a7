package counterfoil

import counterfoil.core.Balance
import counterfoil.core.Entitlement
import counterfoil.core.Grant
import counterfoil.core.HttpAnswer
import counterfoil.core.Messages
import counterfoil.core.Product
import counterfoil.core.Purchasing
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingErrorCode
import kotlinx.serialization.json.Json

/** The catalog, and what the user has: the server's answers, or an error that never means "nothing". */
class RightsChecks(private val checks: Checks) {
    /** What a call gave; an error is not "an empty list". */
    private class Answer(val value: Any?, val error: PurchasingError?)

    private fun ask(world: World, call: suspend (Purchasing) -> Any?): Answer {
        var answer: Answer? = null
        world.act {
            answer = try {
                Answer(call(it), null)
            } catch (error: PurchasingError) {
                Answer(null, error)
            }
        }
        expect(world.time.goOn(60_000) { answer != null }) { "no answer" }
        return answer!!
    }

    private fun World.lists(name: String, json: String) { server.lists[name] = Json.parseToJsonElement(json) }

    private val calls = listOf<Pair<String, suspend (Purchasing) -> Any?>>(
        "products" to { it.products() }, "balances" to { it.balances() }, "entitlements" to { it.entitlements() })

    fun run() {
        checks.check("the catalog has what is sold at WeChat Pay, with prices as the customer reads them") {
            val world = World()
            world.lists("products", """[
                {"productId":"coins.100","kind":"consumable","appStoreProductIds":["a"],"weChatPriceInFen":600,
                 "grant":{"unit":"coin","amount":100}},
                {"productId":"book","kind":"nonConsumable","appStoreProductIds":[],"weChatPriceInFen":1805,
                 "physical":true,"grant":{"entitlement":"book","periodSeconds":2592000}},
                {"productId":"onlyApple","kind":"consumable","appStoreProductIds":["b"],
                 "grant":{"unit":"coin","amount":1}},
                {"productId":"newKind","kind":"lottery","appStoreProductIds":[],"weChatPriceInFen":1,
                 "grant":{"unit":"coin","amount":1}},
                {"productId":"newGrant","kind":"consumable","appStoreProductIds":[],"weChatPriceInFen":1,
                 "grant":{"hug":1}}]""")
            world.launch()
            val products = ask(world) { it.products() }.value
            expectEqual(products, listOf(
                Product("coins.100", "consumable", 600, false, Grant.Units("coin", 100)),
                Product("book", "nonConsumable", 1805, true, Grant.Right("book", 2_592_000))))
            expectEqual((products as List<*>).map { (it as Product).displayPrice }, listOf("¥6.00", "¥18.05"))
        }
        checks.check("balances are the server's, also a negative and a frozen one") {
            val world = World()
            world.lists("balances", """[{"unit":"coin","amount":-5000000000,"environment":"production",
                "frozenSince":"2026-11-26T02:39:37.226Z"}]""")
            world.launch()
            expectEqual(ask(world) { it.balances() }.value, listOf(
                Balance("coin", -5_000_000_000, "production", "2026-11-26T02:39:37.226Z")))
        }
        checks.check("an entitlement of an unknown state gives no access, and each state has its words") {
            fun right(state: String, expiresAt: String? = null, willRenew: Boolean? = null, reason: String? = null) =
                Entitlement("vip", state, "weChatPay", "production", expiresAt, willRenew, null, null, reason)
            val texts = Messages.ours()
            val day = "2026-12-26T02:39:37.226Z"
            for ((entitlement, key) in listOf(
                right("active") to "lasting", right("active", day) to "until",
                right("active", day, true) to "renews", right("gracePeriod", day) to "gracePeriod",
                right("billingRetry") to "billingRetry", right("expired") to "expired",
                right("revoked") to "revoked", right("revoked", reason = "refunded") to "refunded",
                right("expired", reason = "familySharingEnded") to "familySharingEnded",
                right("expired", reason = "cancelled") to "expired", right("paused") to "unknown")) {
                expectEqual(Messages.key(entitlement), "entitlement.$key")
                for (language in Messages.Language.entries) {
                    val text = texts.text(entitlement, language)
                    expect(text.isNotEmpty() && "{" !in text) { text }
                }
                expectEqual(entitlement.givesAccess, entitlement.state in setOf("active", "gracePeriod"))
            }
            expect("2026-12-26" in texts.text(right("active", day), Messages.Language.CHINESE))
        }
        for ((name, call) in calls) {
            checks.check("$name: before the start and signed out it is refused, in both languages") {
                val world = World()
                world.launch(signsIn = false, starts = false)
                expectEqual(ask(world, call).error?.code, PurchasingErrorCode.NOT_RUNNING)
                world.begin()
                val error = ask(world, call).error
                expectEqual(error?.code, PurchasingErrorCode.NOT_SIGNED_IN)
                expect(Messages.ours().text(error!!, Messages.Language.CHINESE).any { it > '\u4e00' })
                expect(Messages.ours().text(error, Messages.Language.ENGLISH).all { it < '\u4e00' })
            }
            checks.check("$name: what the server did not clearly say is an error, and never an empty list") {
                val world = World()
                world.launch()
                val json = "application/json"
                for (answer in listOf(
                    HttpAnswer(200, "text/html", null, "<html>".encodeToByteArray()),
                    HttpAnswer(200, json, null, "{}".encodeToByteArray()),
                    HttpAnswer(200, json, null, "[]".encodeToByteArray()),
                    HttpAnswer(200, json, null, "{\"$name\":{}}".encodeToByteArray()),
                    HttpAnswer(200, json, null, "{\"$name\":[7]}".encodeToByteArray()),
                    HttpAnswer(200, json, null, "{\"$name\":[{\"amount\":\"1\"}]}".encodeToByteArray()),
                    HttpAnswer(404, json, null, "{}".encodeToByteArray()), ScriptedServer.problem(503, "ill"))) {
                    world.server.instead = { if (name in it) answer else null }
                    val got = ask(world, call)
                    expectEqual(got.error?.code, PurchasingErrorCode.SERVER_UNREACHABLE)
                }
                world.server.instead = { if (name in it) ScriptedServer.problem(403, "forbidden") else null }
                expectEqual(ask(world, call).error?.code, PurchasingErrorCode.USER_TOKEN_UNAVAILABLE)
                world.server.instead = { if (name in it) ScriptedServer.problem(422, "not_now") else null }
                expectEqual(ask(world, call).error?.serverCode, "not_now")
                world.server.silence = { ScriptedServer.Silence.BEFORE }
                expectEqual(ask(world, call).error?.code, PurchasingErrorCode.SERVER_UNREACHABLE)
                world.server.silence = { null }
                world.server.instead = { null }
                expectEqual(ask(world, call).value, emptyList<Any>())
            }
            checks.check("$name: an answer that comes after another user signed in is not shown to them (1A.36)") {
                val world = World()
                world.launch()
                world.server.instead = {
                    // The answer is on its way when the user changes.
                    if (name in it) world.act { purchasing -> purchasing.setUser("bert") }
                    null
                }
                expectEqual(ask(world, call).error?.code, PurchasingErrorCode.USER_DIFFERS)
            }
        }
    }
}
