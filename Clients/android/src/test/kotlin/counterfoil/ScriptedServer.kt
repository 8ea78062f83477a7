package counterfoil

import counterfoil.core.HttpAnswer
import counterfoil.core.HttpExchange
import counterfoil.core.HttpRequest
import java.io.IOException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonArray
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** The server and its WeChat Pay, in memory: the orders, and which of them were paid. */
class ScriptedServer(private val time: VirtualTime) : HttpExchange {
    class Order(val id: String, val key: String, val user: String, val product: String, val quantity: Int) {
        var state = "awaitingPayment"
        var reference: String? = null
        var closeReason: String? = null
        var verdict: String? = null
        var payments = 0
        val createdAt = "2026-11-26T02:39:37.226Z"
    }

    val orders = mutableListOf<Order>()
    val requests = mutableListOf<String>()

    /** Requests with that word in method and path get no answer. `isDone`: the server executed them. */
    var silence: ((String) -> Silence?) = { null }
    enum class Silence { BEFORE, AFTER }

    /** Answers in place of the server's own. */
    var instead: ((String) -> HttpAnswer?) = { null }
    var appId = "wx0000000000000001"

    /** The lists about the user and the catalog, by their names. */
    val lists = mutableMapOf<String, JsonElement>()

    /** What orders are said to sell, if not what was asked for. */
    var otherProduct: String? = null
    var otherQuantity: Int? = null
    var tokenUser: (String) -> String = { it }
    var refusedTokens = mutableSetOf<String>()

    fun pay(prepayId: String) {
        val order = orders.single { prepay(it) == prepayId }
        // WeChat itself refuses what is closed or paid.
        if (order.state != "awaitingPayment") return
        order.payments += 1
        order.state = "paid"
    }

    fun requests(word: String) = requests.filter { word in it }

    override suspend fun send(request: HttpRequest, limitMilliseconds: Long): HttpAnswer {
        val line = request.method + " " + request.url.substringAfter("/v1")
        requests += line
        val silent = silence(line)
        if (silent == Silence.BEFORE) throw IOException("no network")
        val answer = instead(line) ?: answer(request)
        if (silent == Silence.AFTER) throw IOException("the answer was lost")
        return answer
    }

    private suspend fun answer(request: HttpRequest): HttpAnswer {
        val token = request.fields.getValue("Authorization").removePrefix("Bearer ")
        if (token in refusedTokens) return problem(401, "credential_invalid")
        val user = tokenUser(token)
        val name = request.url.substringAfter("/v1/")
        if (name in setOf("products", "balances", "entitlements")) {
            return json(200, JsonObject(mapOf(name to (lists[name] ?: JsonArray(emptyList())))))
        }
        val path = request.url.substringAfter("/v1/orders").substringBefore('?').split('/').drop(1)
        val query = request.url.substringAfter('?', "")
        if (path.isEmpty()) {
            return if (request.method == "GET") list(user) else create(user, request)
        }
        val order = orders.find { (it.id == path[0] || it.reference == path[0]) && it.user == user }
            ?: return problem(404, "order_unknown")
        when (path.getOrNull(1)) {
            "close" -> if (order.state == "awaitingPayment") order.state = "closed"
            "wechat-pay" -> return json(200, body(order, withParameters = order.state == "awaitingPayment"))
            null -> {
                var left = Regex("wait=(\\d+)").find(query)?.groupValues?.get(1)?.toInt() ?: 0
                while (left > 0 && order.state == "awaitingPayment") {
                    time.sleep(1000)
                    left -= 1
                }
            }
        }
        return json(200, body(order, withParameters = false))
    }

    private fun list(user: String) = json(200, buildJsonObject {
        put("orders", buildJsonArray {
            for (order in orders) if (order.user == user && order.state == "awaitingPayment") add(body(order, false))
        })
    })

    private fun create(user: String, request: HttpRequest): HttpAnswer {
        val key = request.fields.getValue("Idempotency-Key")
        val sent = Json.parseToJsonElement(request.body!!.decodeToString()).jsonObject
        check(sent.getValue("platform").jsonPrimitive.content == "android")
        check(sent.getValue("tradeType").jsonPrimitive.content == "APP")
        check(sent.getValue("store").jsonPrimitive.content == "weChatPay")
        val order = orders.find { it.key == key && it.user == user } ?: Order(
            "01a215b9-070a-7935-97a2-%012d".format(orders.size + 1), key, user,
            sent.getValue("productId").jsonPrimitive.content, sent.getValue("quantity").jsonPrimitive.int,
        ).also {
            it.reference = sent["reference"]?.jsonPrimitive?.content
            orders += it
        }
        return json(201, body(order, withParameters = order.state == "awaitingPayment"))
    }

    private fun prepay(order: Order) = "wx" + order.id.takeLast(6)

    private fun body(order: Order, withParameters: Boolean): JsonObject = buildJsonObject {
        fun put(name: String, value: String?) { if (value != null) put(name, JsonPrimitive(value)) }
        put("id", order.id)
        put("userId", order.user)
        put("productId", otherProduct ?: order.product)
        put("quantity", JsonPrimitive(otherQuantity ?: order.quantity))
        put("store", "weChatPay")
        put("state", order.state)
        put("closeReason", order.closeReason)
        put("createdAt", order.createdAt)
        put("expiresAt", "2026-11-26T04:39:37.226Z")
        order.verdict?.let { verdict ->
            put("lastVerdict", buildJsonObject {
                put("verdict", JsonPrimitive(verdict))
                put("reason", JsonPrimitive("amountDiffers"))
            })
        }
        if (withParameters) put("weChatPay", buildJsonObject {
            put("appId", JsonPrimitive(appId))
            put("partnerId", JsonPrimitive("1900000001"))
            put("prepayId", JsonPrimitive(prepay(order)))
            put("packageValue", JsonPrimitive("Sign=WXPay"))
            put("nonceStr", JsonPrimitive("PEFZ3EMFLEEH6HVX5NRRETGRVX7M4A4V"))
            put("timeStamp", JsonPrimitive(1795660777))
            put("sign", JsonPrimitive("c2lnbmF0dXJl"))
            put("signType", JsonPrimitive("RSA"))
        })
    }

    private fun json(status: Int, body: JsonObject) =
        HttpAnswer(status, "application/json", null, body.toString().encodeToByteArray())

    companion object {
        fun problem(status: Int, code: String, retryAfter: String? = null) = HttpAnswer(
            status, "application/problem+json", retryAfter,
            """{"type":"urn:counterfoil:error:$code","title":"No.","status":$status,"code":"$code"}"""
                .encodeToByteArray())
    }
}
