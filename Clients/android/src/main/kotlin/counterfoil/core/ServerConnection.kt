package counterfoil.core

import java.io.IOException
import kotlinx.coroutines.CoroutineScope
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** The result of a call. Only `Answered` and `Refused` are facts. */
internal sealed interface Reply<out Value> {
    class Answered<Value>(val value: Value) : Reply<Value>

    /** The server refused it: it had no effect, and the same call will fail again. */
    class Refused(val status: Int, val code: String, val title: String) : Reply<Nothing> {
        val isAboutToken get() = status == 401 || status == 403
    }

    /** Nobody knows whether it had an effect: it is repeated later. */
    class Unknown(val why: String, val retryAfter: Long?) : Reply<Nothing>
    object NoToken : Reply<Nothing>

    /** The answer of a call that is not repeated. */
    fun orThrow(): Value = when (this) {
        is Answered -> value
        is NoToken -> throw PurchasingError(PurchasingErrorCode.USER_TOKEN_UNAVAILABLE)
        is Refused -> throw PurchasingError(
            if (isAboutToken) PurchasingErrorCode.USER_TOKEN_UNAVAILABLE else PurchasingErrorCode.SERVER_REFUSED,
            title, serverCode = code)
        is Unknown -> throw PurchasingError(PurchasingErrorCode.SERVER_UNREACHABLE, why)
    }
}

/** The calls of the server's API. Each is one request and one reply; each may be repeated safely. */
internal class ServerConnection(
    private val configuration: PurchasingConfiguration, private val exchange: HttpExchange,
    private val dependencies: Dependencies, private val scope: CoroutineScope,
) {
    private val base = configuration.server.trimEnd('/')

    /** The same key always means the same order: a repeat returns its present state. */
    suspend fun createOrder(record: OrderRecord) =
        order(record.user, "POST", "/v1/orders", OrderRecord.body(record.request), key = record.id)

    /** Reading an order makes the server ask WeChat Pay. With a wait: until it is paid, or the wait ends. */
    suspend fun order(user: String, id: String, waitSeconds: Long = 0) =
        order(user, "GET", "/v1/orders/$id" + if (waitSeconds > 0) "?wait=$waitSeconds" else "", wait = waitSeconds)

    suspend fun close(user: String, id: String) = order(user, "POST", "/v1/orders/$id/close", JsonObject(emptyMap()))

    /** New parameters for WeChat. */
    suspend fun prepare(user: String, id: String) =
        order(user, "POST", "/v1/orders/$id/wechat-pay", JsonObject(emptyMap()))

    /** The user's open orders at the server, for a device without records. */
    suspend fun openOrders(user: String): Reply<List<OrderBody>> =
        asUser(user, "GET", "/v1/orders?open=true&limit=100") { readList(it, "orders", OrderBody::read) }

    suspend fun products(user: String) = asUser(user, "GET", "/v1/products") { readList(it, "products", Product::read) }

    suspend fun balances(user: String) = asUser(user, "GET", "/v1/balances") { readList(it, "balances", Balance::read) }

    suspend fun entitlements(user: String) =
        asUser(user, "GET", "/v1/entitlements") { readList(it, "entitlements", Entitlement::read) }

    private suspend fun order(
        user: String, method: String, path: String, body: JsonObject? = null, key: String? = null, wait: Long = 0,
    ) = asUser(user, method, path, body, key, wait) { OrderBody.read(it) }

    /** If the server refuses the token, the app is asked once for a new one. */
    private suspend fun <Value> asUser(
        user: String, method: String, path: String, body: JsonObject? = null, key: String? = null, wait: Long = 0,
        read: (JsonElement) -> Value,
    ): Reply<Value> {
        val token = token(user, wasRefused = false) ?: return Reply.NoToken
        val reply = send(token, method, path, body, key, wait, read)
        if (reply !is Reply.Refused || reply.status != 401) return reply
        val fresh = token(user, wasRefused = true)
        return if (fresh == null || fresh == token) reply else send(fresh, method, path, body, key, wait, read)
    }

    private suspend fun token(user: String, wasRefused: Boolean): String? {
        val token = scope.limited(configuration.policies.requestLimit, dependencies) {
            configuration.userToken(user, wasRefused)
        }
        return token?.takeIf { it.isNotEmpty() && it.all { character -> character in '!'..'~' } }
    }

    private suspend fun <Value> send(
        token: String, method: String, path: String, body: JsonObject?, key: String?, wait: Long,
        read: (JsonElement) -> Value,
    ): Reply<Value> {
        val fields = mutableMapOf(
            "Authorization" to "Bearer $token", "Accept" to "application/json, $PROBLEM",
            "Accept-Language" to configuration.language.word)
        if (body != null) fields["Content-Type"] = "application/json"
        if (key != null) fields["Idempotency-Key"] = key
        val limit = configuration.policies.requestLimit + wait * 1000
        val request = HttpRequest(method, base + path, fields, body?.toString()?.encodeToByteArray())
        var failure = "There was no answer in time."
        val answer = scope.limited(limit, dependencies) {
            try {
                exchange.send(request, limit)
            } catch (error: IOException) {
                failure = error.javaClass.simpleName
                null
            }
        } ?: return Reply.Unknown(failure, null)
        return reply(answer, read)
    }

    /** What the server did not clearly write is unknown: gateways and captive portals answer 200 and 404, too. */
    private fun <Value> reply(answer: HttpAnswer, read: (JsonElement) -> Value): Reply<Value> {
        val retryAfter = answer.retryAfter?.toLongOrNull()?.takeIf { it >= 0 }?.coerceAtMost(3600)?.times(1000)
        try {
            val json = readJson(answer.body)
            if (answer.status in 200..299) return Reply.Answered(read(json))
            val isProblem = answer.contentType?.lowercase()?.startsWith(PROBLEM) == true
            val isFinal = answer.status in 400..499 && answer.status !in setOf(408, 425, 429)
            if (isProblem && isFinal && json is JsonObject) {
                return Reply.Refused(answer.status, json.text("code"), json.optionalText("title").orEmpty())
            }
        } catch (error: IllegalArgumentException) {
            return Reply.Unknown("The answer cannot be understood: ${error.javaClass.simpleName}", retryAfter)
        }
        return Reply.Unknown("The server answered ${answer.status}.", retryAfter)
    }

    private companion object {
        const val PROBLEM = "application/problem+json"
    }
}

internal fun text(value: String) = JsonPrimitive(value)
