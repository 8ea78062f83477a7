package counterfoil.android

import android.security.keystore.KeyGenParameterSpec
import android.security.keystore.KeyProperties
import counterfoil.core.VaultKeys
import java.security.KeyStore
import javax.crypto.KeyGenerator
import javax.crypto.SecretKey

/** The vault's key in the Android Keystore: it never leaves the device, and is in no backup. */
class KeystoreKeys(private val alias: String = "counterfoil.vault") : VaultKeys {
    override fun existing(): SecretKey? {
        val store = KeyStore.getInstance(PROVIDER).apply { load(null) }
        return store.getKey(alias, null) as? SecretKey
    }

    override fun made(): SecretKey {
        val generator = KeyGenerator.getInstance("AES", PROVIDER)
        generator.init(
            KeyGenParameterSpec.Builder(alias, KeyProperties.PURPOSE_ENCRYPT or KeyProperties.PURPOSE_DECRYPT)
                .setBlockModes(KeyProperties.BLOCK_MODE_GCM)
                .setEncryptionPaddings(KeyProperties.ENCRYPTION_PADDING_NONE)
                .setKeySize(256)
                .build())
        return generator.generateKey()
    }

    private companion object {
        const val PROVIDER = "AndroidKeyStore"
    }
}
