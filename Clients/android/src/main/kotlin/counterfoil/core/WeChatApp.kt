package counterfoil.core

/** WeChat on this device. Its reports are hints, never proof: the server asks WeChat Pay itself. */
interface WeChatApp {
    /** The app id at WeChat; an order for another one is not handed over (1A.7). */
    val appId: String

    /** Whether the app was registered, which must wait for the customer's consent to the privacy policy. */
    val isRegistered: Boolean

    /** Whether WeChat is installed and new enough to pay (1A.6). */
    suspend fun isInstalled(): Boolean

    /** Opens WeChat. True only means that it was opened. */
    suspend fun open(request: WeChatPayRequest): Boolean

    /** Who hears WeChat's responses. One listener; a new one replaces it (1A.8). */
    fun listen(listener: (WeChatResponse) -> Unit)
}

/** The nine values that WeChat receives (1A.9). All come from the server. */
data class WeChatPayRequest(
    val appId: String, val partnerId: String, val prepayId: String, val packageValue: String, val nonceStr: String,
    /** Seconds since 1970, ten digits. */
    val timeStamp: String,
    val sign: String, val signType: String?, val extData: String?,
) {
    /** The other values authorize a payment and are not logged. */
    override fun toString() = "payment $prepayId"
}

/** A response of WeChat. Those about sharing or signing in are not payments (1A.10). */
data class WeChatResponse(
    val errCode: Int, val isPayment: Boolean = true, val prepayId: String? = null, val extData: String? = null,
)
