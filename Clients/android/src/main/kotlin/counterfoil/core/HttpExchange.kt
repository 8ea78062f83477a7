package counterfoil.core

import java.io.IOException
import java.io.InputStream
import java.net.HttpURLConnection
import java.net.URL
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/** One request to the server. */
class HttpRequest(
    val method: String, val url: String, val fields: Map<String, String>, val body: ByteArray?,
) {
    /** The fields carry a token, which is not logged. */
    override fun toString() = "$method $url"
}

/** An answer, whatever its status. */
class HttpAnswer(val status: Int, val contentType: String?, val retryAfter: String?, val body: ByteArray)

/** Sends requests. Tests and apps with a network library of their own hand in another. */
interface HttpExchange {
    /** @throws IOException if there is no answer: whether the request had an effect is then unknown. */
    suspend fun send(request: HttpRequest, limitMilliseconds: Long): HttpAnswer
}

/** The platform's own HTTP, with its own certificates. */
class UrlConnectionExchange : HttpExchange {
    override suspend fun send(request: HttpRequest, limitMilliseconds: Long): HttpAnswer =
        withContext(Dispatchers.IO) {
            val connection = URL(request.url).openConnection() as HttpURLConnection
            try {
                connection.requestMethod = request.method
                // A redirect would hand the token to another host.
                connection.instanceFollowRedirects = false
                connection.connectTimeout = limitMilliseconds.toInt()
                connection.readTimeout = limitMilliseconds.toInt()
                for ((name, value) in request.fields) connection.setRequestProperty(name, value)
                if (request.body != null) {
                    connection.doOutput = true
                    connection.setFixedLengthStreamingMode(request.body.size)
                    connection.outputStream.use { it.write(request.body) }
                }
                val status = connection.responseCode
                val stream = if (status < 400) connection.inputStream else connection.errorStream
                HttpAnswer(
                    status, connection.contentType, connection.getHeaderField("Retry-After"),
                    stream?.use { bounded(it) } ?: ByteArray(0))
            } finally {
                connection.disconnect()
            }
        }

    private fun bounded(stream: InputStream): ByteArray {
        val buffer = java.io.ByteArrayOutputStream()
        val part = ByteArray(8 shl 10)
        while (true) {
            val count = stream.read(part)
            if (count < 0) return buffer.toByteArray()
            if (buffer.size() + count > BODY_MAX) throw IOException("The answer is longer than $BODY_MAX bytes.")
            buffer.write(part, 0, count)
        }
    }

    private companion object {
        /** Bytes of an answer: a list of 100 orders with metadata is smaller. */
        const val BODY_MAX = 1 shl 20
    }
}
