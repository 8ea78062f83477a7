package counterfoil.core

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** Completes open purchases from vault and server. */
internal class Recovery(
    private val policies: PurchasingPolicies, private val dependencies: Dependencies,
    private val scope: CoroutineScope, private val records: VaultRecords, private val orders: OpenOrders,
    private val polling: WeChatPolling, private val earlier: EarlierPurchases, private val session: UserSession,
    private val log: (String) -> Unit,
) {
    private var running: CompletableDeferred<RecoveryReport>? = null
    private var runningFor: String? = null
    private var isRetryPlanned = false

    /** Whoever asks while a recovery runs for the same user gets its report. */
    suspend fun run(reason: RecoveryReason, attempt: Int = 0): RecoveryReport {
        running?.let { if (runningFor == session.user) return it.await() }
        val result = CompletableDeferred<RecoveryReport>()
        running = result
        runningFor = session.user
        var report = RecoveryReport(isComplete = false, ordersClosed = 0, ordersOpen = 0)
        try {
            report = once()
        } catch (error: PurchasingError) {
            log("client.recovery.failed ${error.code.word}")
        } finally {
            if (running === result) running = null
            result.complete(report)
        }
        if (!report.isComplete) planRetry(reason, attempt)
        log("client.recovered $reason closed=${report.ordersClosed} open=${report.ordersOpen}")
        return report
    }

    private suspend fun once(): RecoveryReport {
        records.load()
        val user = session.user ?: return RecoveryReport(true, 0, records.orders.size)
        val before = records.orders.map { it.id }
        val isAdopted = orders.adopt(user)
        val areAsked = orders.askAboutAll(user)
        val areJudged = earlier.askAboutAll(user)
        polling.pollOpenOrdersLater()
        val after = records.orders.map { it.id }.toSet()
        return RecoveryReport(isAdopted && areAsked && areJudged, before.count { it !in after }, after.size)
    }

    private fun planRetry(reason: RecoveryReason, attempt: Int) {
        if (attempt >= policies.recoveryPauses.size || isRetryPlanned) return
        isRetryPlanned = true
        scope.launch {
            dependencies.sleep(policies.recoveryPauses[attempt])
            isRetryPlanned = false
            run(reason, attempt + 1)
        }
    }
}

/** Orders that the app's earlier code stored: kept until the server has judged them. */
internal class EarlierPurchases(
    private val server: ServerConnection, private val records: VaultRecords, private val dependencies: Dependencies,
    private val session: UserSession, private val log: (String) -> Unit,
) {
    /** @throws PurchasingError if they are not in the vault. Then the app must keep its own records. */
    fun takeOver(new: List<EarlierRecord>): List<EarlierRecord> {
        records.load()
        val (usable, unusable) = new.partition { EarlierRecord.isReference(it.reference) && isUser(it.user) }
        if (unusable.isNotEmpty()) log("client.earlier.unusable ${unusable.size}")
        records.takeOver(usable.distinct().map { KeptEarlierRecord(it, dependencies.now()) })
        return unusable
    }

    /** A number of the app leads to its order, like an order's id. Returns whether the server answered for all. */
    suspend fun askAboutAll(user: String): Boolean {
        var isComplete = true
        for (kept in records.earlier.filter { it.record.user == user }) {
            if (session.user != user) return false
            val reply = server.order(user, percentEncoded(kept.record.reference))
            val state = (reply as? Reply.Answered)?.value?.state
            val isUnknown = reply is Reply.Refused && reply.code == "order_unknown"
            val isOld = dependencies.now() - kept.takenOverAt > LIFETIME
            when {
                state == "paid" || state == "closed" -> judged(kept, if (state == "paid") "fulfilled" else "unpaid")
                // The order may be made known to the server later: by an import.
                isUnknown && isOld -> judged(kept, "unpaid")
                reply is Reply.Unknown || reply is Reply.NoToken -> isComplete = false
            }
        }
        return isComplete
    }

    private fun judged(kept: KeptEarlierRecord, verdict: String) {
        records.forget(kept)
        session.emit(PurchaseEvent.EarlierRecordJudged(kept.record.reference, verdict))
    }

    companion object {
        private const val LIFETIME = 30L * 24 * 60 * 60 * 1000

        fun isUser(user: String) = user.encodeToByteArray().size in 1..255 && user != "." && user != ".."
            && user.none { it < ' ' || it in '\u007f'..'\u009f' }

        private fun percentEncoded(text: String) = text.encodeToByteArray().joinToString("") { byte ->
            val character = (byte.toInt() and 0xff).toChar()
            if (character in 'A'..'Z' || character in 'a'..'z' || character in '0'..'9' || character in "-_") {
                character.toString()
            } else {
                "%%%02X".format(byte)
            }
        }
    }
}
