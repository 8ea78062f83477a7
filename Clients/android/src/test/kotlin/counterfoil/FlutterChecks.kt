package counterfoil

import android.app.Application
import android.content.Context
import com.tencent.mm.opensdk.constants.Build
import com.tencent.mm.opensdk.modelbase.BaseReq
import com.tencent.mm.opensdk.modelpay.PayReq
import com.tencent.mm.opensdk.openapi.IWXAPI
import com.tencent.mm.opensdk.openapi.IWXAPIEventHandler
import com.tencent.mm.opensdk.openapi.WXAPIFactory
import counterfoil.android.CounterfoilAndroid
import counterfoil.core.VaultKeys
import counterfoil.flutter.CounterfoilPlugin
import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.plugin.common.BinaryMessenger
import io.flutter.plugin.common.Codec
import java.io.File
import java.nio.ByteBuffer
import java.nio.file.Files
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The Android half of the plug-in, driven by the recorded messages of `Clients/flutter/test/golden.json`. */
class FlutterChecks(private val checks: Checks, golden: File) {
    private val messages: JsonArray =
        Json.parseToJsonElement(golden.readText()).jsonObject.getValue("messages").jsonArray

    private fun bytes(name: String): ByteArray = messages.map { it.jsonObject }
        .single { it.getValue("name").jsonPrimitive.content == name }.bytes()

    private fun JsonObject.bytes() = getValue("bytes").jsonPrimitive.content.chunked(2)
        .map { it.toInt(16).toByte() }.toByteArray()

    /** A message that was sent, and its reply; null stands for "not implemented". */
    private class Sent {
        var isDone = false
        var reply: ByteArray? = null
    }

    /** The Dart side: it sends recorded bytes, keeps what it gets, and answers for tokens with recorded bytes. */
    private inner class Dart : BinaryMessenger {
        val handlers = mutableMapOf<String, BinaryMessenger.BinaryMessageHandler>()
        val events = mutableListOf<ByteArray?>()
        val asked = mutableListOf<ByteArray>()
        var token: ByteArray? = null

        override fun send(channel: String, message: ByteBuffer?, callback: BinaryMessenger.BinaryReply?) {
            if (channel == "counterfoil_flutter/events") {
                events += message?.let { read(it) }
            } else {
                asked += read(message!!)
                callback?.reply(token?.let { ByteBuffer.wrap(it) })
            }
        }

        override fun setMessageHandler(channel: String, handler: BinaryMessenger.BinaryMessageHandler?) {
            if (handler == null) handlers.remove(channel) else handlers[channel] = handler
        }

        fun call(message: ByteArray, channel: String = "counterfoil_flutter"): Sent {
            val sent = Sent()
            handlers.getValue(channel).onMessage(ByteBuffer.wrap(message)) { reply ->
                sent.reply = reply?.let { read(it) }
                sent.isDone = true
            }
            return sent
        }

        private fun read(buffer: ByteBuffer) = ByteArray(buffer.remaining()).also { buffer.duplicate().get(it) }
    }

    private inner class App {
        val world = World()
        val dart = Dart()
        val sent = mutableListOf<PayReq>()
        var registrations = 0
        private val application = Application().apply { folder = Files.createTempDirectory("counterfoil").toFile() }
        private val keys = object : VaultKeys {
            var key: SecretKey? = null
            override fun existing() = key
            override fun made() = KeyGenerator.getInstance("AES").generateKey().also { key = it }
        }
        private val sdk = object : IWXAPI {
            override fun registerApp(appId: String) = true.also { registrations += 1 }
            override fun isWXAppInstalled() = true
            override fun getWXAppSupportAPI() = Build.PAY_SUPPORTED_SDK_INT
            override fun sendReq(request: BaseReq) = sent.add(request as PayReq)
            override fun handleIntent(intent: android.content.Intent, handler: IWXAPIEventHandler) = false
        }
        lateinit var plugin: CounterfoilPlugin

        fun launch() {
            CounterfoilPlugin.forget()
            WXAPIFactory.made = java.util.function.BiFunction<Context, String, IWXAPI> { _, _ -> sdk }
            world.process = world.time.Process()
            world.server.tokenUser = { it.removePrefix("token-of-") }
            dart.token = bytes("reply of userToken")
            attach()
        }

        /** An engine: at the launch, and after a hot restart. */
        fun attach() {
            plugin = CounterfoilPlugin(world.process.dispatcher) { application, configuration, weChatAppId ->
                CounterfoilAndroid(application, configuration, weChatAppId, world.server, keys, world.process)
            }
            plugin.onAttachedToEngine(FlutterPlugin.FlutterPluginBinding(application, dart))
        }

        fun kill() { world.process.isDead = true }

        fun call(name: String): ByteArray? {
            val sent = dart.call(bytes(name))
            expect(world.time.goOn(200_000) { sent.isDone }) { "$name got no reply" }
            return sent.reply
        }

        fun start(configure: String = "configure") {
            launch()
            for (name in listOf(configure, "setUser")) expectSame(call(name), "reply of nothing")
            expectSame(call("consentGiven"), "reply of consentGiven")
            dart.call(bytes("listen"), "counterfoil_flutter/events")
            world.time.goOn(0)
        }
    }

    private fun expectSame(got: ByteArray?, name: String) {
        val should = bytes(name)
        expect(got != null && got.contentEquals(should)) {
            "$name:\n${got?.joinToString("") { "%02x".format(it) }}\n${should.joinToString("") { "%02x".format(it) }}"
        }
    }

    private fun purchase(way: String, act: (App) -> Unit) {
        val app = App()
        app.start()
        val sent = app.dart.call(bytes("purchase"))
        expect(app.world.time.goOn(60_000) { app.sent.size == 1 })
        act(app)
        expect(app.world.time.goOn(200_000) { sent.isDone })
        expectSame(sent.reply, way)
    }

    fun run() {
        checks.check("recorded: a purchase that is paid, with WeChat's response told by fluwx") {
            purchase("reply of purchase: fulfilled") { app ->
                app.world.server.pay(app.sent.single().prepayId)
                expectSame(app.call("weChatResponded"), "reply of nothing")
            }
        }
        checks.check("recorded: a purchase that is cancelled") {
            purchase("reply of purchase: cancelled") { it.dart.call(bytes("weChatResponded: cancelled")) }
        }
        checks.check("recorded: a lost callback; coming back ends the wait") {
            purchase("reply of purchase: awaitingConfirmation") { it.dart.call(bytes("recover: foreground")) }
        }
        checks.check("recorded: WeChat's number comes with the error, and its text is in the app's language") {
            purchase("error of purchase: WeChat said -1") { it.dart.call(bytes("weChatResponded: failed")) }
        }
        checks.check("recorded: a payment that is held is told as such") {
            purchase("reply of purchase: notGranted") { app ->
                app.world.server.orders.single().verdict = "held"
                app.dart.call(bytes("recover: foreground"))
            }
        }
        checks.check("recorded: events, open orders and the report of a recovery") {
            val app = App()
            app.start()
            app.dart.call(bytes("purchase"))
            expect(app.world.time.goOn(60_000) { app.sent.size == 1 })
            expectSame(app.dart.events[0], "event orderOpen: created")
            expectSame(app.dart.events[1], "event orderOpen: paying")
            expectSame(app.call("openOrders"), "reply of openOrders")
            app.world.server.pay(app.sent.single().prepayId)
            app.dart.call(bytes("recover: foreground"))
            expect(app.world.time.goOn(60_000) { app.dart.events.size >= 4 })
            expectSame(app.dart.events[2], "event orderGranted")
            expectSame(app.dart.events[3], "event orderClosed")
            expectSame(app.call("recover"), "reply of recover")
            app.dart.call(bytes("takeOver"))
            app.world.time.goOn(60_000)
            expect(app.dart.asked.isNotEmpty())
            expectSame(app.dart.asked.first(), "userToken")
        }
        checks.check("recorded: what the article's code stored is judged, and told as an event") {
            val app = App()
            app.start()
            app.dart.call(bytes("purchase"))
            expect(app.world.time.goOn(60_000) { app.sent.size == 1 })
            app.world.server.pay(app.sent.single().prepayId)
            app.world.server.orders.single().reference = "20240117A7"
            expectSame(app.call("takeOver"), "reply of takeOver: all")
            expectSame(app.call("takeOver: a number with a slash"), "reply of takeOver: not that one")
            app.world.time.goOn(60_000)
            expect(app.dart.events.any { it != null && it.contentEquals(bytes("event earlierRecordJudged")) })
        }
        rights()
        refusals()
        restarts()
    }

    private fun rights() {
        checks.check("recorded: products, balances, entitlements and a restore") {
            val app = App()
            app.start()
            fun lists(name: String, json: String) {
                app.world.server.lists[name] = Json.parseToJsonElement(json)
            }
            lists("products", """[{"productId":"coins.100","kind":"consumable","weChatPriceInFen":600,
                "grant":{"unit":"coin","amount":100}},{"productId":"vip.30","kind":"nonRenewing",
                "weChatPriceInFen":1805,"grant":{"entitlement":"vip","periodSeconds":2592000}}]""")
            lists("balances", """[{"unit":"coin","amount":100,"environment":"simulated"}]""")
            val right = """"environment":"production","entitlement""""
            lists("entitlements", """[
                {$right:"vip","store":"appStore","state":"active","expiresAt":"2026-12-26T02:39:37.226Z",
                 "willRenew":true,"renewsTo":"vip.30"},
                {$right:"pro","store":"appStore","state":"gracePeriod","expiresAt":"2026-11-20T02:39:37.226Z",
                 "gracePeriodExpiresAt":"2026-12-06T02:39:37.226Z"},
                {$right:"old","store":"weChatPay","state":"revoked","reason":"refunded"},
                {$right:"new","store":"weChatPay","state":"paused"}]""")
            for (name in listOf("products", "balances", "entitlements", "restorePurchases")) {
                expectSame(app.call(name), "reply of $name")
            }
            lists("balances", """[{"unit":"coin","amount":-5000000000,"environment":"production",
                "frozenSince":"2026-11-26T02:39:37.226Z"}]""")
            expectSame(app.call("balances"), "reply of balances: frozen")
        }
    }

    /** Each error has a stable code, and words for the customer in the language that the app has set. */
    private fun expectError(reply: ByteArray?, name: String, isChinese: Boolean) {
        expect(reply != null && reply[0] == 1.toByte()) { "$name: ${reply?.toList()}" }
        val rest = ByteBuffer.wrap(reply!!, 1, reply.size - 1)
        val code = Codec.read(rest) as String
        expect(code.startsWith("client_")) { "$name: $code" }
        val message = Codec.read(rest) as String
        expect(message.any { it > '\u4e00' } == isChinese && message.isNotEmpty()) { "$name: $message" }
    }

    private fun refusals() {
        val names = messages.map { it.jsonObject.getValue("name").jsonPrimitive.content }
        for (name in names.filter { it.startsWith("bad ") }) for (isChinese in listOf(true, false)) {
            val language = if (isChinese) "Chinese" else "English"
            checks.check("recorded, $name: an error with a code and words in $language, and nothing happens") {
                val app = App()
                app.start(if (isChinese) "configure" else "configure: in English")
                expectError(app.call(name), name, isChinese)
                expectEqual(app.world.server.orders.size, 0)
                expectEqual(app.sent.size, 0)
            }
        }
        for (name in names.filter { it.startsWith("bad configure") } + "configure: without WeChat") {
            checks.check("recorded, $name: nothing starts, and a good one starts it afterwards") {
                val app = App()
                app.launch()
                expectError(app.call(name), name, isChinese = false)
                expectSame(app.call("configure"), "reply of nothing")
            }
        }
        checks.check("recorded: a call before the start is refused, and an unknown one is not implemented") {
            val app = App()
            app.launch()
            expectSame(app.call("purchase"), "error of purchase: not started")
            app.call("configure")
            expectEqual(app.call("unknown"), null)
        }
        checks.check("an app without a token learns it, and nothing is opened") {
            val app = App()
            app.start()
            app.dart.token = null
            expectSame(app.call("purchase"), "error of purchase: no token")
            expectEqual(app.sent.size, 0)
        }
        val apples = listOf(
            "purchase: with an offer", "purchase: with a win-back offer", "requestRefund", "redeemOfferCode",
            "manageSubscriptions")
        for (name in apples) checks.check("recorded, $name: WeChat Pay has none, and nothing is ordered") {
            val app = App()
            app.start()
            expectError(app.call(name), name, isChinese = true)
            expectEqual(app.world.server.orders.size, 0)
        }
        checks.check("before the consent the plug-in touches no SDK (reach.md W9)") {
            val app = App()
            app.launch()
            app.call("configure")
            app.call("setUser")
            val reply = app.call("purchase")
            expect(reply != null && reply[0] == 1.toByte())
            expectEqual(app.registrations, 0)
        }
    }

    private fun restarts() {
        checks.check("a hot restart keeps the client; other values are refused") {
            val app = App()
            app.start()
            app.plugin.onDetachedFromEngine(FlutterPlugin.FlutterPluginBinding(Context(), app.dart))
            app.attach()
            expectSame(app.call("configure"), "reply of nothing")
            val reply = app.call("configure: another server")
            expect(reply != null && reply[0] == 1.toByte())
        }
        for (step in listOf("before WeChat", "after the payment")) {
            checks.check("a kill $step loses and doubles nothing through the channel") {
                val app = App()
                app.start()
                app.dart.call(bytes("purchase"))
                if (step != "before WeChat") {
                    expect(app.world.time.goOn(60_000) { app.sent.size == 1 })
                    app.world.server.pay(app.sent.single().prepayId)
                } else {
                    app.world.time.goOn(0) { app.world.server.requests("POST /orders").isNotEmpty() }
                }
                app.kill()
                app.start()
                app.world.time.goOn(60_000)
                val states = app.world.server.orders.map { it.state }
                expect(states == if (step == "before WeChat") listOf("closed") else listOf("paid")) { "$states" }
                app.dart.events.clear()
                app.dart.call(bytes("listen"), "counterfoil_flutter/events")
                app.world.time.goOn(0)
                expectEqual(app.dart.events.size, 0)
            }
        }
    }
}
