package counterfoil.core

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject

/** What the customer wants to buy. */
data class OrderRequest(
    val productId: String, val quantity: Int = 1,
    /** The app's own number, at most 64 characters. */
    val reference: String? = null,
    /** Where in the app the purchase began. */
    val scene: String? = null,
)

/**
 * The device's record of one order, written before money can move (1A.31).
 *
 * Its `id` is the idempotency key under which the order is made. So it exists before the order's own id is known.
 */
internal class OrderRecord(
    val id: String, val user: String, val request: OrderRequest,
    /** By the device's clock, for people. */
    val writtenAt: Long,
    val state: State = State.REQUESTED,
    /** The server's order. */
    val order: PlacedOrder? = null,
    /** WeChat's last number, for support. */
    val weChatCode: Int? = null,
    /** The steps so far with their times, oldest first, for support. */
    val history: List<Step> = emptyList(),
    /** Members that a newer version of this library wrote. */
    private val others: Map<String, JsonElement> = emptyMap(),
) {
    /** The states, with the words of the Swift library. */
    enum class State(val word: String) {
        /** The server is being asked for an order. */
        REQUESTED("requested"),

        /** The order exists, and WeChat was certainly not opened for it. */
        CREATED("created"),

        /** WeChat may be open, and the customer may have paid. */
        PAYING("paying"),

        /** WeChat reported a failure. A payment may still appear. */
        FAILED_ONCE("failedOnce"),
    }

    data class PlacedOrder(val id: String, val createdAt: String, val expiresAt: String)
    data class Step(val at: Long, val state: String)

    /** Whether WeChat was opened for it, so that it can be paid. */
    val mayBePaid get() = state == State.PAYING || state == State.FAILED_ONCE

    /** The record after a step. A state never moves back, except that an unpaid order may be paid again. */
    fun moved(to: State, at: Long, order: PlacedOrder? = this.order, code: Int? = weChatCode) = OrderRecord(
        id, user, request, writtenAt, to, order, code,
        if (history.lastOrNull()?.state == to.word) history else (history + Step(at, to.word)).takeLast(STEPS_MAX),
        others)

    val open: OpenOrder?
        get() = order?.let { OpenOrder(it.id, user, request.productId, request.quantity, state.word, weChatCode) }

    val json: JsonObject
        get() = buildJsonObject {
            for ((name, value) in others) put(name, value)
            put("record", text(id))
            put("user", text(user))
            put("request", body(request))
            put("writtenAt", JsonPrimitive(writtenAt))
            put("state", text(state.word))
            order?.let {
                put("order", buildJsonObject {
                    put("id", text(it.id))
                    put("createdAt", text(it.createdAt))
                    put("expiresAt", text(it.expiresAt))
                })
            }
            weChatCode?.let { put("weChatCode", JsonPrimitive(it)) }
            put("history", JsonArray(history.map { step ->
                JsonObject(mapOf("at" to JsonPrimitive(step.at), "state" to text(step.state)))
            }))
        }

    companion object {
        /** Steps of an order that its record keeps: more than a purchase has. */
        private const val STEPS_MAX = 16
        private val known =
            setOf("record", "user", "request", "writtenAt", "state", "order", "weChatCode", "history")

        /** @throws IllegalArgumentException if it is no record that this version can read. */
        fun read(json: JsonElement): OrderRecord {
            val record = json as? JsonObject ?: throw IllegalArgumentException("A record is an object.")
            val request = record["request"] as? JsonObject ?: throw IllegalArgumentException("request is absent.")
            val word = record.text("state")
            val order = (record["order"] as? JsonObject)?.let {
                PlacedOrder(it.text("id"), it.text("createdAt"), it.text("expiresAt"))
            }
            val state = State.entries.find { it.word == word }
                ?: throw IllegalArgumentException("The state $word is unknown.")
            require(state == State.REQUESTED || order != null) { "The order is absent." }
            val steps = (record["history"] as? JsonArray).orEmpty().filterIsInstance<JsonObject>()
            return OrderRecord(
                record.text("record"), record.text("user"),
                OrderRequest(
                    request.text("productId"), request.number("quantity").toInt(),
                    request.optionalText("reference"), request.optionalText("scene")),
                record.number("writtenAt"), state, order,
                record["weChatCode"]?.let { record.number("weChatCode").toInt() },
                steps.map { Step(it.number("at"), it.text("state")) }, record.filterKeys { it !in known })
        }

        /** The request as the server reads it. */
        fun body(request: OrderRequest): JsonObject = buildJsonObject {
            put("productId", text(request.productId))
            put("quantity", JsonPrimitive(request.quantity))
            put("store", text("weChatPay"))
            put("platform", text("android"))
            put("tradeType", text("APP"))
            request.reference?.let { put("reference", text(it)) }
            request.scene?.let { put("scene", text(it)) }
        }
    }
}

/** A purchase that an earlier version of the app stored, for example as `orderId¥status`. */
data class EarlierRecord(
    /** The app's own order number. */
    val reference: String, val user: String,
) {
    companion object {
        /** The order number of a text such as `20240117A7¥pending`; null if it has none. The status is not needed. */
        fun reference(text: String): String? =
            text.substringBefore('¥').takeIf { isReference(it) }

        /** Whether the server takes it as an order's number: 1 to 64 characters, without a slash. */
        internal fun isReference(text: String): Boolean =
            text.codePointCount(0, text.length) in 1..64 && text.encodeToByteArray().size <= 256 && text != "."
                && text != ".." && text.none { it < ' ' || it == '/' || it == '\u007f' }
    }
}

internal data class KeptEarlierRecord(val record: EarlierRecord, val takenOverAt: Long) {
    val json: JsonObject
        get() = JsonObject(mapOf(
            "reference" to text(record.reference), "user" to text(record.user),
            "takenOverAt" to JsonPrimitive(takenOverAt)))

    companion object {
        fun read(json: JsonElement): KeptEarlierRecord {
            val kept = json as? JsonObject ?: throw IllegalArgumentException("An earlier record is an object.")
            return KeptEarlierRecord(
                EarlierRecord(kept.text("reference"), kept.text("user")), kept.number("takenOverAt"))
        }
    }
}
