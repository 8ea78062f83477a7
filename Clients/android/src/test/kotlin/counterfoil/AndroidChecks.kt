package counterfoil

import android.app.Activity
import android.app.Application
import android.content.Context
import android.content.Intent
import com.tencent.mm.opensdk.constants.Build
import com.tencent.mm.opensdk.modelbase.BaseReq
import com.tencent.mm.opensdk.modelbase.BaseResp
import com.tencent.mm.opensdk.modelmsg.SendMessageToWX
import com.tencent.mm.opensdk.modelpay.PayReq
import com.tencent.mm.opensdk.modelpay.PayResp
import com.tencent.mm.opensdk.openapi.IWXAPI
import com.tencent.mm.opensdk.openapi.IWXAPIEventHandler
import com.tencent.mm.opensdk.openapi.WXAPIFactory
import counterfoil.android.CounterfoilAndroid
import counterfoil.android.WeChatPayEntryActivity
import counterfoil.core.AesSealing
import counterfoil.core.FileVault
import counterfoil.core.OrderRequest
import counterfoil.core.PurchaseOutcome
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.PurchasingErrorCode
import counterfoil.core.VaultKeys
import counterfoil.core.VaultLost
import java.io.File
import java.nio.file.Files
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** The thin layer over Android and WeChat's OpenSDK, against stand-ins of their classes. */
class AndroidChecks(private val checks: Checks) {
    /** WeChat's SDK on a phone. */
    private class Sdk : IWXAPI {
        val requests = mutableListOf<PayReq>()
        var registered: String? = null
        var supports = Build.PAY_SUPPORTED_SDK_INT

        override fun registerApp(appId: String): Boolean {
            registered = appId
            return true
        }

        override fun isWXAppInstalled() = true
        override fun getWXAppSupportAPI() = supports
        override fun sendReq(request: BaseReq): Boolean {
            requests += request as PayReq
            return true
        }

        override fun handleIntent(intent: Intent, handler: IWXAPIEventHandler): Boolean {
            handler.onResp(intent.content as? BaseResp ?: return false)
            return true
        }
    }

    private class Keys : VaultKeys {
        var key: SecretKey? = null
        override fun existing() = key
        override fun made() = KeyGenerator.getInstance("AES").apply { init(256) }.generateKey().also { key = it }
    }

    private class Phone(val world: World = World()) {
        val application = Application().apply { folder = Files.createTempDirectory("counterfoil").toFile() }
        val sdk = Sdk()
        val keys = Keys()
        lateinit var client: CounterfoilAndroid

        fun launch(agrees: Boolean = true) {
            WXAPIFactory.made = java.util.function.BiFunction<Context, String, IWXAPI> { _, _ -> sdk }
            world.process = world.time.Process()
            world.server.tokenUser = { it }
            client = CounterfoilAndroid(
                application, PurchasingConfiguration("https://pay.example.com") { user, _ -> user },
                "wx0000000000000001", world.server, keys, world.process)
            if (agrees) client.consentGiven()
            CoroutineScope(world.process.dispatcher).launch {
                client.purchasing.setUser("alice")
                client.purchasing.start()
            }
            world.time.goOn(0)
        }

        fun tap(): Tap {
            val tap = Tap()
            CoroutineScope(world.process.dispatcher).launch {
                try {
                    tap.outcome = client.purchasing.purchase(OrderRequest("coins.100"))
                } catch (error: PurchasingError) {
                    tap.error = error
                }
            }
            return tap
        }

        fun entry(response: BaseResp, isRoot: Boolean = false) = WeChatPayEntryActivity().also {
            it.sent = Intent().apply { content = response }
            it.root = isRoot
            it.performCreate()
        }

        fun pay() = world.server.pay(sdk.requests.last().prepayId)
    }

    private fun response(code: Int, prepayId: String?) = PayResp().apply {
        errCode = code
        this.prepayId = prepayId
    }

    fun run() {
        checks.check("nothing of WeChat's SDK is touched before the consent (reach.md W9)") {
            val phone = Phone()
            WXAPIFactory.calls = 0
            phone.launch(agrees = false)
            val tap = phone.tap()
            expect(phone.world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.NOT_RUNNING)
            expectEqual(WXAPIFactory.calls, 0)
            phone.client.consentGiven()
            phone.client.consentGiven()
            expectEqual(WXAPIFactory.calls, 1)
            expectEqual(phone.sdk.registered, "wx0000000000000001")
            val again = phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            expect(!again.isDone)
        }
        checks.check("a purchase goes through PayReq with nine fields, and the response through the entry activity") {
            val phone = Phone()
            phone.launch()
            val tap = phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            val request = phone.sdk.requests.single()
            expectEqual(
                listOf(request.appId, request.partnerId, request.packageValue, request.nonceStr, request.timeStamp,
                    request.sign, request.signType, request.extData),
                listOf("wx0000000000000001", "1900000001", "Sign=WXPay", "PEFZ3EMFLEEH6HVX5NRRETGRVX7M4A4V",
                    "1795660777", "c2lnbmF0dXJl", "RSA", phone.world.server.orders.single().id))
            phone.pay()
            val activity = phone.entry(response(0, request.prepayId))
            expect(activity.isFinished && activity.started.isEmpty())
            expect(phone.world.time.goOn(10_000) { tap.isDone })
            expect(tap.outcome is PurchaseOutcome.Fulfilled)
        }
        checks.check("a response that begins the process waits for the client, and shows the app") {
            val phone = Phone()
            phone.launch()
            phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            phone.pay()
            phone.world.kill()
            phone.launch(agrees = false)
            val activity = phone.entry(response(0, phone.sdk.requests.single().prepayId), isRoot = true)
            val started = activity.started.single()
            expectEqual(listOf(started.action, started.wantedPackage), listOf(Intent.ACTION_MAIN, "com.example.demo"))
            phone.client.consentGiven()
            phone.world.time.goOn(60_000)
            expectEqual(phone.world.granted, 1)
        }
        checks.check("a response about sharing goes to the app's own handler, and ends no wait (1A.10)") {
            val phone = Phone()
            phone.launch()
            val tap = phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            phone.entry(SendMessageToWX.Resp())
            phone.world.time.goOn(10_000)
            expect(!tap.isDone)
        }
        checks.check("a WeChat that is too old for payments counts as absent") {
            val phone = Phone()
            phone.sdk.supports = Build.PAY_SUPPORTED_SDK_INT - 1
            phone.launch()
            val tap = phone.tap()
            expect(phone.world.time.goOn(60_000) { tap.isDone })
            expectEqual(tap.error?.code, PurchasingErrorCode.WECHAT_NOT_INSTALLED)
        }
        checks.check("a page that is in front again after a pause ends the wait; the first page is none (1A.14)") {
            val phone = Phone()
            phone.launch()
            val tap = phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            val page = Activity()
            for (callback in phone.application.callbacks) callback.onActivityResumed(page)
            phone.world.time.goOn(10_000)
            expect(!tap.isDone)
            for (callback in phone.application.callbacks) callback.onActivityPaused(page)
            for (callback in phone.application.callbacks) callback.onActivityResumed(page)
            expect(phone.world.time.goOn(10_000) { tap.isDone })
            expect(tap.outcome is PurchaseOutcome.AwaitingConfirmation)
        }
        vault()
    }

    private fun vault() {
        checks.check("the vault on disk is encrypted, and replaced as a whole") {
            val phone = Phone()
            phone.launch()
            phone.tap()
            expect(phone.world.time.goOn(60_000) { phone.sdk.requests.size == 1 })
            val file = File(phone.application.folder, "counterfoil.vault")
            val bytes = file.readBytes()
            expect("alice" !in bytes.toString(Charsets.ISO_8859_1))
            expect("paying" in FileVault(file, AesSealing(phone.keys)).read()!!.decodeToString())
            expect(!File(file.path + ".new").exists())
        }
        checks.check("a changed or foreign vault is set aside as lost, and never read as empty in silence") {
            val keys = Keys()
            for (change in listOf<(ByteArray) -> ByteArray>(
                { it.also { bytes -> bytes[bytes.size - 1] = (bytes.last() + 1).toByte() } },
                { it.copyOf(5) }, { ByteArray(0) }, { byteArrayOf(9) + it })) {
                val file = File(Files.createTempDirectory("counterfoil").toFile(), "vault")
                val vault = FileVault(file, AesSealing(keys))
                vault.write("document".encodeToByteArray())
                file.writeBytes(change(file.readBytes()))
                try {
                    vault.read()
                    throw Checks.Failed("it was read")
                } catch (_: VaultLost) {
                    expect(!file.exists() && File(file.path + ".unreadable").exists())
                    expectEqual(vault.read(), null)
                }
            }
            val file = File(Files.createTempDirectory("counterfoil").toFile(), "vault")
            FileVault(file, AesSealing(keys)).write("document".encodeToByteArray())
            try {
                FileVault(file, AesSealing(Keys())).read()
                throw Checks.Failed("it was read without its key")
            } catch (_: VaultLost) {
                // The key went with the device's storage.
            }
        }
    }
}
