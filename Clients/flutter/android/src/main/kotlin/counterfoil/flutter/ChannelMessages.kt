package counterfoil.flutter

import counterfoil.core.Balance
import counterfoil.core.Entitlement
import counterfoil.core.Grant
import counterfoil.core.Messages
import counterfoil.core.OpenOrder
import counterfoil.core.Product
import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.RecoveryReason
import counterfoil.core.RecoveryReport

/** What crosses the channel, as the codec of Flutter carries it. `test/golden.json` has each message in bytes. */
internal class ChannelMessages(val texts: Messages, val language: Messages.Language) {
    fun outcome(outcome: PurchaseOutcome): Map<String, Any> = buildMap {
        put("outcome", outcome.name)
        put("order", outcome.order)
        if (outcome is PurchaseOutcome.Fulfilled) put("recovered", outcome.recovered)
        if (outcome is PurchaseOutcome.NotGranted) {
            put("verdict", outcome.verdict)
            outcome.reason?.let { put("reason", it) }
        }
        put("message", texts.text(outcome, language))
    }

    fun event(event: PurchaseEvent): Map<String, Any> = buildMap {
        put("event", event.name)
        when (event) {
            is PurchaseEvent.OrderOpen -> putAll(order(event.order))
            is PurchaseEvent.OrderClosed -> put("order", event.order)
            is PurchaseEvent.OrderGranted -> put("order", event.order)
            is PurchaseEvent.NotConfirmed -> put("order", event.order)
            is PurchaseEvent.SlowCallback -> put("order", event.order)
            is PurchaseEvent.EarlierRecordJudged -> {
                put("reference", event.reference)
                put("verdict", event.verdict)
            }
        }
        put("message", texts.text(event, language))
    }

    fun order(order: OpenOrder): Map<String, Any> = buildMap {
        put("order", order.order)
        put("store", "weChatPay")
        put("productId", order.productId)
        put("quantity", order.quantity)
        put("phase", order.phase)
        order.weChatCode?.let { put("weChatCode", it) }
    }

    fun report(report: RecoveryReport): Map<String, Any> = mapOf(
        "isComplete" to report.isComplete, "ordersClosed" to report.ordersClosed, "ordersOpen" to report.ordersOpen)

    fun products(products: List<Product>): Map<String, Any> = mapOf(
        "products" to products.map { product(it) }, "unknown" to emptyList<String>(), "isPriced" to true)

    private fun product(product: Product): Map<String, Any> = buildMap {
        put("productId", product.productId)
        put("kind", product.kind)
        put("store", "weChatPay")
        put("name", product.productId)
        put("price", product.displayPrice)
        put("priceWords", product.displayPrice)
        put("isPhysical", product.isPhysical)
        when (val grant = product.grant) {
            is Grant.Units -> {
                put("unit", grant.unit)
                put("amount", number(grant.amount))
            }
            is Grant.Right -> {
                put("entitlement", grant.entitlement)
                grant.seconds?.let { put("seconds", number(it)) }
            }
        }
    }

    fun balance(balance: Balance): Map<String, Any> = buildMap {
        put("unit", balance.unit)
        put("amount", number(balance.amount))
        put("environment", balance.environment)
        balance.frozenSince?.let { put("frozenSince", it) }
    }

    fun entitlement(right: Entitlement): Map<String, Any> = buildMap {
        put("entitlement", right.entitlement)
        put("state", right.state)
        put("givesAccess", right.givesAccess)
        put("store", right.store)
        put("environment", right.environment)
        right.expiresAt?.let { put("expiresAt", it) }
        right.willRenew?.let { put("willRenew", it) }
        right.renewsTo?.let { put("renewsTo", it) }
        right.gracePeriodExpiresAt?.let { put("gracePeriodExpiresAt", it) }
        right.reason?.let { put("reason", it) }
        put("message", texts.text(right, language))
    }

    /** WeChat Pay has nothing to restore: what a user has is at the server. What was open is completed all the same. */
    fun restored(report: RecoveryReport): Map<String, Any> = mapOf(
        "isComplete" to report.isComplete, "isCancelled" to false, "fulfilled" to 0,
        "message" to texts.text(if (report.isComplete) "restored.nothing" else "restored.unfinished", language))

    fun text(error: PurchasingError): String = texts.text(error, language)

    companion object {
        fun details(error: PurchasingError): Map<String, Any> = buildMap {
            put("explanation", error.explanation)
            error.serverCode?.let { put("serverCode", it) }
            error.weChatCode?.let { put("weChatCode", it) }
        }

        /** As Dart's half of the codec would write it: in 32 bits where they are enough. */
        private fun number(value: Long): Any = if (value in Int.MIN_VALUE..Int.MAX_VALUE) value.toInt() else value

        fun reason(word: String?): RecoveryReason = when (word) {
            null, "userAsked" -> RecoveryReason.USER_ASKED
            "foreground" -> RecoveryReason.FOREGROUND
            "link" -> RecoveryReason.LINK
            "networkBack" -> RecoveryReason.NETWORK_BACK
            "push" -> RecoveryReason.PUSH
            else -> throw wrong("reason \"$word\"")
        }

        fun wrong(what: String) = PurchasingError(
            PurchasingErrorCode.CONFIGURATION_INVALID, "The Dart side of counterfoil_flutter sent $what.")
    }
}

/** The arguments of a call. Each may be absent or of another type: an app may mix versions of the two halves. */
internal class Arguments(arguments: Any?) {
    private val values = arguments as? Map<*, *> ?: emptyMap<Any, Any>()

    fun text(name: String): String = optionalText(name) ?: throw ChannelMessages.wrong("no $name")

    fun optionalText(name: String): String? {
        val value = values[name] ?: return null
        return value as? String ?: throw ChannelMessages.wrong("$name of another type")
    }

    fun optionalNumber(name: String): Int? = when (val value = values[name]) {
        null -> null
        is Int -> value
        is Long -> if (value in Int.MIN_VALUE..Int.MAX_VALUE) value.toInt() else throw ChannelMessages.wrong("$name")
        else -> throw ChannelMessages.wrong("$name of another type")
    }

    fun list(name: String): List<Arguments> {
        val list = values[name] as? List<*> ?: throw ChannelMessages.wrong("no list $name")
        return list.map { Arguments(it as? Map<*, *> ?: throw ChannelMessages.wrong("$name without maps")) }
    }
}
