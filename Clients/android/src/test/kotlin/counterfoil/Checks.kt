package counterfoil

/** Runs the checks and tells their number and the failed ones. */
class Checks {
    class Failed(words: String) : Exception(words)

    companion object {
        /** Errors that would end an app, or that were left to the handler of last resort. */
        val uncaught = mutableListOf<String>()
    }

    val failed = mutableListOf<String>()
    var count = 0

    fun check(sentence: String, body: () -> Unit) {
        count += 1
        try {
            uncaught.clear()
            body()
            if (uncaught.isNotEmpty()) throw Failed("errors that nobody caught: $uncaught")
        } catch (error: Throwable) {
            val place = error.stackTrace.firstOrNull {
                it.fileName?.endsWith("Checks.kt") == true && it.fileName != "Checks.kt"
            }
            failed += "$sentence: $error at ${place?.fileName}:${place?.lineNumber}"
        }
    }
}

fun expect(holds: Boolean, words: () -> String = { "" }) {
    if (!holds) throw Checks.Failed("it does not hold ${words()}")
}

fun <Value> expectEqual(is_: Value, should: Value) {
    if (is_ != should) throw Checks.Failed("it is $is_ and should be $should")
}
