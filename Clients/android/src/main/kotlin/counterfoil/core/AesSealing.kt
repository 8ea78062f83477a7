package counterfoil.core

import java.security.GeneralSecurityException
import javax.crypto.AEADBadTagException
import javax.crypto.Cipher
import javax.crypto.SecretKey
import javax.crypto.spec.GCMParameterSpec

/** Where the key of the vault is kept. */
interface VaultKeys {
    /** The key; null if there is none. @throws GeneralSecurityException if the system cannot say it now. */
    fun existing(): SecretKey?

    /** A new key, which replaces an earlier one. */
    fun made(): SecretKey
}

/** Encrypts with AES-GCM, by the platform's own implementation. */
class AesSealing(private val keys: VaultKeys) : Sealing {
    override fun seal(document: ByteArray): ByteArray {
        val cipher = Cipher.getInstance(TRANSFORMATION)
        // The platform chooses a new initialization vector each time.
        cipher.init(Cipher.ENCRYPT_MODE, keys.existing() ?: keys.made())
        return byteArrayOf(VERSION) + cipher.iv + cipher.doFinal(document)
    }

    override fun open(sealed: ByteArray): ByteArray {
        if (sealed.size < 1 + IV_BYTES || sealed[0] != VERSION) throw VaultLost("It was not sealed by this version.")
        val key = keys.existing() ?: throw VaultLost("Its key is gone.")
        val cipher = Cipher.getInstance(TRANSFORMATION)
        cipher.init(Cipher.DECRYPT_MODE, key, GCMParameterSpec(TAG_BITS, sealed, 1, IV_BYTES))
        return try {
            cipher.doFinal(sealed, 1 + IV_BYTES, sealed.size - 1 - IV_BYTES)
        } catch (error: AEADBadTagException) {
            throw VaultLost("It was changed, or sealed with another key.")
        }
    }

    private companion object {
        const val TRANSFORMATION = "AES/GCM/NoPadding"
        const val VERSION: Byte = 1
        const val IV_BYTES = 12
        const val TAG_BITS = 128
    }
}
