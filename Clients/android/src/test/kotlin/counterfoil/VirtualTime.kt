package counterfoil

import counterfoil.core.Dependencies
import java.util.PriorityQueue
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resume
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.suspendCancellableCoroutine

/** The clock of a simulated world. It passes only when a test lets it pass, and everything runs on one thread. */
class VirtualTime {
    class Timer(val at: Long, val number: Long, val continuation: CancellableContinuation<Unit>, val process: Process?)

    var now = 1_795_660_777_000L
    private var count = 0L
    private val timers = PriorityQueue<Timer>(compareBy<Timer>({ it.at }, { it.number }))
    private val queue = ArrayDeque<Pair<Process?, Runnable>>()

    /** A process of the app, which a test can kill: nothing of it runs afterwards. */
    inner class Process : Dependencies {
        var isDead = false
        private var identifiers = 0

        override fun now() = this@VirtualTime.now
        override suspend fun sleep(milliseconds: Long) = this@VirtualTime.sleep(milliseconds, this)
        override fun makeIdentifier() = "00000000-0000-4000-8000-%012d".format(++made)
        override val dispatcher = object : CoroutineDispatcher() {
            override fun dispatch(context: CoroutineContext, block: Runnable) {
                queue += this@Process to block
            }
        }
    }

    private var made = 0

    /** Work of the outside world, which no kill ends. */
    val outside = object : CoroutineDispatcher() {
        override fun dispatch(context: CoroutineContext, block: Runnable) {
            queue += null to block
        }
    }

    suspend fun sleep(milliseconds: Long, process: Process? = null) = suspendCancellableCoroutine { continuation ->
        timers += Timer(now + milliseconds, count++, continuation, process)
    }

    /** Lets everything run that can run now; then time passes to the next timer, until the end or the goal. */
    fun goOn(milliseconds: Long = 600_000, until: () -> Boolean = { false }): Boolean {
        val end = now + milliseconds
        while (true) {
            while (queue.isNotEmpty()) {
                val (process, work) = queue.removeFirst()
                if (process?.isDead != true) work.run()
                if (until()) return true
            }
            val timer = timers.poll() ?: break
            if (timer.at > end) {
                timers += timer
                break
            }
            now = maxOf(now, timer.at)
            if (timer.process?.isDead != true && timer.continuation.isActive) timer.continuation.resume(Unit)
        }
        if (until()) return true
        now = end
        return false
    }
}
