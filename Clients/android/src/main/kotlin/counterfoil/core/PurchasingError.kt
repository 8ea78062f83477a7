package counterfoil.core

/** The error codes, with the words of the Swift library. `Messages` has a text for each in two languages. */
enum class PurchasingErrorCode(val word: String) {
    CONFIGURATION_INVALID("client_configuration_invalid"),
    NOT_RUNNING("client_not_running"),
    NOT_SIGNED_IN("client_not_signed_in"),
    QUANTITY_NOT_ALLOWED("client_quantity_not_allowed"),
    PURCHASE_IN_PROGRESS("client_purchase_in_progress"),
    EARLIER_PURCHASE_UNDECIDED("client_earlier_purchase_undecided"),
    VAULT_UNAVAILABLE("client_vault_unavailable"),
    VAULT_FULL("client_vault_full"),
    WECHAT_ABSENT("client_wechat_absent"),
    WECHAT_NOT_INSTALLED("client_wechat_not_installed"),
    WECHAT_APP_DIFFERS("client_wechat_app_differs"),
    WECHAT_FAILED("client_wechat_failed"),
    USER_TOKEN_UNAVAILABLE("client_user_token_unavailable"),
    USER_DIFFERS("client_user_differs"),
    SERVER_UNREACHABLE("client_server_unreachable"),
    SERVER_REFUSED("client_server_refused"),
    ORDER_DIFFERS("client_order_differs"),
    PURCHASE_ABANDONED("client_purchase_abandoned"),
}

/** Why a purchase did not begin, or failed. Nothing was charged unless a later event says so. */
class PurchasingError(
    val code: PurchasingErrorCode,
    /** For a developer; `Messages` has the text for the customer. */
    val explanation: String = "",
    /** The server's own code. */
    val serverCode: String? = null,
    /** WeChat's number: -1 and so on. */
    val weChatCode: Int? = null,
) : Exception("${code.word}: $explanation")
