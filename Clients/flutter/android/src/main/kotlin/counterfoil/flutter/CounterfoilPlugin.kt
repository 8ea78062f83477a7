package counterfoil.flutter

import android.app.Application
import android.content.Context
import android.os.Handler
import android.os.Looper
import counterfoil.android.CounterfoilAndroid
import counterfoil.core.EarlierRecord
import counterfoil.core.Messages
import counterfoil.core.OrderRequest
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.RecoveryReason
import counterfoil.core.WeChatResponse
import io.flutter.embedding.engine.plugins.FlutterPlugin
import io.flutter.plugin.common.EventChannel
import io.flutter.plugin.common.MethodCall
import io.flutter.plugin.common.MethodChannel
import java.io.Closeable
import kotlin.coroutines.resume
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import kotlinx.coroutines.suspendCancellableCoroutine

/** The Android half of `counterfoil_flutter`: it translates, and decides nothing. */
class CounterfoilPlugin internal constructor(
    private val dispatcher: CoroutineDispatcher, private val makeClient: ClientMaker,
) : FlutterPlugin, MethodChannel.MethodCallHandler, EventChannel.StreamHandler {
    /** Makes the client of the process. Tests hand in another. */
    internal fun interface ClientMaker {
        fun make(
            application: Application, configuration: PurchasingConfiguration, weChatAppId: String,
        ): CounterfoilAndroid
    }

    constructor() : this(Dispatchers.Default, ClientMaker { application, configuration, weChatAppId ->
        CounterfoilAndroid(application, configuration, weChatAppId)
    })

    private val main = Handler(Looper.getMainLooper())
    private var scope = CoroutineScope(SupervisorJob() + dispatcher)
    private var context: Context? = null
    private var calls: MethodChannel? = null
    private var events: EventChannel? = null
    private var listening: Closeable? = null

    override fun onAttachedToEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        context = binding.applicationContext
        scope = CoroutineScope(SupervisorJob() + dispatcher)
        calls = MethodChannel(binding.binaryMessenger, CHANNEL).also {
            it.setMethodCallHandler(this)
            // The newest engine answers for tokens: after a hot restart the old one is gone.
            tokens = it
        }
        events = EventChannel(binding.binaryMessenger, EVENTS).also { it.setStreamHandler(this) }
    }

    override fun onDetachedFromEngine(binding: FlutterPlugin.FlutterPluginBinding) {
        calls?.setMethodCallHandler(null)
        events?.setStreamHandler(null)
        if (tokens === calls) tokens = null
        onCancel(null)
        scope.cancel()
    }

    // MARK: calls

    override fun onMethodCall(call: MethodCall, result: MethodChannel.Result) {
        scope.launch {
            try {
                val value = answer(call.method, Arguments(call.arguments))
                main.post { if (value === NotImplemented) result.notImplemented() else result.success(value) }
            } catch (error: PurchasingError) {
                val text = current?.messages?.text(error) ?: texts.text(error, Messages.Language.ENGLISH)
                main.post { result.error(error.code.word, text, ChannelMessages.details(error)) }
            }
        }
    }

    private object NotImplemented

    private suspend fun answer(method: String, arguments: Arguments): Any? {
        if (method == "configure") return configure(arguments)
        val client = current ?: throw PurchasingError(PurchasingErrorCode.NOT_RUNNING, "Call Counterfoil.start first.")
        val purchasing = client.android.purchasing
        when (method) {
            "consentGiven" -> return client.android.consentGiven()
            "setUser" -> purchasing.setUser(arguments.optionalText("user"))
            "purchase" -> return client.messages.outcome(purchasing.purchase(request(arguments)))
            "recover" -> return client.messages.report(
                purchasing.recover(ChannelMessages.reason(arguments.optionalText("reason"))))
            "openOrders" -> return purchasing.openOrders().map { client.messages.order(it) }
            "restorePurchases" -> return client.messages.restored(purchasing.recover(RecoveryReason.USER_ASKED))
            "products" -> return client.messages.products(purchasing.products())
            "balances" -> return purchasing.balances().map { client.messages.balance(it) }
            "entitlements" -> return purchasing.entitlements().map { client.messages.entitlement(it) }
            "takeOver" -> return purchasing.takeOver(arguments.list("records").map {
                EarlierRecord(it.text("reference"), it.text("user"))
            }).map { it.reference }
            "requestRefund", "redeemOfferCode", "manageSubscriptions" -> {
                if (method == "requestRefund") arguments.text("order")
                throw onlyApples("$method is a sheet of the App Store.")
            }
            "weChatResponded" -> client.android.weChat.receive(WeChatResponse(
                arguments.optionalNumber("errCode") ?: throw ChannelMessages.wrong("no errCode"), true,
                arguments.optionalText("prepayId"), arguments.optionalText("extData")))
            else -> return NotImplemented
        }
        return null
    }

    private fun request(arguments: Arguments): OrderRequest {
        if (arguments.optionalText("store") !in setOf(null, "weChatPay")) {
            throw PurchasingError(
                PurchasingErrorCode.CONFIGURATION_INVALID, "On Android the store is WeChat Pay: leave `store` out.")
        }
        for (offer in listOf("promotionalOffer", "winBackOffer")) {
            if (arguments.optionalText(offer) != null) throw onlyApples("$offer is an offer of the App Store.")
        }
        return OrderRequest(
            arguments.text("productId"), arguments.optionalNumber("quantity") ?: 1,
            arguments.optionalText("reference"), arguments.optionalText("scene"))
    }

    private fun onlyApples(what: String) =
        PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "$what WeChat Pay has none.")

    /** One client for the process: a hot restart gets the same one. */
    private suspend fun configure(arguments: Arguments): Any? {
        val asked = listOf(
            arguments.text("server"), arguments.text("weChatAppId"), arguments.optionalText("language") ?: "zh")
        val running = current
        if (running != null) {
            if (running.asked == asked) return null
            throw PurchasingError(
                PurchasingErrorCode.CONFIGURATION_INVALID, "It was started with other values: start the app anew.")
        }
        val language = Messages.Language.entries.find { it.word == asked[2] }
            ?: throw ChannelMessages.wrong("language \"${asked[2]}\"")
        val application = context as? Application
            ?: throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "There is no Application.")
        val configuration = PurchasingConfiguration(asked[0], language) { user, wasRefused -> token(user, wasRefused) }
        val client = Client(
            makeClient.make(application, configuration, asked[1]), ChannelMessages(texts, language), asked)
        current = client
        client.android.purchasing.start()
        return null
    }

    // MARK: the other way

    /** The token of a user, from the app's Dart code. */
    private suspend fun token(user: String, wasRefused: Boolean): String? = suspendCancellableCoroutine { waiting ->
        val answer = object : MethodChannel.Result {
            override fun success(result: Any?) = end(result as? String)
            override fun error(errorCode: String, errorMessage: String?, errorDetails: Any?) = end(null)
            override fun notImplemented() = end(null)
            private fun end(token: String?) { if (waiting.isActive) waiting.resume(token) }
        }
        val channel = tokens
        if (channel == null) {
            waiting.resume(null)
        } else {
            main.post { channel.invokeMethod("userToken", mapOf("user" to user, "wasRefused" to wasRefused), answer) }
        }
    }

    override fun onListen(arguments: Any?, sink: EventChannel.EventSink) {
        scope.launch {
            val client = current
            if (client == null) {
                main.post {
                    sink.error(PurchasingErrorCode.NOT_RUNNING.word, "Call Counterfoil.start first.", null)
                    sink.endOfStream()
                }
                return@launch
            }
            listening?.close()
            listening = client.android.purchasing.listen { event ->
                main.post { sink.success(client.messages.event(event)) }
            }
        }
    }

    override fun onCancel(arguments: Any?) {
        listening?.close()
        listening = null
    }

    private class Client(val android: CounterfoilAndroid, val messages: ChannelMessages, val asked: List<String>)

    internal companion object {
        const val CHANNEL = "counterfoil_flutter"
        const val EVENTS = "counterfoil_flutter/events"
        private val texts by lazy { Messages.ours() }

        @Volatile
        private var current: Client? = null

        @Volatile
        private var tokens: MethodChannel? = null

        /** For tests: the process ends. */
        fun forget() {
            current = null
            tokens = null
        }
    }
}
