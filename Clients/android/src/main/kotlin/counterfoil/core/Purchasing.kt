package counterfoil.core

import java.io.Closeable
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineExceptionHandler
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

/**
 * Sells through WeChat Pay on Android. It grants nothing by itself: the server asks WeChat Pay, and only its answer
 * counts (1A.3, 1A.4).
 *
 * Make one for the process. All calls may come from any thread. Events come on a thread of the client.
 */
class Purchasing(
    private val configuration: PurchasingConfiguration, vault: Vault, exchange: HttpExchange,
    private val weChat: WeChatApp?, private val dependencies: Dependencies = Dependencies.System(),
) {
    private val log = configuration.log
    // An error in the background must not end the app: what is open is asked about again.
    private val failures = CoroutineExceptionHandler { _, error -> log("client.failed ${error.javaClass.simpleName}") }
    private val scope = CoroutineScope(SupervisorJob() + dependencies.dispatcher + failures)
    private val session = UserSession(log)
    private val claims = RecordClaims()
    private val records = VaultRecords(vault, log)
    private val server = ServerConnection(configuration, exchange, dependencies, scope)
    private val orders = OpenOrders(records, server, claims, dependencies, session, log)
    private val earlier = EarlierPurchases(server, records, dependencies, session, log)
    private val checkout = WeChatCheckout(
        weChat, configuration, dependencies, scope, server, records, orders, claims, session)
    private val polling = WeChatPolling(
        configuration.policies, dependencies, scope, server, records, orders, claims, session)
    private val recovery = Recovery(
        configuration.policies, dependencies, scope, records, orders, polling, earlier, session, log)
    private val flows = mutableListOf<PurchaseFlow>()
    private var isStarted = false
    private var lastForeground: Long? = null

    init {
        configuration.check()
    }

    /** At the launch of the app. It completes what an earlier run left open. A second call does nothing. */
    suspend fun start() = onClient {
        if (isStarted) return@onClient
        isStarted = true
        weChat?.listen { response -> scope.launch { receive(response) } }
        scope.launch { recovery.run(RecoveryReason.LAUNCH) }
    }

    /** Ends all work, for example at the end of a test. What is open goes on with the next `start` of a new client. */
    suspend fun stop() = onClient {
        for (flow in flows.toList()) end(flow)
        scope.cancel()
    }

    /** Who is signed in; null for nobody. Orders of other users stay in the vault until those users are back (S20). */
    suspend fun setUser(user: String?) = onClient {
        if (user != null && !EarlierPurchases.isUser(user)) {
            throw PurchasingError(
                PurchasingErrorCode.CONFIGURATION_INVALID, "A user is 1 to 255 bytes without control characters.")
        }
        if (user == session.user) return@onClient
        session.user = user
        // Nobody waits any longer for what another user bought; the order goes on.
        for (flow in flows) if (flow.user != user) flow.returned.complete(Unit)
        if (user == null || !isStarted) return@onClient
        scope.launch {
            for (open in openIfLoaded()) session.emit(PurchaseEvent.OrderOpen(open))
            recovery.run(RecoveryReason.USER_CHANGED)
        }
    }

    /**
     * Buys a product through WeChat Pay. Two taps are one sheet: a second call for the same product gets the same
     * result.
     *
     * @throws PurchasingError with a text for the customer in `Messages`.
     */
    suspend fun purchase(request: OrderRequest): PurchaseOutcome = onClient {
        val user = check(request)
        val running = flows.find { it.user == user && it.request.productId == request.productId && !it.isDecided }
        if (running != null) {
            if (running.request.quantity != request.quantity) {
                throw PurchasingError(PurchasingErrorCode.PURCHASE_IN_PROGRESS, "It runs with another quantity.")
            }
            return@onClient outcome(running)
        }
        val flow = PurchaseFlow(user, request, checkout::release)
        flows += flow
        scope.launch { run(flow) }
        outcome(flow)
    }

    /** A caller that goes away before WeChat opens abandons the purchase: WeChat must not open over another page. */
    private suspend fun outcome(flow: PurchaseFlow): PurchaseOutcome {
        flow.callers += 1
        try {
            return flow.outcome.await().getOrThrow()
        } catch (gone: CancellationException) {
            flow.callers -= 1
            if (flow.callers == 0 && flow.paying == null) {
                flow.fail(PurchasingError(PurchasingErrorCode.PURCHASE_ABANDONED))
            }
            throw gone
        }
    }

    suspend fun purchase(productId: String, quantity: Int = 1) = purchase(OrderRequest(productId, quantity))

    /** Completes what is open. Safe at any time. `FOREGROUND`: the app came back; whoever waits for WeChat is back. */
    suspend fun recover(reason: RecoveryReason): RecoveryReport = onClient {
        if (!isStarted) throw PurchasingError(PurchasingErrorCode.NOT_RUNNING, "Call start() first.")
        if (reason == RecoveryReason.FOREGROUND || reason == RecoveryReason.LINK) {
            noteForeground()
            // Each coming to the foreground would ask about each order; a sheet that is open is asked about anyway.
            val last = lastForeground
            val now = dependencies.now()
            lastForeground = now
            if (reason == RecoveryReason.FOREGROUND && last != null && now - last in 0 until
                configuration.policies.foregroundPause) {
                return@onClient RecoveryReport(true, 0, openIfLoaded().size)
            }
        }
        scope.async { recovery.run(reason) }.await()
    }

    /** The signed-in user's orders that are not decided yet. @throws PurchasingError if the vault is unreadable. */
    suspend fun openOrders(): List<OpenOrder> = onClient {
        records.load()
        orders.open(session.user)
    }

    /**
     * Takes what the app's earlier code stored. When it returns, it is in the vault, and the app may delete its own
     * records.
     *
     * @return those that no server could know, because number or user have another form. They are not kept here.
     */
    suspend fun takeOver(earlierRecords: List<EarlierRecord>): List<EarlierRecord> = onClient {
        val unusable = earlier.takeOver(earlierRecords)
        if (isStarted) scope.launch { recovery.run(RecoveryReason.USER_ASKED) }
        unusable
    }

    /** Events from now on, after one for each open order. Close it at the end of the page (1A.13). */
    suspend fun listen(listener: (PurchaseEvent) -> Unit): Closeable = onClient {
        for (open in openIfLoaded()) listener(PurchaseEvent.OrderOpen(open))
        session.add(listener)
        Closeable { scope.launch { session.remove(listener) } }
    }

    // MARK: about the user

    /**
     * The products that are sold at WeChat Pay, from the server's catalog.
     *
     * @throws PurchasingError; it never means that nothing is for sale.
     */
    suspend fun products(): List<Product> = aboutUser { server.products(it) }

    /**
     * The signed-in user's balances now, one for each unit that they ever had.
     *
     * @throws PurchasingError; it never means that the user has nothing.
     */
    suspend fun balances(): List<Balance> = aboutUser { server.balances(it) }

    /**
     * The signed-in user's entitlements now. Each call asks the server, so an old answer never looks like a new one.
     *
     * @throws PurchasingError; it never means that the user has none.
     */
    suspend fun entitlements(): List<Entitlement> = aboutUser { server.entitlements(it) }

    /** An answer that comes after a sign-out is not used for the next user. */
    private suspend fun <Value> aboutUser(call: suspend (String) -> Reply<Value>): Value = onClient {
        val user = signedIn()
        val value = call(user).orThrow()
        if (session.user != user) {
            throw PurchasingError(PurchasingErrorCode.USER_DIFFERS, "Another user signed in meanwhile.")
        }
        value
    }

    private fun signedIn(): String {
        if (!isStarted) throw PurchasingError(PurchasingErrorCode.NOT_RUNNING, "Call start() first.")
        return session.user ?: throw PurchasingError(PurchasingErrorCode.NOT_SIGNED_IN, "Call setUser() first.")
    }

    // MARK: one purchase

    private fun check(request: OrderRequest): String {
        val user = signedIn()
        if (request.quantity !in 1..10) throw PurchasingError(PurchasingErrorCode.QUANTITY_NOT_ALLOWED)
        if (request.productId.encodeToByteArray().size !in 1..255) {
            throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "A product id is 1 to 255 bytes.")
        }
        if (request.reference?.let { EarlierRecord.isReference(it) } == false) {
            throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "reference is not 1 to 64 characters.")
        }
        if (request.scene?.let { it.encodeToByteArray().size in 1..64 } == false) {
            throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "scene is not 1 to 64 bytes.")
        }
        return user
    }

    private suspend fun run(flow: PurchaseFlow) {
        scope.limited(configuration.policies.purchaseLimit, dependencies) {
            try {
                val outcome = checkout.prepare(flow)
                if (outcome != null) flow.decide(outcome) else pay(flow)
            } catch (error: PurchasingError) {
                flow.fail(error)
            } catch (over: CancellationException) {
                throw over
            } catch (error: RuntimeException) {
                log("client.purchase.failed ${error.javaClass.simpleName}")
            }
        }
        val record = flow.payingRecord
        end(flow)
        if (record != null) polling.pollLater(record, WeChatPolling.DECIDING_POLL)
    }

    private suspend fun pay(flow: PurchaseFlow) {
        val (app, request) = (weChat ?: return) to (flow.weChatRequest ?: return)
        log("client.payment.started ${flow.paying?.id}")
        // It may return at once, late or never: nothing waits for it.
        scope.launch {
            val isOpened = try {
                app.open(request)
            } catch (over: CancellationException) {
                throw over
            } catch (error: RuntimeException) {
                log("client.weChat.failed ${error.javaClass.simpleName}")
                false
            }
            // The OpenSDK is no proof here either: the server is asked before the customer gets a message.
            if (!isOpened) flow.customerIsBack(NOT_OPENED)
        }
        polling.pollUntilDecided(flow)
    }

    /** A caller that still waits gets what is known so far. */
    private fun end(flow: PurchaseFlow) {
        val order = flow.paying
        if (order != null) {
            flow.decide(PurchaseOutcome.AwaitingConfirmation(order.id))
        } else {
            flow.fail(PurchasingError(PurchasingErrorCode.SERVER_UNREACHABLE, "The time was over before the payment."))
        }
        flows -= flow
    }

    private suspend fun receive(response: WeChatResponse) {
        if (!response.isPayment) return
        log("client.weChat.response ${response.errCode}")
        val waiting = flows.filter { it.paying != null && !it.isDecided && it.isAnswered(response) }
        // It belongs to an earlier process, or comes twice: only the server is asked.
        if (waiting.isEmpty()) recovery.run(RecoveryReason.LINK)
        // One that names no payment, with two open, is about neither.
        for (flow in waiting) flow.customerIsBack(response.errCode.takeIf { waiting.size == 1 })
    }

    private fun noteForeground() {
        for (flow in flows) {
            val order = flow.paying ?: continue
            if (flow.isDecided) continue
            flow.foregrounds += 1
            val count = flow.foregrounds
            flow.customerIsBack()
            scope.launch {
                dependencies.sleep(configuration.policies.hintAfter)
                if (!flow.isDecided && flow.foregrounds == count) session.emit(PurchaseEvent.SlowCallback(order.id))
            }
        }
    }

    private fun openIfLoaded(): List<OpenOrder> = try {
        records.load()
        orders.open(session.user)
    } catch (error: PurchasingError) {
        emptyList()
    }

    private suspend fun <Value> onClient(work: suspend () -> Value): Value =
        withContext(dependencies.dispatcher) { work() }

    private companion object {
        /** "WeChat was not opened": the OpenSDK gives no number for it. */
        const val NOT_OPENED = -1
    }
}
