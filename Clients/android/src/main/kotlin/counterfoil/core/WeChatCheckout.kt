package counterfoil.core

import kotlinx.coroutines.CoroutineScope

/** Everything of a purchase before WeChat opens: order, vault, new parameters (1A.2, 1A.3). */
internal class WeChatCheckout(
    private val app: WeChatApp?, private val configuration: PurchasingConfiguration,
    private val dependencies: Dependencies, private val scope: CoroutineScope, private val server: ServerConnection,
    private val records: VaultRecords, private val orders: OpenOrders, private val claims: RecordClaims,
    private val session: UserSession,
) {
    /**
     * @return an outcome if nothing has to be paid any more; null if WeChat may open.
     * @throws PurchasingError if it cannot be paid now. Nothing was charged.
     */
    suspend fun prepare(flow: PurchaseFlow): PurchaseOutcome? {
        checkApp()
        records.load()
        // A device without records could otherwise buy what is open already.
        if (!records.isKnown(flow.user)) orders.adopt(flow.user, waiting { server.openOrders(flow.user) })
        resume(flow)?.let { return it }
        val record = flow.record?.let { records.order(it) } ?: makeOrder(flow)
        val id = record.order?.id ?: throw PurchasingError(PurchasingErrorCode.ORDER_DIFFERS)
        val body = waiting { server.prepare(flow.user, id) }
        if (body.state == "paid") {
            orders.apply(body, record)
            return recovered(body)
        }
        val request = body.weChatPay
        if (body.state != "awaitingPayment" || request == null) {
            throw PurchasingError(PurchasingErrorCode.ORDER_DIFFERS, "Order $id carries nothing to hand to WeChat.")
        }
        if (request.appId != app?.appId) {
            throw PurchasingError(
                PurchasingErrorCode.WECHAT_APP_DIFFERS, "The order is for ${request.appId}, this is ${app?.appId}.")
        }
        flow.weChatRequest = request
        beginPaying(flow, record)
        return null
    }

    private suspend fun checkApp() {
        val app = app ?: throw PurchasingError(PurchasingErrorCode.WECHAT_ABSENT, "Hand a WeChatApp to Purchasing.")
        if (!app.isRegistered) {
            throw PurchasingError(
                PurchasingErrorCode.NOT_RUNNING,
                "WeChat may be used only after the customer's consent to the privacy policy: call consentGiven().")
        }
        val isInstalled = scope.limited(configuration.policies.storeLimit, dependencies) { app.isInstalled() }
        if (isInstalled != true) throw PurchasingError(PurchasingErrorCode.WECHAT_NOT_INSTALLED)
    }

    /**
     * What an earlier tap left open. The same purchase never gets a second order while the first can still be paid
     * (docs/decisions/0042-the-same-order-is-paid-again.md).
     */
    private suspend fun resume(flow: PurchaseFlow): PurchaseOutcome? {
        val open = records.orders.filter {
            it.user == flow.user && it.request.productId == flow.request.productId && it.mayBePaid
        }
        for (record in open.reversed()) {
            val id = record.order?.id ?: continue
            if (!claim(record.id)) throw PurchasingError(PurchasingErrorCode.EARLIER_PURCHASE_UNDECIDED)
            try {
                var body = waiting { server.order(flow.user, id) }
                if (body.state == "awaitingPayment") {
                    if (body.verdict == "held") {
                        return PurchaseOutcome.NotGranted(id, "held", body.verdictReason)
                    }
                    if (record.request.quantity == flow.request.quantity) {
                        flow.record = record.id
                        return null
                    }
                    // Another quantity: the old order is closed first, at WeChat Pay, too.
                    body = waiting { server.close(flow.user, id) }
                }
                orders.apply(body, record)
                if (body.state == "paid") return recovered(body)
                if (body.state == "awaitingPayment") {
                    throw PurchasingError(PurchasingErrorCode.EARLIER_PURCHASE_UNDECIDED)
                }
            } finally {
                if (flow.record != record.id) claims.release(record.id)
            }
        }
        return null
    }

    /** A background check may hold a record for the length of a request. */
    private suspend fun claim(record: String): Boolean {
        for (second in 0..configuration.policies.requestLimit / 1000) {
            if (claims.claim(record)) return true
            dependencies.sleep(1000)
        }
        return false
    }

    /** The order, or the one that an earlier tap made and never showed. */
    private suspend fun makeOrder(flow: PurchaseFlow): OrderRecord {
        repeat(ROUNDS_MAX) {
            val record = claimRecord(flow)
            val body = try {
                waiting { server.createOrder(record) }
            } catch (error: PurchasingError) {
                // The server refused to make it: there is none.
                if (error.code == PurchasingErrorCode.SERVER_REFUSED) orders.ifPossible { records.remove(record.id) }
                throw error
            }
            val request = flow.request
            if (body.product != request.productId || body.quantity != request.quantity || body.store != "weChatPay") {
                throw PurchasingError(PurchasingErrorCode.ORDER_DIFFERS, "Order ${body.id}.")
            }
            if (body.user != flow.user) {
                throw PurchasingError(PurchasingErrorCode.USER_DIFFERS, "The app's token is another user's.")
            }
            val placed = record.moved(OrderRecord.State.CREATED, dependencies.now(), body.placed)
            orders.put(placed)
            if (body.state != "closed") return placed
            // An earlier tap left it, and it is closed since. It was never shown, so it cannot be paid.
            orders.apply(body, placed)
            release(flow)
        }
        throw PurchasingError(PurchasingErrorCode.ORDER_DIFFERS, "The server answers with orders that are closed.")
    }

    private fun claimRecord(flow: PurchaseFlow): OrderRecord {
        val left = records.orders.lastOrNull {
            it.user == flow.user && it.request == flow.request && !it.mayBePaid && !claims.isClaimed(it.id)
        }
        if (left != null && claims.claim(left.id)) {
            flow.record = left.id
            return left
        }
        if (!orders.makeRoom()) throw PurchasingError(PurchasingErrorCode.VAULT_FULL)
        val record = OrderRecord(dependencies.makeIdentifier(), flow.user, flow.request, dependencies.now())
            .moved(OrderRecord.State.REQUESTED, dependencies.now())
        claims.claim(record.id)
        flow.record = record.id
        // Before the request: a lost answer must not lose the order.
        records.put(record)
        return record
    }

    /** The last check, and the last write, before WeChat opens. A payment must never be without its order. */
    private fun beginPaying(flow: PurchaseFlow, record: OrderRecord) {
        if (flow.isDecided) throw PurchasingError(PurchasingErrorCode.PURCHASE_ABANDONED)
        if (session.user != flow.user) {
            throw PurchasingError(PurchasingErrorCode.USER_DIFFERS, "Another user signed in meanwhile.")
        }
        orders.put(record.moved(OrderRecord.State.PAYING, dependencies.now()))
        flow.payingRecord = record.id
        flow.paying = record.order
    }

    fun release(flow: PurchaseFlow) {
        flow.record?.let { claims.release(it) }
        flow.record = null
    }

    /** Repeats a repeatable call for as long as a customer is willing to wait. */
    private suspend fun <Value> waiting(call: suspend () -> Reply<Value>): Value {
        val pauses = configuration.policies.orderPauses.iterator()
        while (true) {
            val reply = call()
            val retryAfter = (reply as? Reply.Unknown ?: return reply.orThrow()).retryAfter ?: 0
            if (!pauses.hasNext() || retryAfter > configuration.policies.requestLimit) return reply.orThrow()
            dependencies.sleep(maxOf(pauses.next(), retryAfter))
        }
    }

    companion object {
        /** One for an earlier tap's record, one for a new one, one in reserve. */
        private const val ROUNDS_MAX = 3

        fun recovered(body: OrderBody): PurchaseOutcome =
            if (body.verdict == "revoked") PurchaseOutcome.NotGranted(body.id, "revoked", body.verdictReason)
            else PurchaseOutcome.Fulfilled(body.id, recovered = true)
    }
}
