package counterfoil

import java.io.File

/** Runs all checks. Arguments: the file for the result as JSON, and the recorded messages of the plug-in. */
fun main(arguments: Array<String>) {
    Thread.setDefaultUncaughtExceptionHandler { _, error -> if (error !is Killed) Checks.uncaught += "$error" }
    val checks = Checks()
    WeChatChecks(checks).run()
    TapChecks(checks).run()
    QueueChecks(checks).run()
    RightsChecks(checks).run()
    RefusalChecks(checks).run()
    val recovery = RecoveryChecks(checks)
    recovery.run()
    AndroidChecks(checks).run()
    FlutterChecks(checks, File(arguments[1])).run()
    val failed = checks.failed.joinToString(",") { kotlinx.serialization.json.JsonPrimitive(it).toString() }
    File(arguments[0]).writeText("""{"checks":${checks.count},"kills":${recovery.kills},"failed":[$failed]}""")
}
