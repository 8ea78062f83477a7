package counterfoil.core

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.longOrNull

/** What the client reads of an order that the server answered. */
internal class OrderBody(
    val id: String, val user: String, val product: String, val quantity: Int, val store: String, val state: String,
    val closeReason: String?, val createdAt: String, val expiresAt: String, val verdict: String?,
    val verdictReason: String?, val weChatPay: WeChatPayRequest?,
) {
    companion object {
        private val states = setOf("awaitingPayment", "paid", "closed")
        private val uuid = Regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

        /** @throws IllegalArgumentException if it is not an order. */
        fun read(json: JsonElement): OrderBody {
            val order = json as? JsonObject ?: throw IllegalArgumentException("An order is an object.")
            val verdict = order["lastVerdict"] as? JsonObject
            val body = OrderBody(
                id = order.text("id"), user = order.text("userId"), product = order.text("productId"),
                quantity = order.number("quantity").toInt(), store = order.text("store"), state = order.text("state"),
                closeReason = order.optionalText("closeReason"), createdAt = order.text("createdAt"),
                expiresAt = order.text("expiresAt"), verdict = verdict?.optionalText("verdict"),
                verdictReason = verdict?.optionalText("reason"),
                weChatPay = (order["weChatPay"] as? JsonObject)?.let { request(it, order.text("id")) })
            require(body.state in states) { "The state ${body.state} is unknown." }
            require(uuid.matches(body.id)) { "The id is not a UUID." }
            return body
        }

        private fun request(signed: JsonObject, order: String) = WeChatPayRequest(
            appId = signed.text("appId"), partnerId = signed.text("partnerId"), prepayId = signed.text("prepayId"),
            packageValue = signed.text("packageValue"), nonceStr = signed.text("nonceStr"),
            timeStamp = signed.number("timeStamp").toString(), sign = signed.text("sign"),
            signType = signed.optionalText("signType"), extData = signed.optionalText("extData") ?: order)
    }
}

/** Deeper than anything that the server or this library writes. The parser calls itself for each level. */
private const val DEPTH_MAX = 64

/** @throws IllegalArgumentException if it is no JSON, no UTF-8, or nested too deeply. */
internal fun readJson(document: ByteArray): JsonElement {
    val text = try {
        document.decodeToString(throwOnInvalidSequence = true)
    } catch (error: CharacterCodingException) {
        throw IllegalArgumentException("It is not UTF-8.", error)
    }
    var depth = 0
    var isInText = false
    var isEscaped = false
    for (character in text) {
        when {
            isEscaped -> isEscaped = false
            isInText && character == '\\' -> isEscaped = true
            character == '"' -> isInText = !isInText
            isInText -> {}
            character == '[' || character == '{' -> {
                depth += 1
                require(depth <= DEPTH_MAX) { "It is nested too deeply." }
            }
            character == ']' || character == '}' -> depth -= 1
        }
    }
    return Json.parseToJsonElement(text)
}

internal fun JsonObject.optionalText(name: String): String? =
    (this[name] as? JsonPrimitive)?.takeIf { it.isString }?.content

internal fun JsonObject.text(name: String): String =
    optionalText(name) ?: throw IllegalArgumentException("$name is not a text.")

internal fun JsonObject.number(name: String): Long =
    (this[name] as? JsonPrimitive)?.takeIf { !it.isString }?.longOrNull
        ?: throw IllegalArgumentException("$name is not a number.")
