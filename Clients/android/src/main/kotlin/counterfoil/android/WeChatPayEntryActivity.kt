package counterfoil.android

import android.app.Activity
import android.content.Intent
import android.os.Bundle

/**
 * Takes WeChat's response. The app's manifest gives it the name that WeChat looks for, by an `activity-alias`
 * `<application id>.wxapi.WXPayEntryActivity`. An app with fluwx leaves the alias to fluwx.
 */
class WeChatPayEntryActivity : Activity() {
    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        take(intent)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        take(intent)
    }

    private fun take(intent: Intent?) {
        if (intent != null) CounterfoilAndroid.weChatEntry(intent)
        // WeChat's response began the process: the customer must see the app, not an empty page.
        if (isTaskRoot) {
            startActivity(
                Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER).setPackage(packageName)
                    .addFlags(Intent.FLAG_ACTIVITY_NEW_TASK))
        }
        finish()
    }
}
