package counterfoil.core

/** The orders of the vault: each change goes through here, so that listeners hear of it. */
internal class OpenOrders(
    val records: VaultRecords, private val server: ServerConnection, private val claims: RecordClaims,
    private val dependencies: Dependencies, private val session: UserSession, private val log: (String) -> Unit,
) {
    fun open(user: String?): List<OpenOrder> = records.orders.filter { it.user == user }.mapNotNull { it.open }

    fun put(record: OrderRecord) {
        records.put(record)
        val open = record.open
        if (open != null && record.user == session.user) session.emit(PurchaseEvent.OrderOpen(open))
    }

    private fun remove(record: OrderRecord, isGranted: Boolean) {
        records.remove(record.id)
        val order = record.order ?: return
        log("client.order.${if (isGranted) "granted" else "closed"} ${order.id}")
        if (record.user != session.user) return
        if (isGranted) session.emit(PurchaseEvent.OrderGranted(order.id))
        session.emit(PurchaseEvent.OrderClosed(order.id))
    }

    /** For callers that go on in either case: the server will say it again at the next start. */
    fun ifPossible(change: () -> Unit) {
        try {
            change()
        } catch (error: PurchasingError) {
            log("client.vault.failed ${error.explanation}")
        }
    }

    /** Applies what the server says of an order. Only this ends a record (1A.38). */
    fun apply(body: OrderBody, record: OrderRecord) {
        if (record.order?.id != body.id || records.order(record.id) == null) return
        val isReplaced = body.closeReason == "replaced" && record.mayBePaid
        when (body.state) {
            "paid" -> ifPossible { remove(record, isGranted = body.verdict != "revoked") }
            // One that was closed only to make room for newer ones can still be paid: it is kept for its lifetime. The
            // device's clock may be wrong by years: it only counts the time since the record was made.
            "closed" -> if (!isReplaced || dependencies.now() - record.writtenAt > LIFETIME) {
                ifPossible { remove(record, isGranted = false) }
            }
        }
    }

    /** Asks about each record of the user that nobody works on. Returns whether the server answered for all. */
    suspend fun askAboutAll(user: String): Boolean {
        var isComplete = true
        for (id in records.orders.filter { it.user == user }.map { it.id }) {
            if (session.user != user) return false
            if (!claims.claim(id)) continue
            try {
                // It may have changed since the list was made.
                records.order(id)?.let { isComplete = ask(it) && isComplete }
            } finally {
                claims.release(id)
            }
        }
        return isComplete
    }

    /** Asks about one order, which the caller has claimed. Returns whether that is an answer. */
    suspend fun ask(record: OrderRecord): Boolean = when (record.state) {
        OrderRecord.State.REQUESTED -> closeLostRequest(record)
        OrderRecord.State.CREATED -> apply(server.close(record.user, record.order!!.id), record)
        else -> apply(server.order(record.user, record.order!!.id), record)
    }

    private fun apply(reply: Reply<OrderBody>, record: OrderRecord): Boolean = when (reply) {
        is Reply.Answered -> {
            apply(reply.value, record)
            true
        }
        // "Unknown here" is no reason to remove it: a server may have been restored from a backup.
        is Reply.Refused -> {
            log("client.order.refused ${record.order?.id} ${reply.code}")
            !reply.isAboutToken
        }
        is Reply.Unknown, Reply.NoToken -> false
    }

    /** The answer to a request was lost, and the customer left: the same key finds the order, which is closed. */
    private suspend fun closeLostRequest(record: OrderRecord): Boolean {
        when (val reply = server.createOrder(record)) {
            is Reply.Answered -> {
                if (reply.value.user != record.user) return false
                val placed = record.moved(OrderRecord.State.CREATED, dependencies.now(), reply.value.placed)
                ifPossible { put(placed) }
                if (records.order(record.id)?.order == null) return false
                return apply(server.close(record.user, reply.value.id), placed)
            }
            is Reply.Refused -> {
                if (reply.isAboutToken) return false
                ifPossible { records.remove(record.id) }
                return true
            }
            is Reply.Unknown, Reply.NoToken -> return false
        }
    }

    /**
     * A new device, or lost storage: the server's list stands in for the vault. Returns whether that is done.
     *
     * @throws PurchasingError if the vault cannot be written.
     */
    suspend fun adopt(user: String): Boolean {
        if (records.isKnown(user)) return true
        val reply = server.openOrders(user)
        if (reply !is Reply.Answered) return false
        adopt(user, reply.value)
        return true
    }

    fun adopt(user: String, listed: List<OrderBody>) {
        val known = records.orders.mapNotNull { it.order?.id }
        val adopted = listed.filter { it.user == user && it.store == "weChatPay" && it.id !in known }.map {
            OrderRecord(it.id, user, OrderRequest(it.product, it.quantity), dependencies.now())
                .moved(OrderRecord.State.PAYING, dependencies.now(), it.placed)
        }
        records.adopt(user, adopted)
        for (record in adopted) record.open?.let { if (session.user == user) session.emit(PurchaseEvent.OrderOpen(it)) }
    }

    /** Makes room for another order; false if nothing may leave the vault. Only unopened orders may. */
    fun makeRoom(): Boolean {
        if (!records.isFull) return true
        val unopened = records.orders.find { !it.mayBePaid && !claims.isClaimed(it.id) } ?: return false
        log("client.vault.evicted ${unopened.order?.id}")
        records.remove(unopened.id)
        return !records.isFull
    }

    private companion object {
        /** How long an order can be matched to a payment after it was made. */
        const val LIFETIME = 30L * 24 * 60 * 60 * 1000
    }
}

internal val OrderBody.placed get() = OrderRecord.PlacedOrder(id, createdAt, expiresAt)

/** Who is signed in, and who listens. */
internal class UserSession(private val log: (String) -> Unit) {
    var user: String? = null
    private val listeners = mutableListOf<(PurchaseEvent) -> Unit>()

    fun emit(event: PurchaseEvent) {
        for (listener in listeners.toList()) {
            try {
                listener(event)
            } catch (error: RuntimeException) {
                // An error of the app's page must not stop a payment half-way.
                log("client.listener.failed ${error.javaClass.simpleName}")
            }
        }
    }

    fun add(listener: (PurchaseEvent) -> Unit) { listeners += listener }
    fun remove(listener: (PurchaseEvent) -> Unit) { listeners -= listener }
}
