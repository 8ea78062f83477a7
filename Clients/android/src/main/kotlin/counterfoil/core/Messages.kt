package counterfoil.core

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/**
 * The texts for customers in English and Chinese, from `Clients/messages.json`. All clients share that file; a test of
 * the Swift library compares it with the library's own texts.
 */
class Messages private constructor(private val texts: Map<String, Map<String, String>>) {
    enum class Language(val word: String) { ENGLISH("en"), CHINESE("zh") }

    private val own = mutableMapOf<String, Map<String, String>>()

    /** Replaces the text of a key, such as `outcome.fulfilled`. */
    fun replace(key: String, english: String, chinese: String) {
        require(key in texts) { "There is no text \"$key\"." }
        own[key] = mapOf("en" to english, "zh" to chinese)
    }

    fun text(key: String, language: Language): String =
        (own[key] ?: texts[key])?.get(language.word) ?: error("There is no text \"$key\".")

    fun text(outcome: PurchaseOutcome, language: Language) = text(key(outcome), language)
    fun text(event: PurchaseEvent, language: Language) = text("event.${event.name}", language)
    fun text(error: PurchasingError, language: Language) = text(key(error), language)

    /** The words about the state of an entitlement; by default with the day in ISO 8601 (UTC). */
    fun text(entitlement: Entitlement, language: Language, date: (String) -> String = { it.take(10) }) =
        text(key(entitlement), language).replace("{date}", entitlement.end?.let(date) ?: "–")

    companion object {
        /** The texts of this library. */
        fun ours(): Messages {
            val stream = Messages::class.java.getResourceAsStream("/counterfoil/messages.json")
                ?: error("The library is damaged: counterfoil/messages.json is absent.")
            return read(stream.use { it.readBytes().decodeToString() })
        }

        internal fun read(text: String): Messages {
            val messages = Json.parseToJsonElement(text).jsonObject
            return Messages(messages.mapValues { (_, languages) ->
                languages.jsonObject.mapValues { it.value.jsonPrimitive.content }
            })
        }

        /** The key of an outcome's text. */
        fun key(outcome: PurchaseOutcome): String = when (outcome) {
            is PurchaseOutcome.Fulfilled -> if (outcome.recovered) "outcome.recovered" else "outcome.fulfilled"
            is PurchaseOutcome.NotGranted -> "outcome.${outcome.verdict}"
            else -> "outcome.${outcome.name}"
        }

        /** The key of the text about an entitlement's state; the same as in the Swift library. */
        fun key(entitlement: Entitlement): String {
            val isOver = entitlement.state == "expired" || entitlement.state == "revoked"
            val word = when {
                entitlement.state == "active" && entitlement.expiresAt == null -> "lasting"
                entitlement.state == "active" -> if (entitlement.willRenew == true) "renews" else "until"
                isOver && entitlement.reason in setOf("refunded", "familySharingEnded") -> entitlement.reason
                isOver || entitlement.state in setOf("gracePeriod", "billingRetry") -> entitlement.state
                else -> "unknown"
            }
            return "entitlement.$word"
        }

        /** The key of an error's text: each of WeChat's numbers has its own (1A.11). */
        fun key(error: PurchasingError): String = error.weChatCode?.let { "weChat.${weChatWord(it)}" }
            ?: "error.${error.code.word}"

        private fun weChatWord(code: Int) = when (code) {
            0 -> "done"
            -1 -> "failed"
            -2 -> "cancelled"
            -3 -> "notSent"
            -4 -> "denied"
            -5 -> "unsupported"
            else -> "unknown"
        }
    }
}
