package counterfoil.core

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.booleanOrNull

/** What one piece of a product gives. */
sealed interface Grant {
    /** So many units of a balance. */
    data class Units(val unit: String, val amount: Long) : Grant

    /** An entitlement; for so many seconds, or for as long as the store says. */
    data class Right(val entitlement: String, val seconds: Long?) : Grant
}

/** A product that is sold at WeChat Pay. `purchase` takes its id. */
data class Product(
    val productId: String, val kind: String, val priceInFen: Long, val isPhysical: Boolean, val grant: Grant,
) {
    /** The price as the customer reads it. */
    val displayPrice get() = "¥${priceInFen / 100}.${(priceInFen % 100).toString().padStart(2, '0')}"

    internal companion object {
        private val kinds = setOf("consumable", "nonConsumable", "autoRenewable", "nonRenewing")

        /** Null for one that is not sold at WeChat Pay, or that this version does not know. */
        fun read(json: JsonElement): Product? {
            val product = json.members("product")
            val (kind, price) = product.text("kind") to product.optionalNumber("weChatPriceInFen")
            val gives = product["grant"] as? JsonObject ?: throw IllegalArgumentException("grant is not an object.")
            val unit = gives.optionalText("unit")
            val grant = if (unit != null) {
                Grant.Units(unit, gives.number("amount"))
            } else {
                Grant.Right(gives.optionalText("entitlement") ?: return null, gives.optionalNumber("periodSeconds"))
            }
            if (kind !in kinds || price == null || price < 0) return null
            return Product(product.text("productId"), kind, price, product.optionalFlag("physical") ?: false, grant)
        }
    }
}

/** How many units a user has. Units of a sandbox are never added to others. */
data class Balance(
    val unit: String,
    /** Negative after a refund of units that were spent. */
    val amount: Long,
    val environment: String,
    /** Since when spending is blocked, because a refund took back more than there was. */
    val frozenSince: String?,
) {
    internal companion object {
        fun read(json: JsonElement): Balance {
            val balance = json.members("balance")
            return Balance(
                balance.text("unit"), balance.number("amount"), balance.text("environment"),
                balance.optionalText("frozenSince"))
        }
    }
}

/** An entitlement of a user, as the server computes it. Dates are as the server writes them (ISO 8601, UTC). */
data class Entitlement(
    val entitlement: String,
    /** `active`, `gracePeriod`, `billingRetry`, `expired`, `revoked`, or a word that this version does not know. */
    val state: String,
    val store: String, val environment: String, val expiresAt: String?, val willRenew: Boolean?, val renewsTo: String?,
    val gracePeriodExpiresAt: String?, val reason: String?,
) {
    /** Whether the user has access. An unknown state gives none. */
    val givesAccess get() = state == "active" || state == "gracePeriod"

    /** The date that its text names: the end of access. */
    internal val end get() = if (state == "gracePeriod") gracePeriodExpiresAt ?: expiresAt else expiresAt

    internal companion object {
        fun read(json: JsonElement): Entitlement {
            val right = json.members("entitlement")
            return Entitlement(
                right.text("entitlement"), right.text("state"), right.text("store"), right.text("environment"),
                right.optionalText("expiresAt"), right.optionalFlag("willRenew"), right.optionalText("renewsTo"),
                right.optionalText("gracePeriodExpiresAt"), right.optionalText("reason"))
        }
    }
}

/** The list of an answer. One without it is invalid: it does not mean that there is nothing. */
internal fun <Value : Any> readList(json: JsonElement, name: String, read: (JsonElement) -> Value?): List<Value> {
    val list = json.members("answer")[name] as? JsonArray ?: throw IllegalArgumentException("$name is not a list.")
    return list.mapNotNull(read)
}

private fun JsonElement.members(what: String) =
    this as? JsonObject ?: throw IllegalArgumentException("The $what is not an object.")

private fun JsonObject.optionalFlag(name: String) =
    (this[name] as? JsonPrimitive)?.takeIf { !it.isString }?.booleanOrNull

private fun JsonObject.optionalNumber(name: String) = if (name in this) number(name) else null
