package counterfoil

import counterfoil.core.HttpAnswer
import counterfoil.core.HttpExchange
import counterfoil.core.HttpRequest
import counterfoil.core.OrderRequest
import counterfoil.core.PurchaseEvent
import counterfoil.core.PurchaseOutcome
import counterfoil.core.Purchasing
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.RecoveryReason
import counterfoil.core.Vault
import counterfoil.core.WeChatApp
import counterfoil.core.WeChatPayRequest
import counterfoil.core.WeChatResponse
import java.io.IOException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch

/** What happens in WeChat after it was opened once; times in milliseconds from the opening. */
class Visit(
    val pays: Long? = 3_000, val responds: Pair<Long, Int>? = 4_000L to 0, val times: Int = 1,
    val namesPayment: Boolean = true, val opens: Boolean = true, val hangs: Boolean = false,
)

/** One call of `purchase`. */
class Tap {
    var outcome: PurchaseOutcome? = null
    var error: PurchasingError? = null
    lateinit var job: Job
    val isDone get() = outcome != null || error != null
}

/** The end of a process. An `Error`: the client catches exceptions alone. */
class Killed : Error()

/** A phone with the app, WeChat and the server. A kill ends the app's process at any outside effect. */
class World(val user: String = "alice") {
    val time = VirtualTime()
    val server = ScriptedServer(time)
    val events = mutableListOf<PurchaseEvent>()
    val opened = mutableListOf<WeChatPayRequest>()
    val log = mutableListOf<String>()
    val visits = ArrayDeque<Visit>()
    var document: ByteArray? = null
    var isInstalled = true
    var isRegistered = true
    var vaultFails = false

    /** The number of the effect at which the process dies; effects so far. */
    var dieAt: Int? = null
    var effects = 0
    lateinit var process: VirtualTime.Process
    lateinit var purchasing: Purchasing
    private var listener: ((WeChatResponse) -> Unit)? = null
    private val outside = CoroutineScope(time.outside)

    private fun hear(line: String) {
        log += line
        if (line.startsWith("client.failed") && "Killed" !in line) Checks.uncaught += line
    }

    private fun effect() {
        effects += 1
        if (effects == dieAt) {
            process.isDead = true
            throw Killed()
        }
    }

    private val vault = object : Vault {
        override fun read() = document
        override fun write(document: ByteArray) {
            if (vaultFails) throw IOException("no space")
            effect()
            this@World.document = document
            effect()
        }
    }

    private inner class Link(private val mine: VirtualTime.Process) : HttpExchange {
        override suspend fun send(request: HttpRequest, limitMilliseconds: Long): HttpAnswer {
            if (mine.isDead) awaitCancellation()
            effect()
            val answer = server.send(request, limitMilliseconds)
            effect()
            return answer
        }
    }

    private inner class WeChat : WeChatApp {
        override val appId = "wx0000000000000001"
        override val isRegistered get() = this@World.isRegistered
        override suspend fun isInstalled() = this@World.isInstalled
        override fun listen(listener: (WeChatResponse) -> Unit) { this@World.listener = listener }

        override suspend fun open(request: WeChatPayRequest): Boolean {
            effect()
            val visit = visits.removeFirstOrNull() ?: Visit()
            if (!visit.opens) return false
            opened += request
            outside.launch { visit(visit, request) }
            effect()
            if (visit.hangs) awaitCancellation()
            return true
        }
    }

    private suspend fun visit(visit: Visit, request: WeChatPayRequest) {
        val begin = time.now
        visit.pays?.let { pays ->
            outside.launch {
                time.sleep(pays)
                server.pay(request.prepayId)
            }
        }
        val (after, code) = visit.responds ?: return
        time.sleep(begin + after - time.now)
        repeat(visit.times) {
            respond(WeChatResponse(
                code, true, request.prepayId.takeIf { visit.namesPayment },
                request.extData.takeIf { visit.namesPayment }))
        }
    }

    fun respond(response: WeChatResponse) { listener?.invoke(response) }

    /** Starts the app. `starts`: whether the client begins its work at the launch; else call `begin` later. */
    fun launch(signsIn: Boolean = true, starts: Boolean = true) {
        process = time.Process()
        val mine = process
        purchasing = Purchasing(
            PurchasingConfiguration("https://pay.example.com", log = ::hear) { user, _ -> "token-of-$user" },
            vault, Link(mine), WeChat(), mine)
        server.tokenUser = { it.removePrefix("token-of-") }
        act {
            it.listen { event -> events += event }
            if (signsIn) it.setUser(user)
            if (starts) it.start()
        }
        time.goOn(0)
    }

    fun begin() = act { it.start() }

    fun kill() {
        process.isDead = true
        listener = null
    }

    fun act(work: suspend (Purchasing) -> Unit) {
        val purchasing = purchasing
        CoroutineScope(process.dispatcher).launch {
            try {
                work(purchasing)
            } catch (_: Killed) {
                // The process is gone.
            }
        }
    }

    fun tap(product: String = "coins.100", quantity: Int = 1) = tap(OrderRequest(product, quantity))

    fun tap(request: OrderRequest): Tap {
        val tap = Tap()
        val purchasing = purchasing
        tap.job = CoroutineScope(process.dispatcher).launch {
            try {
                tap.outcome = purchasing.purchase(request)
            } catch (error: PurchasingError) {
                tap.error = error
            }
        }
        return tap
    }

    fun comeToForeground() = act { it.recover(RecoveryReason.FOREGROUND) }

    val records get() = document?.decodeToString().orEmpty()
    val openRecords get() = Regex("\"record\":").findAll(records).count()
    val granted get() = server.orders.count { it.state == "paid" }
}
