package counterfoil.core

import java.util.UUID
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch

/** Time and random ids. Tests hand in their own. */
interface Dependencies {
    /** Milliseconds since 1970, by the clock of the device. */
    fun now(): Long

    suspend fun sleep(milliseconds: Long)

    /** A new random UUID, as text in lower case. */
    fun makeIdentifier(): String

    /** The client's own thread: all its state is used on it alone. */
    val dispatcher: CoroutineDispatcher

    /** The device's own clock and random numbers. */
    class System : Dependencies {
        override fun now() = java.lang.System.currentTimeMillis()
        override suspend fun sleep(milliseconds: Long) = delay(milliseconds)
        override fun makeIdentifier() = UUID.randomUUID().toString()
        override val dispatcher = Dispatchers.IO.limitedParallelism(1)
    }
}

/**
 * Runs work for at most the given time; null if it was not done by then, or failed.
 *
 * Work that is late goes on without a listener. A scope that waits for its children would not limit work that ignores
 * its cancellation, such as a blocking call.
 */
internal suspend fun <Value : Any> CoroutineScope.limited(
    milliseconds: Long, dependencies: Dependencies, work: suspend () -> Value?,
): Value? {
    val result = CompletableDeferred<Value?>()
    val worker = launch {
        result.complete(
            try {
                work()
            } catch (_: Exception) {
                null
            }
        )
    }
    val timer = launch {
        dependencies.sleep(milliseconds)
        result.complete(null)
    }
    val value = result.await()
    timer.cancel()
    worker.cancel()
    return value
}
