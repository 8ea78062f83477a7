package counterfoil.core

import java.net.URI
import java.net.URISyntaxException

/** What the client must know. */
class PurchasingConfiguration(
    /** Counterfoil, or your own gateway with the same paths: `https://pay.example.com`. */
    val server: String,
    val language: Messages.Language = Messages.Language.CHINESE,
    val policies: PurchasingPolicies = PurchasingPolicies(),
    /** One line for each event. It never carries a token or a signature. */
    val log: (String) -> Unit = {},
    /** The user's token from your backend. `wasRefused`: the server refused the last one, so a new one is needed. */
    val userToken: suspend (user: String, wasRefused: Boolean) -> String?,
) {
    /** @throws PurchasingError if it cannot be used. */
    internal fun check() {
        val address = try {
            URI(server)
        } catch (error: URISyntaxException) {
            throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "server: ${error.reason}")
        }
        val isLocal = address.host in setOf("localhost", "127.0.0.1", "10.0.2.2")
        if (address.host == null || !(address.scheme == "https" || address.scheme == "http" && isLocal)) {
            throw PurchasingError(
                PurchasingErrorCode.CONFIGURATION_INVALID,
                "server must begin with https://. http:// is for localhost and 10.0.2.2 (the emulator's host) alone.")
        }
        if (address.rawQuery != null || address.rawUserInfo != null) {
            throw PurchasingError(PurchasingErrorCode.CONFIGURATION_INVALID, "server has a query, or a password.")
        }
        policies.check()
    }
}

/** Times in milliseconds. The defaults are those of the Swift library. */
class PurchasingPolicies(
    /** For one request. For one that waits for a payment, the wait is added. */
    val requestLimit: Long = 10_000,
    /** Pauses between attempts to make an order while the customer looks at the button. */
    val orderPauses: List<Long> = listOf(1_000, 3_000),
    /** For one call of `purchase`. The work goes on after it. */
    val purchaseLimit: Long = 180_000,
    /** For WeChat's silence before the server is asked in between. */
    val silenceLimit: Long = 30_000,
    /** For an answer of the OpenSDK. */
    val storeLimit: Long = 10_000,
    /** When the server is asked, from the return on. The caller hears after the second; the others follow (1A.16). */
    val looks: List<Long> = listOf(0, 5_000, 10_000, 20_000, 30_000),
    /** From the return to the foreground to the event `SlowCallback` (1A.75). */
    val hintAfter: Long = 30_000,
    /** Pauses before a recovery that got no answer is repeated. */
    val recoveryPauses: List<Long> = listOf(10_000, 30_000, 120_000),
    /** The least time between two recoveries because of the foreground. */
    val foregroundPause: Long = 30_000,
) {
    internal fun check() {
        val limits = listOf(requestLimit, purchaseLimit, silenceLimit, storeLimit)
        val pauses = orderPauses + looks + recoveryPauses + hintAfter + foregroundPause
        if (limits.any { it <= 0 } || pauses.any { it < 0 } || looks.isEmpty()) {
            throw PurchasingError(
                PurchasingErrorCode.CONFIGURATION_INVALID, "policies: a limit is positive, no pause is negative.")
        }
    }
}
