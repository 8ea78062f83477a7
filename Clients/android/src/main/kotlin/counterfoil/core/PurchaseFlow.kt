package counterfoil.core

import kotlinx.coroutines.CompletableDeferred

/** One running call of `purchase`. */
internal class PurchaseFlow(
    val user: String, val request: OrderRequest,
    /** Called with each result: a caller with a result may tap again at once, so the record must be free by then. */
    private val whenDecided: (PurchaseFlow) -> Unit,
) {
    /** The record that this flow works on. Nobody else closes it meanwhile. */
    var record: String? = null

    /** The record of the order that WeChat was opened for. */
    var payingRecord: String? = null

    /** The request for WeChat, once WeChat may open. */
    var weChatRequest: WeChatPayRequest? = null

    /** The order that WeChat was opened for. */
    var paying: OrderRecord.PlacedOrder? = null

    /** The first number that WeChat reported: a hint (X20). */
    var weChatCode: Int? = null

    /** Completed by each sign that the customer is back. */
    val returned = CompletableDeferred<Unit>()
    val outcome = CompletableDeferred<Result<PurchaseOutcome>>()
    var foregrounds = 0
    var callers = 0

    val isDecided get() = outcome.isCompleted

    /** Only the first result counts. */
    fun decide(result: PurchaseOutcome) = end(Result.success(result))
    fun fail(error: PurchasingError) = end(Result.failure(error))

    private fun end(result: Result<PurchaseOutcome>) {
        if (isDecided) return
        whenDecided(this)
        outcome.complete(result)
    }

    /** Signs after the first are merged into it (1A.8). */
    fun customerIsBack(code: Int? = null) {
        if (paying == null || isDecided) return
        if (weChatCode == null) weChatCode = code
        returned.complete(Unit)
    }

    /** Whether a response may be about this flow: yes, unless it names another payment. */
    fun isAnswered(response: WeChatResponse): Boolean {
        val asked = weChatRequest ?: return false
        if (response.prepayId != null) return response.prepayId == asked.prepayId
        if (response.extData != null) return response.extData == asked.extData
        return true
    }
}

/** Records that somebody works on now: one request about an order at a time. */
internal class RecordClaims {
    private val claimed = mutableSetOf<String>()

    fun claim(record: String) = claimed.add(record)
    fun release(record: String) = claimed.remove(record)
    fun isClaimed(record: String) = record in claimed
}
