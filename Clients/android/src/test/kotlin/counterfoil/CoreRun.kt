package counterfoil

import java.io.File

/** Runs the checks of the core; the file named by the argument gets their result as JSON. */
fun main(arguments: Array<String>) {
    val checks = Checks()
    WeChatChecks(checks).run()
    RefusalChecks(checks).run()
    val recovery = RecoveryChecks(checks)
    recovery.run()
    AndroidChecks(checks).run()
    val failed = checks.failed.joinToString(",") { kotlinx.serialization.json.JsonPrimitive(it).toString() }
    File(arguments[0]).writeText("""{"checks":${checks.count},"kills":${recovery.kills},"failed":[$failed]}""")
}
