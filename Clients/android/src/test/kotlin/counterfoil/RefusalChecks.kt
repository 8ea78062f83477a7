package counterfoil

import counterfoil.core.EarlierRecord
import counterfoil.core.HttpAnswer
import counterfoil.core.Messages
import counterfoil.core.OrderRequest
import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.Purchasing
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.PurchasingPolicies
import counterfoil.core.RecoveryReason
import counterfoil.core.UrlConnectionExchange
import counterfoil.core.Vault

/** Bad input and refusals: each is a clear error in both languages, and nothing is lost. */
class RefusalChecks(private val checks: Checks) {
    private fun error(
        code: PurchasingErrorCode, prepare: (World) -> Unit, request: OrderRequest = OrderRequest("coins.100"),
    ) {
        val world = World()
        prepare(world)
        world.launch()
        val tap = world.tap(request)
        expect(world.time.goOn(200_000) { tap.isDone })
        expectEqual(tap.error?.code, code)
        expectEqual(world.opened.size, 0)
        val texts = Messages.ours()
        expect(texts.text(tap.error!!, Messages.Language.ENGLISH).isNotEmpty())
        expect(texts.text(tap.error!!, Messages.Language.CHINESE).any { it > '\u4e00' })
    }

    fun run() {
        checks.check("WeChat that is not installed opens nothing and makes no order (1A.6)") {
            error(PurchasingErrorCode.WECHAT_NOT_INSTALLED, { it.isInstalled = false })
        }
        checks.check("an order for another WeChat app opens nothing (1A.7)") {
            error(PurchasingErrorCode.WECHAT_APP_DIFFERS, { it.server.appId = "wx-of-another" })
        }
        checks.check("before the customer's consent nothing is opened (reach.md W9)") {
            error(PurchasingErrorCode.NOT_RUNNING, { it.isRegistered = false })
        }
        checks.check("a vault that cannot be written starts no payment (X7)") {
            error(PurchasingErrorCode.VAULT_UNAVAILABLE, { it.vaultFails = true })
        }
        checks.check("a vault of a newer version starts no payment, and is not overwritten") {
            val newer = """{"version":2,"orders":[]}"""
            val world = World()
            world.document = newer.encodeToByteArray()
            world.launch()
            val tap = world.tap()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.VAULT_UNAVAILABLE)
            expectEqual(world.records, newer)
        }
        for (quantity in listOf(0, -1, 11, Int.MAX_VALUE)) {
            checks.check("$quantity pieces cannot be bought") {
                error(PurchasingErrorCode.QUANTITY_NOT_ALLOWED, {}, OrderRequest("coins.100", quantity))
            }
        }
        for (product in listOf("", "x".repeat(256))) {
            checks.check("a product id of ${product.length} bytes is refused") {
                error(PurchasingErrorCode.CONFIGURATION_INVALID, {}, OrderRequest(product))
            }
        }
        for (reference in listOf("", "a/b", "..", "x".repeat(65), "a\nb")) {
            checks.check("an own number that no path can carry is refused: ${reference.length} characters") {
                error(PurchasingErrorCode.CONFIGURATION_INVALID, {}, OrderRequest("coins.100", reference = reference))
            }
        }
        for (scene in listOf("", "x".repeat(65), "界".repeat(22))) {
            checks.check("a scene of ${scene.encodeToByteArray().size} bytes is refused") {
                error(PurchasingErrorCode.CONFIGURATION_INVALID, {}, OrderRequest("coins.100", scene = scene))
            }
        }
        val wrong = mapOf(
            "no time for a request" to PurchasingPolicies(requestLimit = 0),
            "a negative pause" to PurchasingPolicies(orderPauses = listOf(-1)),
            "no look at the order" to PurchasingPolicies(looks = emptyList()))
        for ((name, policies) in wrong) {
            checks.check("policies with $name are refused at once") {
                try {
                    PurchasingConfiguration("https://pay.example.com", policies = policies) { _, _ -> null }.check()
                    throw Checks.Failed("they were taken")
                } catch (error: PurchasingError) {
                    expectEqual(error.code, PurchasingErrorCode.CONFIGURATION_INVALID)
                }
            }
        }
        checks.check("a server that refuses the order leaves no record, and its code is told") {
            val world = World()
            world.launch()
            world.server.instead = {
                if (it == "POST /orders") ScriptedServer.problem(422, "product_unknown") else null
            }
            val tap = world.tap()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.SERVER_REFUSED)
            expectEqual(tap.error?.serverCode, "product_unknown")
            expectEqual(world.openRecords, 0)
        }
        checks.check("a gateway that answers in the server's place refused nothing: the request is kept and repeated") {
            val world = World()
            world.launch()
            val gateway = HttpAnswer(404, "application/json", null, "{}".encodeToByteArray())
            world.server.instead = { if (it == "POST /orders") gateway else null }
            val tap = world.tap()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.SERVER_UNREACHABLE)
            expectEqual(world.openRecords, 1)
            expectEqual(world.server.requests("POST /orders").size, 3)
        }
        val hostile = listOf(
            "a portal's page" to HttpAnswer(200, "text/html", null, "<html>".encodeToByteArray()),
            "a gateway's 404" to HttpAnswer(404, "text/html", null, "gone".encodeToByteArray()),
            "a 404 that is JSON and no problem" to HttpAnswer(404, "application/json", null, "{}".encodeToByteArray()),
            "a list" to HttpAnswer(200, "application/json", null, "[1]".encodeToByteArray()),
            "no UTF-8" to HttpAnswer(200, "application/json", null, byteArrayOf(-1, -2)),
            "a deep nest" to HttpAnswer(200, "application/json", null, "[".repeat(100_000).encodeToByteArray()),
            "an order without an id" to
                HttpAnswer(200, "application/json", null, "{\"state\":\"paid\"}".encodeToByteArray()),
            "an unknown state" to HttpAnswer(
                200, "application/json", null,
                "{\"id\":\"01a215b9-070a-7935-97a2-000000000001\",\"state\":\"given\"}".encodeToByteArray()),
            "a server that is ill" to ScriptedServer.problem(503, "unavailable"),
        )
        for ((name, answer) in hostile) {
            checks.check("$name in place of an answer decides nothing, and the order is kept") {
                val world = World()
                world.launch()
                world.server.instead = { if ("GET /orders/" in it) answer else null }
                val tap = world.tap()
                expect(world.time.goOn(200_000) { tap.isDone })
                expect(tap.outcome is PurchaseOutcome.AwaitingConfirmation) { "${tap.outcome} ${tap.error}" }
                // The questions in the background and those of a recovery get the same answer.
                world.act { it.recover(RecoveryReason.USER_ASKED) }
                world.time.goOn(60_000)
                expectEqual(world.openRecords, 1)
                world.server.instead = { null }
                world.act { it.recover(RecoveryReason.USER_ASKED) }
                world.time.goOn(60_000)
                expectEqual(world.openRecords, 0)
                expectEqual(world.granted, 1)
                expect(PurchaseEvent.OrderGranted(world.server.orders.single().id) in world.events)
            }
        }
        checks.check("an order that the server does not know any more stays in the vault") {
            val world = World()
            world.launch()
            world.server.instead = {
                if ("GET /orders/" in it) ScriptedServer.problem(404, "order_unknown") else null
            }
            val tap = world.tap()
            expect(world.time.goOn(200_000) { tap.isDone })
            world.time.goOn(300_000)
            expectEqual(world.openRecords, 1)
        }
        checks.check("a refused token is asked for once more, and a second refusal is told") {
            val world = World()
            world.launch()
            world.server.refusedTokens += "token-of-alice"
            val tap = world.tap()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.USER_TOKEN_UNAVAILABLE)
        }
        checks.check("an order of another product or quantity opens nothing (S13)") {
            error(PurchasingErrorCode.ORDER_DIFFERS, { it.server.otherProduct = "coins.1" })
            error(PurchasingErrorCode.ORDER_DIFFERS, { it.server.otherQuantity = 10 })
        }
        checks.check("an order of another user opens nothing (S7)") {
            val world = World()
            world.launch()
            world.server.tokenUser = { "mallory" }
            val tap = world.tap()
            expect(world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.USER_DIFFERS)
            expectEqual(world.opened.size, 0)
        }
        val addresses = listOf(
            "", "pay.example.com", "http://pay.example.com", "ftp://x", "https://", "https://a@b/", "https://x y")
        for (server in addresses) {
            checks.check("the server address \"$server\" is refused at once") {
                val world = World()
                world.process = world.time.Process()
                try {
                    Purchasing(
                        PurchasingConfiguration(server) { _, _ -> null }, object : Vault {
                            override fun read(): ByteArray? = null
                            override fun write(document: ByteArray) {}
                        },
                        UrlConnectionExchange(), null, world.process)
                    throw Checks.Failed("it was taken")
                } catch (error: PurchasingError) {
                    expectEqual(error.code, PurchasingErrorCode.CONFIGURATION_INVALID)
                }
            }
        }
        checks.check("each error and each outcome has a text in both languages") {
            val texts = Messages.ours()
            for (code in PurchasingErrorCode.entries) {
                for (language in Messages.Language.entries) {
                    expect(texts.text(PurchasingError(code), language).isNotEmpty())
                }
            }
            for (code in -6..0) texts.text(
                PurchasingError(PurchasingErrorCode.WECHAT_FAILED, weChatCode = code), Messages.Language.CHINESE)
            for (verdict in listOf("held", "revoked")) {
                texts.text(PurchaseOutcome.NotGranted("o", verdict, null), Messages.Language.ENGLISH)
            }
            for (outcome in listOf(
                PurchaseOutcome.Fulfilled("o", false), PurchaseOutcome.Fulfilled("o", true),
                PurchaseOutcome.Cancelled("o"), PurchaseOutcome.AwaitingConfirmation("o"))) {
                texts.text(outcome, Messages.Language.CHINESE)
            }
            for (event in listOf(
                PurchaseEvent.OrderClosed("o"), PurchaseEvent.OrderGranted("o"), PurchaseEvent.NotConfirmed("o"),
                PurchaseEvent.SlowCallback("o"), PurchaseEvent.EarlierRecordJudged("1", "fulfilled"))) {
                texts.text(event, Messages.Language.CHINESE)
            }
            texts.replace("outcome.fulfilled", "Enjoy!", "金币已到账！")
            expectEqual(texts.text(PurchaseOutcome.Fulfilled("o", false), Messages.Language.ENGLISH), "Enjoy!")
        }
        checks.check("the number of an old `orderId¥status` is read, and what is none is not") {
            expectEqual(EarlierRecord.reference("20240117A7¥pending"), "20240117A7")
            expectEqual(EarlierRecord.reference("20240117A7"), "20240117A7")
            for (text in listOf("", "¥pending", "a/b¥cancel", "x".repeat(65))) {
                expectEqual(EarlierRecord.reference(text), null)
            }
        }
    }
}
