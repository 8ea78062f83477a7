package counterfoil.core

import java.io.IOException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** The records of the vault, in memory and on disk. A change counts only once it is on disk. */
internal class VaultRecords(private val vault: Vault, private val log: (String) -> Unit) {
    private class Kept(
        val orders: List<OrderRecord> = emptyList(), val earlier: List<KeptEarlierRecord> = emptyList(),
        /** Users whose open orders at the server are known here. */
        val usersKnown: List<String> = emptyList(),
        /** Records and members that a newer version of this library wrote. */
        val unreadable: List<JsonElement> = emptyList(), val others: Map<String, JsonElement> = emptyMap(),
    )

    private var kept: Kept? = null
    private val now get() = kept ?: throw PurchasingError(PurchasingErrorCode.VAULT_UNAVAILABLE, "It is not loaded.")

    val orders get() = now.orders
    val earlier get() = now.earlier
    fun isKnown(user: String) = user in now.usersKnown
    val isFull get() = now.orders.size + now.unreadable.size >= ORDERS_MAX

    /** Reads the vault once. @throws PurchasingError if it cannot be read now: then no payment starts (X7). */
    fun load() {
        if (kept != null) return
        kept = try {
            vault.read()?.let { read(it) } ?: Kept()
        } catch (error: VaultLost) {
            log("client.vault.lost ${error.message}")
            Kept()
        } catch (error: IOException) {
            throw PurchasingError(PurchasingErrorCode.VAULT_UNAVAILABLE, error.message.orEmpty())
        }
    }

    private fun read(document: ByteArray): Kept {
        val json = try {
            readJson(document) as? JsonObject
        } catch (error: IllegalArgumentException) {
            null
        } ?: throw VaultLost("It holds no JSON object.")
        if ((json["version"] as? JsonPrimitive)?.content != "1") throw IOException("A newer version wrote the vault.")
        val orders = mutableListOf<OrderRecord>()
        val unreadable = mutableListOf<JsonElement>()
        for (item in (json["orders"] as? JsonArray).orEmpty()) {
            try {
                orders += OrderRecord.read(item)
            } catch (error: IllegalArgumentException) {
                log("client.vault.unreadable ${error.message}")
                unreadable += item
            }
        }
        val earlier = try {
            (json["earlier"] as? JsonArray).orEmpty().map { KeptEarlierRecord.read(it) }
        } catch (error: IllegalArgumentException) {
            throw IOException("The earlier records cannot be read: ${error.message}")
        }
        return Kept(
            orders, earlier,
            (json["usersKnown"] as? JsonArray).orEmpty().mapNotNull { (it as? JsonPrimitive)?.content }, unreadable,
            json.filterKeys { it !in setOf("version", "orders", "earlier", "usersKnown") })
    }

    fun order(id: String) = now.orders.find { it.id == id }

    /** Adds a record, or replaces the one with its id. */
    fun put(record: OrderRecord) = write(now.run {
        val isThere = orders.any { it.id == record.id }
        val changed = if (isThere) orders.map { if (it.id == record.id) record else it } else orders + record
        Kept(changed, earlier, usersKnown, unreadable, others)
    })

    fun remove(id: String) =
        write(now.run { Kept(orders.filter { it.id != id }, earlier, usersKnown, unreadable, others) })

    /** Takes in what the server's list of open orders shows, in one write. */
    fun adopt(user: String, records: List<OrderRecord>) = write(now.run {
        val room = (ORDERS_MAX - orders.size - unreadable.size).coerceAtLeast(0)
        Kept(orders + records.take(room), earlier, (usersKnown - user + user).takeLast(USERS_MAX), unreadable, others)
    })

    fun takeOver(records: List<KeptEarlierRecord>) = write(now.run {
        val fresh = records.filter { new -> earlier.none { it.record == new.record } }
        if (earlier.size + fresh.size > EARLIER_MAX) {
            throw PurchasingError(PurchasingErrorCode.VAULT_FULL, "It holds at most $EARLIER_MAX earlier records.")
        }
        Kept(orders, earlier + fresh, usersKnown, unreadable, others)
    })

    fun forget(record: KeptEarlierRecord) =
        write(now.run { Kept(orders, earlier - record, usersKnown, unreadable, others) })

    private fun write(next: Kept) {
        val document = JsonObject(next.others + mapOf(
            "version" to JsonPrimitive(1),
            "orders" to JsonArray(next.orders.map { it.json } + next.unreadable),
            "earlier" to JsonArray(next.earlier.map { it.json }),
            "usersKnown" to JsonArray(next.usersKnown.map { text(it) })))
        try {
            vault.write(document.toString().encodeToByteArray())
        } catch (error: IOException) {
            throw PurchasingError(PurchasingErrorCode.VAULT_UNAVAILABLE, error.message.orEmpty())
        }
        kept = next
    }

    private companion object {
        /** More than two users can keep open at the server (20 each). */
        const val ORDERS_MAX = 48
        const val EARLIER_MAX = 50
        const val USERS_MAX = 20
    }
}
