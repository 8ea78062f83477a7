package counterfoil.android

import android.app.Activity
import android.app.Application
import android.content.Intent
import android.os.Bundle
import counterfoil.core.AesSealing
import counterfoil.core.Dependencies
import counterfoil.core.FileVault
import counterfoil.core.HttpExchange
import counterfoil.core.Purchasing
import counterfoil.core.PurchasingConfiguration
import counterfoil.core.PurchasingError
import counterfoil.core.RecoveryReason
import counterfoil.core.UrlConnectionExchange
import counterfoil.core.VaultKeys
import java.io.File
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.launch

/**
 * The client of an Android app. Make one in `Application.onCreate`:
 *
 *     val shop = CounterfoilAndroid(this, configuration, weChatAppId = "wx…")
 *     shop.purchasing.start()
 *     shop.consentGiven()      // once the customer has agreed to the privacy policy, now or earlier
 */
class CounterfoilAndroid(
    application: Application, configuration: PurchasingConfiguration, weChatAppId: String,
    exchange: HttpExchange = UrlConnectionExchange(), keys: VaultKeys = KeystoreKeys(),
    private val dependencies: Dependencies = Dependencies.System(),
) {
    val weChat = OpenSdkWeChat(application, weChatAppId)

    /** The folder is in no backup: another device's orders are of no use here. */
    val purchasing = Purchasing(
        configuration, FileVault(File(application.noBackupFilesDir, "counterfoil.vault"), AesSealing(keys)), exchange,
        weChat, dependencies)
    private val scope = CoroutineScope(SupervisorJob() + dependencies.dispatcher)

    init {
        application.registerActivityLifecycleCallbacks(ForegroundObserver { cameBack() })
        adopt(this)
    }

    /** The customer has agreed to the privacy policy. WeChat is registered only now. */
    fun consentGiven(): Boolean = weChat.consentGiven()

    /** The app is in front again: a response of WeChat may have been lost, so the server is asked (1A.14). */
    private fun cameBack() {
        scope.launch {
            try {
                purchasing.recover(RecoveryReason.FOREGROUND)
            } catch (_: PurchasingError) {
                // It was not started yet; the start asks about everything.
            }
        }
    }

    companion object {
        private var current: CounterfoilAndroid? = null
        private val early = mutableListOf<Intent>()

        /** WeChat's response, perhaps before the app has made its client in this process. */
        @Synchronized
        internal fun weChatEntry(intent: Intent) {
            val client = current
            if (client != null) client.weChat.handleIntent(intent) else early += intent
        }

        @Synchronized
        private fun adopt(client: CounterfoilAndroid) {
            current = client
            for (intent in early) client.weChat.handleIntent(intent)
            early.clear()
        }
    }
}

/** Tells when one of the app's pages is in front again. A chooser between two WeChats only pauses a page (1A.15.8). */
internal class ForegroundObserver(private val cameBack: () -> Unit) : Application.ActivityLifecycleCallbacks {
    private var wasPaused = false

    override fun onActivityPaused(activity: Activity) {
        wasPaused = true
    }

    override fun onActivityResumed(activity: Activity) {
        if (!wasPaused) return
        wasPaused = false
        cameBack()
    }

    override fun onActivityCreated(activity: Activity, savedInstanceState: Bundle?) {}
    override fun onActivityStarted(activity: Activity) {}
    override fun onActivityStopped(activity: Activity) {}
    override fun onActivitySaveInstanceState(activity: Activity, outState: Bundle) {}
    override fun onActivityDestroyed(activity: Activity) {}
}
