package counterfoil.core

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/**
 * Asks the server about orders at WeChat Pay. A callback is not reliable: eight ways are known in which it never comes
 * (1A.15). So every sign of a return leads to the same question, and so does silence.
 */
internal class WeChatPolling(
    private val policies: PurchasingPolicies, private val dependencies: Dependencies,
    private val scope: CoroutineScope, private val server: ServerConnection, private val records: VaultRecords,
    private val orders: OpenOrders, private val claims: RecordClaims, private val session: UserSession,
) {
    /** Orders that a background task is asking about. */
    private val watched = mutableSetOf<String>()

    suspend fun pollUntilDecided(flow: PurchaseFlow) {
        while (!flow.isDecided) {
            val isBack = flow.returned.isCompleted
                || scope.limited(policies.silenceLimit, dependencies) { flow.returned.await() } != null
            if (session.user != flow.user) return awaitConfirmation(flow)
            val first = poll(flow, if (policies.looks.size > 1) policies.looks[1] - policies.looks[0] else 0)
            if (decideIfOver(flow, first)) return
            // Silence alone decides nothing: the customer may still be in WeChat, typing the password.
            if (!isBack) continue
            val second = poll(flow, 0)
            if (decideIfOver(flow, second)) return
            return decideUnpaid(flow, isCertain = second != null)
        }
    }

    /** Asks once. The poll lasts at least `span`, so that the next one keeps its distance. */
    private suspend fun poll(flow: PurchaseFlow, span: Long): OrderBody? {
        val id = flow.paying?.id ?: return null
        val begin = dependencies.now()
        val reply = server.order(flow.user, id, waitSeconds = (span / 1000).coerceAtMost(WAIT_SECONDS_MAX))
        val body = (reply as? Reply.Answered)?.value
        if (body != null) flow.payingRecord?.let { records.order(it) }?.let { orders.apply(body, it) }
        if (body == null || body.state == "awaitingPayment") {
            // A clock that was set back must not extend the wait.
            val rest = span - (dependencies.now() - begin)
            if (rest > 0) dependencies.sleep(minOf(rest, span))
        }
        return body
    }

    private fun decideIfOver(flow: PurchaseFlow, body: OrderBody?): Boolean {
        if (body == null) return false
        when {
            body.state == "paid" && body.verdict == "revoked" ->
                flow.decide(PurchaseOutcome.NotGranted(body.id, "revoked", body.verdictReason))
            body.state == "paid" -> flow.decide(PurchaseOutcome.Fulfilled(body.id, recovered = false))
            // The server closed it, at WeChat Pay first: nothing was paid.
            body.state == "closed" -> flow.decide(PurchaseOutcome.Cancelled(body.id))
            body.verdict == "held" -> flow.decide(PurchaseOutcome.NotGranted(body.id, "held", body.verdictReason))
            else -> return false
        }
        return true
    }

    private fun awaitConfirmation(flow: PurchaseFlow) {
        flow.paying?.let { flow.decide(PurchaseOutcome.AwaitingConfirmation(it.id)) }
    }

    /** No payment of the order is known. It stays open (X18). */
    private fun decideUnpaid(flow: PurchaseFlow, isCertain: Boolean) {
        val id = flow.paying?.id ?: return
        if (session.user == flow.user) session.emit(PurchaseEvent.NotConfirmed(id))
        val code = flow.weChatCode
        if (isCertain && code != null && code != DONE) {
            flow.payingRecord?.let { records.order(it) }?.let {
                val failed = it.moved(OrderRecord.State.FAILED_ONCE, dependencies.now(), code = code)
                orders.ifPossible { orders.put(failed) }
            }
        }
        when {
            isCertain && code == CANCELLED -> flow.decide(PurchaseOutcome.Cancelled(id))
            isCertain && code != null && code != DONE -> flow.fail(
                PurchasingError(PurchasingErrorCode.WECHAT_FAILED, "WeChat said $code.", weChatCode = code))
            else -> awaitConfirmation(flow)
        }
    }

    /** Asks at the remaining times: WeChat's cashier stays open, and a later payment in it counts (X18). */
    fun pollLater(record: String, polls: Int) {
        if (records.order(record)?.mayBePaid != true || !watched.add(record)) return
        scope.launch {
            try {
                val marks = policies.looks.drop(polls - 1)
                for ((mark, next) in marks.zip(marks.drop(1))) {
                    dependencies.sleep(next - mark)
                    val open = records.order(record)
                    if (open == null || open.user != session.user || !open.mayBePaid) break
                    if (!claims.claim(record)) continue
                    try {
                        orders.ask(open)
                    } finally {
                        claims.release(record)
                    }
                }
            } finally {
                watched.remove(record)
            }
        }
    }

    fun pollOpenOrdersLater() {
        for (record in records.orders) if (record.user == session.user && record.mayBePaid) pollLater(record.id, 1)
    }

    companion object {
        /** The poll after which the caller hears that nothing is confirmed (1A.16). */
        const val DECIDING_POLL = 2
        private const val WAIT_SECONDS_MAX = 25L
        private const val DONE = 0
        private const val CANCELLED = -2
    }
}
