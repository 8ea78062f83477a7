package counterfoil.core

/** How a purchase stands when `purchase` returns. Its names are those of the Swift library. */
sealed interface PurchaseOutcome {
    /** The id of the order: the customer's number for support. */
    val order: String

    /** Granted. `recovered`: an earlier purchase was found paid, and this tap charged nothing. */
    data class Fulfilled(override val order: String, val recovered: Boolean) : PurchaseOutcome

    /** The customer cancelled. The order is kept: a payment that appears later is granted to it. */
    data class Cancelled(override val order: String) : PurchaseOutcome

    /** Not known yet whether it was paid. The work goes on, now and at each start; an event tells the result. */
    data class AwaitingConfirmation(override val order: String) : PurchaseOutcome

    /** The server judged the payment and did not grant it: `held`, `revoked`. Show how to contact support. */
    data class NotGranted(override val order: String, val verdict: String, val reason: String?) : PurchaseOutcome

    /** The outcome's stable name. */
    val name: String
        get() = when (this) {
            is Fulfilled -> "fulfilled"
            is Cancelled -> "cancelled"
            is AwaitingConfirmation -> "awaitingConfirmation"
            is NotGranted -> "notGranted"
        }
}

/** An event that an app may want to show. New kinds may come: have an `else` in your `when`. */
sealed interface PurchaseEvent {
    /** An order of the signed-in user is open, or its state has changed. Replayed to each new listener and user. */
    data class OrderOpen(val order: OpenOrder) : PurchaseEvent

    /** An order of the signed-in user left the vault: it is granted, or closed unpaid. */
    data class OrderClosed(val order: String) : PurchaseEvent

    /** An order is paid and granted, however the client learned of it. */
    data class OrderGranted(val order: String) : PurchaseEvent

    /** The customer came back from WeChat and no payment is confirmed. A later payment is granted. */
    data class NotConfirmed(val order: String) : PurchaseEvent

    /** The app has been in the foreground for a while, and there is still no answer (1A.75). */
    data class SlowCallback(val order: String) : PurchaseEvent

    /** The server judged a record of an earlier version of the app: the app's own number and the verdict. */
    data class EarlierRecordJudged(val reference: String, val verdict: String) : PurchaseEvent

    val name: String
        get() = when (this) {
            is OrderOpen -> "orderOpen"
            is OrderClosed -> "orderClosed"
            is OrderGranted -> "orderGranted"
            is NotConfirmed -> "notConfirmed"
            is SlowCallback -> "slowCallback"
            is EarlierRecordJudged -> "earlierRecordJudged"
        }
}

/** An order that this device has a record of. */
data class OpenOrder(
    val order: String, val user: String, val productId: String, val quantity: Int, val phase: String,
    /** WeChat's last number about it, for support. */
    val weChatCode: Int?,
)

/** Why the client looks for open purchases now. */
enum class RecoveryReason { LAUNCH, FOREGROUND, LINK, NETWORK_BACK, USER_CHANGED, USER_ASKED, PUSH }

/** The result of a recovery. */
data class RecoveryReport(
    /** Whether vault and server answered. If not, the numbers are incomplete, and the client asks again by itself. */
    val isComplete: Boolean,
    /** Records that left the vault. */
    val ordersClosed: Int,
    /** Records that stay. */
    val ordersOpen: Int,
)
