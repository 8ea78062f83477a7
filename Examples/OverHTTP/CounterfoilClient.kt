// Counterfoil over HTTP alone, for Android: WeChat Pay through WeChat's OpenSDK.
//
// NOT COMPILED HERE: our tests have no Kotlin. The steps are those of Clients/javascript, which they do run. Written for
// Kotlin 2, kotlinx.coroutines 1.8, Android 8 or later, OpenSDK 6.8. Copy the file and change what you like. The page
// docs/http-alone.md says why it is so. A server without WeChat Pay refuses such orders with `store_not_configured`;
// `purchase` then says `NO_ORDER`.
//
//   val shop = CounterfoilClient(context, "https://gateway.example", user, weChatAppId) { session() }
//   lifecycleScope.launch { shop.start() }             // once, at launch, after sign-in: completes what is open
//   override fun onResume() { lifecycleScope.launch { shop.foreground() } }
//   val outcome = shop.purchase("coins.100")
//   // In WXPayEntryActivity.onResp, for ConstantsAPI.COMMAND_PAY_BY_WX: shop.returned(response.errCode)
//
// There is no evidence on an Android phone: WeChat's response proves nothing and may never come. The server asks
// WeChat, and each path back leads to the same question.
package example.shop

import android.content.Context
import android.util.AtomicFile
import com.tencent.mm.opensdk.modelpay.PayReq
import com.tencent.mm.opensdk.openapi.WXAPIFactory
import java.io.File
import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.util.UUID
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.json.JSONArray
import org.json.JSONException
import org.json.JSONObject

class CounterfoilClient(
    context: Context,
    /** Counterfoil, or your own gateway. */
    private val server: String,
    private val user: String,
    private val weChatAppId: String,
    /** A user token, or your own session. */
    private val credential: suspend () -> String,
) {
    /** `CLOSED`: the order ended unpaid. */
    enum class Outcome {
        BOUGHT, CLOSED, AWAITING_CONFIRMATION, NO_ORDER, EARLIER_ORDER_OPEN, WECHAT_MISSING, WRONG_WECHAT_APP
    }

    private companion object {
        const val SILENCE = 30_000L // milliseconds after which the response counts as lost
        const val REQUEST_LIMIT = 10_000
        val PAUSES = listOf(0L, 5L, 10L, 20L, 30L) // seconds between questions; unpaid at first is not unpaid for good
    }

    private val weChat = WXAPIFactory.createWXAPI(context, weChatAppId).apply { registerApp(weChatAppId) }

    // Replaced as a whole and synced: after a kill it is the old one or the new one. Backups do not carry it elsewhere.
    private val vault = AtomicFile(File(context.noBackupFilesDir, "counterfoil.json"))
    private var kept = JSONObject("""{"version":1,"orders":{},"usersKnown":[]}""")
    private val turn = Mutex() // one change of the records at a time
    private var sheet: CompletableDeferred<Int>? = null // of the payment that is open now
    private val ended = mutableMapOf<String, String>() // by idempotency key: what the server said, "paid" or "closed"

    private val orders get() = kept.getJSONObject("orders") // by idempotency key, which exists before the order does

    /** Launch: reads the vault and completes what an earlier run left open. */
    suspend fun start() {
        withContext(Dispatchers.IO) {
            // A vault that cannot be read starts no payment: the error is yours.
            if (vault.baseFile.exists()) kept = JSONObject(vault.readFully().decodeToString())
        }
        recover()
    }

    /** Back in the foreground: the response may have been lost while WeChat was open, so the server is asked. */
    suspend fun foreground() {
        turn.withLock { askAboutOrders() }
        // Whoever waits beside an open sheet waits no longer: the question decides.
        sheet?.complete(-2)
    }

    /** WeChat's response. Its code is for messages alone; every code leads to the same question. */
    fun returned(errCode: Int) {
        sheet?.complete(errCode)
    }

    /** Completes what is open, from vault and server. Safe at any time, as often as you like. */
    suspend fun recover() = turn.withLock {
        adoptOpenOrders()
        for (key in mine().filter { orders.getJSONObject(it).getString("state") == "requested" }) makeOrder(key)
        askAboutOrders()
    }

    suspend fun purchase(productId: String, quantity: Int = 1): Outcome {
        if (!weChat.isWXAppInstalled) return Outcome.WECHAT_MISSING
        recover()
        // An order that was opened in WeChat can still be paid there: first its end, then another of the same product.
        for (earlier in mine().filter { orders.getJSONObject(it).getString("productId") == productId }) {
            turn.withLock { endEarlier(earlier) }?.let { return it }
        }
        val key = UUID.randomUUID().toString()
        // In one turn: between two of them somebody would close an order that WeChat has not seen yet.
        val parameters = turn.withLock {
            val record = JSONObject().put("user", user).put("productId", productId)
                .put("quantity", quantity).put("state", "requested")
            orders.put(key, record)
            write() // before the request: a lost answer must not lose the order
            if (!makeOrder(key)) return Outcome.NO_ORDER
            val signed = record.getJSONObject("order").getJSONObject("weChatPay")
            if (signed.getString("appId") != weChatAppId) return Outcome.WRONG_WECHAT_APP // tell an administrator
            record.put("state", "paying")
            write() // before WeChat opens: a charge must never be without its order
            signed
        }
        val open = CompletableDeferred<Int>().also { sheet = it } // an earlier response does not answer for this one
        if (launchWeChat(parameters)) withTimeoutOrNull(SILENCE) { open.await() }
        sheet = null
        for (pause in PAUSES) {
            delay(pause * 1000)
            turn.withLock { askAbout(key, wait = 5) }
            // A record that is gone is not a record that is paid: the server's word decides.
            if (!orders.has(key)) return if (ended[key] == "paid") Outcome.BOUGHT else Outcome.CLOSED
        }
        return Outcome.AWAITING_CONFIRMATION // the waiting ends, the order does not
    }

    /** Closes an order, which the server does at WeChat, too; what must be said instead of buying, if anything. */
    private suspend fun endEarlier(key: String): Outcome? {
        val order = orders.optJSONObject(key)?.optJSONObject("order") ?: return null
        val (status, answer) = ask("POST", "/v1/orders/${order.getString("id")}/close", JSONObject())
        val state = if (status == 200) answer?.optString("state") else null
        if (state != "paid" && state != "closed") return Outcome.EARLIER_ORDER_OPEN // nobody knows: not now
        orders.remove(key)
        write()
        return if (state == "paid") Outcome.BOUGHT else null
    }

    private fun launchWeChat(parameters: JSONObject): Boolean {
        val request = PayReq().apply {
            appId = parameters.getString("appId")
            partnerId = parameters.getString("partnerId")
            prepayId = parameters.getString("prepayId")
            packageValue = parameters.getString("packageValue")
            nonceStr = parameters.getString("nonceStr")
            timeStamp = parameters.getString("timeStamp")
            sign = parameters.getString("sign")
            signType = parameters.optString("signType")
            extData = parameters.optString("extData")
        }
        return weChat.sendReq(request)
    }

    private fun mine() =
        orders.keys().asSequence().toList().filter { orders.getJSONObject(it).getString("user") == user }

    private suspend fun makeOrder(key: String): Boolean {
        val record = orders.getJSONObject(key)
        val body = JSONObject().put("productId", record.getString("productId"))
            .put("quantity", record.getInt("quantity")).put("store", "weChatPay").put("tradeType", "APP")
            .put("platform", "android")
        for (pause in listOf(0L, 1L, 3L)) {
            delay(pause * 1000)
            val (status, answer) = ask("POST", "/v1/orders", body, key)
            if (status == 200 || status == 201) {
                record.put("order", answer).put("state", "created")
                write()
                return true
            }
            if (status in listOf(400, 404, 409, 422)) {
                orders.remove(key) // the server refused to make it: there is none
                write()
                return false
            }
        }
        return false // nobody knows; the next launch asks again under the same key
    }

    /** A new device, or storage that was cleared: the server's list stands in for the vault. */
    private suspend fun adoptOpenOrders() {
        val usersKnown = kept.getJSONArray("usersKnown")
        if ((0 until usersKnown.length()).any { usersKnown.getString(it) == user }) return
        val (status, answer) = ask("GET", "/v1/orders?open=true&limit=100")
        if (status != 200) return
        val known = mine().map { orders.getJSONObject(it).optJSONObject("order")?.optString("id") }
        val listed = answer?.optJSONArray("orders") ?: JSONArray()
        for (order in (0 until listed.length()).map { listed.getJSONObject(it) }) {
            val id = order.getString("id")
            if (id in known) continue
            val record = JSONObject().put("user", user).put("productId", order.getString("productId"))
                .put("quantity", order.getInt("quantity")).put("state", "paying").put("order", order)
            orders.put(id, record)
        }
        usersKnown.put(user)
        write()
    }

    private suspend fun askAboutOrders() {
        for (key in mine()) askAbout(key, wait = 0)
    }

    /** The server asks WeChat itself; only its word ends a record. */
    private suspend fun askAbout(key: String, wait: Int) {
        val record = orders.optJSONObject(key) ?: return
        val order = record.optJSONObject("order") ?: return
        val path = "/v1/orders/" + order.getString("id")
        val (status, answer) = if (record.getString("state") == "created") { // WeChat was never opened for it
            ask("POST", "$path/close", JSONObject())
        } else {
            ask("GET", if (wait == 0) path else "$path?wait=$wait", wait = wait)
        }
        val state = answer?.optString("state").orEmpty()
        if (status == 200 && (state == "paid" || state == "closed")) {
            ended[key] = state
            orders.remove(key)
            write()
        }
    }

    /** Status and answer; 0 when there was no answer: whether it was done, nobody knows. */
    private suspend fun ask(
        method: String, path: String, body: JSONObject? = null, key: String? = null, wait: Int = 0,
    ): Pair<Int, JSONObject?> = withContext(Dispatchers.IO) {
        try {
            val token = credential()
            val connection = URL(server + path).openConnection() as HttpURLConnection
            connection.requestMethod = method
            connection.connectTimeout = REQUEST_LIMIT
            connection.readTimeout = REQUEST_LIMIT + wait * 1000
            connection.setRequestProperty("Authorization", "Bearer $token")
            if (key != null) connection.setRequestProperty("Idempotency-Key", key)
            if (body != null) {
                connection.setRequestProperty("Content-Type", "application/json")
                connection.doOutput = true
                connection.outputStream.use { it.write(body.toString().encodeToByteArray()) }
            }
            val status = connection.responseCode
            val stream = if (status < 400) connection.inputStream else connection.errorStream
            val text = stream?.use { it.readBytes().decodeToString() }.orEmpty()
            status to (if (text.isEmpty()) null else JSONObject(text))
        } catch (_: IOException) {
            0 to null
        } catch (_: JSONException) {
            0 to null
        }
    }

    private suspend fun write() = withContext(Dispatchers.IO) {
        val stream = vault.startWrite()
        try {
            stream.write(kept.toString().encodeToByteArray())
            vault.finishWrite(stream) // syncs, then replaces
        } catch (error: IOException) {
            vault.failWrite(stream)
            throw error
        }
    }
}
