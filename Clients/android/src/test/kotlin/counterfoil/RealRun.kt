package counterfoil

import counterfoil.core.AesSealing
import counterfoil.core.Dependencies
import counterfoil.core.FileVault
import counterfoil.core.HttpAnswer
import counterfoil.core.HttpExchange
import counterfoil.core.HttpRequest
import counterfoil.core.Purchasing
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingPolicies
import counterfoil.core.RecoveryReason
import counterfoil.core.UrlConnectionExchange
import counterfoil.core.Vault
import counterfoil.core.VaultKeys
import counterfoil.core.WeChatApp
import counterfoil.core.WeChatPayRequest
import counterfoil.core.WeChatResponse
import java.io.File
import java.net.HttpURLConnection
import java.net.URL
import javax.crypto.spec.SecretKeySpec
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** Where a run of the app may be killed: between any two of its effects on the outside. */
private class Effects(private val dieAt: Int?) {
    var count = 0

    fun pass() {
        count += 1
        // No clean-up of any kind, as when Android kills a process.
        if (count == dieAt) Runtime.getRuntime().halt(9)
    }
}

private class CountingVault(private val vault: Vault, private val effects: Effects) : Vault {
    override fun read() = vault.read()
    override fun write(document: ByteArray) {
        effects.pass()
        vault.write(document)
        effects.pass()
    }
}

private class CountingExchange(private val effects: Effects) : HttpExchange {
    private val exchange = UrlConnectionExchange()
    override suspend fun send(request: HttpRequest, limitMilliseconds: Long): HttpAnswer {
        effects.pass()
        val answer = exchange.send(request, limitMilliseconds)
        effects.pass()
        return answer
    }
}

/** WeChat on the phone: the customer's visit is one call to the simulator's cashier. */
private class SimulatedWeChat(
    private val simulator: String, private val payer: String, private val visit: JsonObject?,
    private val effects: Effects,
) : WeChatApp {
    private var listener: ((WeChatResponse) -> Unit)? = null
    var visits = 0
    override val appId = "wx0000000000000001"
    override val isRegistered = true
    override suspend fun isInstalled() = true
    override fun listen(listener: (WeChatResponse) -> Unit) { this.listener = listener }

    override suspend fun open(request: WeChatPayRequest): Boolean {
        effects.pass()
        visits += 1
        val told = visit?.get("code")?.jsonPrimitive?.int
        cashier(request)
        effects.pass()
        if (told != null) listener?.invoke(WeChatResponse(told, true, request.prepayId, request.extData))
        return true
    }

    private suspend fun cashier(request: WeChatPayRequest) = withContext(Dispatchers.IO) {
        val connection = URL("$simulator/cashier").openConnection() as HttpURLConnection
        connection.requestMethod = "POST"
        connection.setRequestProperty("Content-Type", "application/json")
        connection.doOutput = true
        val app = buildJsonObject {
            put("appId", JsonPrimitive(request.appId))
            put("partnerId", JsonPrimitive(request.partnerId))
            put("prepayId", JsonPrimitive(request.prepayId))
            put("packageValue", JsonPrimitive(request.packageValue))
            put("nonceStr", JsonPrimitive(request.nonceStr))
            put("timeStamp", JsonPrimitive(request.timeStamp.toLong()))
            put("sign", JsonPrimitive(request.sign))
            put("signType", JsonPrimitive(request.signType))
            put("extData", JsonPrimitive(request.extData))
        }
        val body = buildJsonObject {
            put("app", app)
            put("openid", JsonPrimitive("o-$payer"))
            put("action", visit?.get("action") ?: JsonPrimitive("pay"))
            visit?.get("seconds")?.let { put("seconds", it) }
        }
        connection.outputStream.use { it.write(body.toString().encodeToByteArray()) }
        check(connection.responseCode in 200..299) { "the cashier answered ${connection.responseCode}" }
    }
}

private fun client(script: JsonObject, user: JsonObject, effects: Effects): Pair<Purchasing, SimulatedWeChat> {
    val name = user.getValue("name").jsonPrimitive.content
    val keys = object : VaultKeys {
        private val key = SecretKeySpec(ByteArray(32) { it.toByte() }, "AES")
        override fun existing() = key
        override fun made() = key
    }
    val vault = CountingVault(FileVault(File(user.getValue("vault").jsonPrimitive.content), AesSealing(keys)), effects)
    val weChat = SimulatedWeChat(
        script.getValue("simulator").jsonPrimitive.content, name, user["visit"]?.jsonObject, effects)
    // Quick, so that a run takes seconds; the times themselves are checked in simulated time.
    val policies = PurchasingPolicies(
        orderPauses = listOf(200, 500), purchaseLimit = 30_000, silenceLimit = 2_000, looks = listOf(0, 300, 600),
        recoveryPauses = listOf(500, 500, 500), foregroundPause = 0)
    val token = user.getValue("token").jsonPrimitive.content
    return Purchasing(
        PurchasingConfiguration(script.getValue("server").jsonPrimitive.content, policies = policies) { _, _ -> token },
        vault, CountingExchange(effects), weChat, Dependencies.System()) to weChat
}

private suspend fun visit(script: JsonObject, user: JsonObject, effects: Effects): JsonObject {
    val (purchasing, weChat) = client(script, user, effects)
    val name = user.getValue("name").jsonPrimitive.content
    val outcomes = mutableListOf<String>()
    purchasing.start()
    purchasing.setUser(name)
    var report = purchasing.recover(RecoveryReason.USER_ASKED)
    repeat(3) { if (!report.isComplete) report = purchasing.recover(RecoveryReason.USER_ASKED) }
    val taps = user["taps"]?.jsonPrimitive?.int ?: 0
    val asked = System.currentTimeMillis()
    if (taps > 0) coroutineScope {
        user["foregroundAfter"]?.jsonPrimitive?.int?.let { after ->
            launch {
                while (weChat.visits == 0) delay(20)
                delay(after.toLong())
                purchasing.recover(RecoveryReason.FOREGROUND)
            }
        }
        outcomes += List(taps) {
            async {
                try {
                    purchasing.purchase("coins.100").name
                } catch (error: PurchasingError) {
                    error.weChatCode?.let { "weChat $it" } ?: error.code.word
                }
            }
        }.awaitAll()
    }
    val took = System.currentTimeMillis() - asked
    // What is paid after the caller has heard is granted in the background.
    if (taps > 0) delay(1_000)
    val open = purchasing.openOrders().size
    purchasing.stop()
    return buildJsonObject {
        put("name", JsonPrimitive(name))
        put("outcomes", JsonPrimitive(outcomes.joinToString(" ")))
        put("sheets", JsonPrimitive(weChat.visits))
        put("open", JsonPrimitive(open))
        put("isComplete", JsonPrimitive(report.isComplete))
        put("milliseconds", JsonPrimitive(took))
        put("effects", JsonPrimitive(effects.count))
    }
}

private const val PHONES_AT_ONCE = 8

/** One run of the app for each user of a script, against real processes. Arguments: the script, the result. */
fun main(arguments: Array<String>) {
    val script = Json.parseToJsonElement(File(arguments[0]).readText()).jsonObject
    val effects = Effects(script["dieAt"]?.jsonPrimitive?.int)
    val results = runBlocking {
        // Several phones at a time, each with its own vault.
        script.getValue("users").jsonArray.chunked(PHONES_AT_ONCE).flatMap { users ->
            users.map { async { visit(script, it.jsonObject, effects) } }.awaitAll()
        }
    }
    File(arguments[1]).writeText(results.toString())
}
