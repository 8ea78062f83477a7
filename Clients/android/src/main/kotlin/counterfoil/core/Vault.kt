package counterfoil.core

import java.io.File
import java.io.FileOutputStream
import java.io.IOException
import java.nio.file.Files
import java.nio.file.StandardCopyOption
import java.security.GeneralSecurityException

/** Durable storage of one document. What `write` was given is on disk when it returns. */
interface Vault {
    /**
     * The document; null if there is none.
     *
     * @throws VaultLost if it can never be read again.
     * @throws IOException if it cannot be read now.
     */
    fun read(): ByteArray?

    /** @throws IOException if it is not on disk. The earlier document is there then. */
    fun write(document: ByteArray)
}

/** The document is damaged, or its key is gone: no later attempt will read it. The server's list replaces it. */
class VaultLost(why: String) : Exception(why)

/** Encrypts the document. */
interface Sealing {
    /** @throws GeneralSecurityException if the system has no key now. */
    fun seal(document: ByteArray): ByteArray

    /**
     * @throws VaultLost if this key did not seal it, or it was changed.
     * @throws GeneralSecurityException if the system has no key now.
     */
    fun open(sealed: ByteArray): ByteArray
}

/** A file that is replaced as a whole: after a kill there is the old document or the new one. */
class FileVault(private val file: File, private val sealing: Sealing) : Vault {
    private val fresh = File(file.path + ".new")

    override fun read(): ByteArray? {
        if (!file.exists()) return null
        if (file.length() > DOCUMENT_MAX) return lost("The file is longer than $DOCUMENT_MAX bytes.")
        val sealed = file.readBytes()
        return try {
            sealing.open(sealed)
        } catch (error: GeneralSecurityException) {
            throw IOException("The vault's key cannot be used now.", error)
        } catch (error: VaultLost) {
            lost(error.message.orEmpty())
        }
    }

    /** The file is set aside, for support, and no longer read. */
    private fun lost(why: String): Nothing {
        Files.move(file.toPath(), File(file.path + ".unreadable").toPath(), StandardCopyOption.REPLACE_EXISTING)
        throw VaultLost(why)
    }

    override fun write(document: ByteArray) {
        val sealed = try {
            sealing.seal(document)
        } catch (error: GeneralSecurityException) {
            throw IOException("The vault's key cannot be used now.", error)
        }
        if (sealed.size > DOCUMENT_MAX) throw IOException("The document is longer than $DOCUMENT_MAX bytes.")
        file.parentFile?.mkdirs()
        FileOutputStream(fresh).use {
            it.write(sealed)
            it.fd.sync()
        }
        Files.move(fresh.toPath(), file.toPath(), StandardCopyOption.ATOMIC_MOVE)
    }

    private companion object {
        /** Bytes: 48 orders and 50 earlier records are far smaller. */
        const val DOCUMENT_MAX = 1 shl 20
    }
}
