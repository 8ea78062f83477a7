package counterfoil.android

import android.content.Context
import android.content.Intent
import com.tencent.mm.opensdk.constants.Build
import com.tencent.mm.opensdk.constants.ConstantsAPI
import com.tencent.mm.opensdk.modelbase.BaseReq
import com.tencent.mm.opensdk.modelbase.BaseResp
import com.tencent.mm.opensdk.modelpay.PayReq
import com.tencent.mm.opensdk.modelpay.PayResp
import com.tencent.mm.opensdk.openapi.IWXAPI
import com.tencent.mm.opensdk.openapi.IWXAPIEventHandler
import com.tencent.mm.opensdk.openapi.WXAPIFactory
import counterfoil.core.WeChatApp
import counterfoil.core.WeChatPayRequest
import counterfoil.core.WeChatResponse

/**
 * WeChat through the OpenSDK that the app includes.
 *
 * Nothing of the SDK is touched before `consentGiven`: Chinese stores reject an app that initializes a third party's
 * SDK, or asks which apps are installed, before the customer agreed to the privacy policy.
 */
class OpenSdkWeChat(
    private val context: Context, override val appId: String,
    /** Hears responses that are about no payment: sharing, signing in. */
    private val others: IWXAPIEventHandler? = null,
) : WeChatApp, IWXAPIEventHandler {
    private var api: IWXAPI? = null
    private var listener: ((WeChatResponse) -> Unit)? = null
    private val untaken = ArrayDeque<WeChatResponse>()
    private val unhandled = ArrayDeque<Intent>()

    override val isRegistered: Boolean
        @Synchronized get() = api != null

    /** The customer has agreed to the privacy policy, now or earlier. Registers at WeChat; again does nothing. */
    @Synchronized
    fun consentGiven(): Boolean {
        if (api != null) return true
        val fresh = WXAPIFactory.createWXAPI(context, appId, true)
        if (!fresh.registerApp(appId)) return false
        api = fresh
        while (unhandled.isNotEmpty()) fresh.handleIntent(unhandled.removeFirst(), this)
        return true
    }

    override suspend fun isInstalled(): Boolean {
        val api = synchronized(this) { api } ?: return false
        return api.isWXAppInstalled && api.wxAppSupportAPI >= Build.PAY_SUPPORTED_SDK_INT
    }

    override suspend fun open(request: WeChatPayRequest): Boolean {
        val api = synchronized(this) { api } ?: return false
        return api.sendReq(PayReq().apply {
            appId = request.appId
            partnerId = request.partnerId
            prepayId = request.prepayId
            packageValue = request.packageValue
            nonceStr = request.nonceStr
            timeStamp = request.timeStamp
            sign = request.sign
            signType = request.signType
            extData = request.extData
        })
    }

    // MARK: responses

    @Synchronized
    override fun listen(listener: (WeChatResponse) -> Unit) {
        this.listener = listener
        while (untaken.isNotEmpty()) listener(untaken.removeFirst())
    }

    /** An intent that WeChat sent to `WXPayEntryActivity`. It may begin the process, before there is a consent. */
    @Synchronized
    fun handleIntent(intent: Intent) {
        val api = api
        if (api != null) {
            api.handleIntent(intent, this)
        } else {
            unhandled.addLast(intent)
            if (unhandled.size > UNTAKEN_MAX) unhandled.removeFirst()
        }
    }

    override fun onReq(request: BaseReq) {
        others?.onReq(request)
    }

    override fun onResp(response: BaseResp) {
        if (response.type != ConstantsAPI.COMMAND_PAY_BY_WX) {
            others?.onResp(response)
            return
        }
        val payment = response as? PayResp
        receive(WeChatResponse(response.errCode, true, payment?.prepayId, payment?.extData))
    }

    /** A response that another library heard, such as fluwx: it owns `WXPayEntryActivity` then. */
    @Synchronized
    fun receive(response: WeChatResponse) {
        val listener = listener
        if (listener != null) {
            listener(response)
        } else {
            untaken.addLast(response)
            if (untaken.size > UNTAKEN_MAX) untaken.removeFirst()
        }
    }

    private companion object {
        /** A customer causes one at a time; of too many, the newest are kept. */
        const val UNTAKEN_MAX = 16
    }
}
