// Serves CounterfoilBackend.java with the JDK alone. The book is SQLite through JDBC; the driver is the one dependency.
//
//   javac -d classes Examples/Backends/java/{CounterfoilBackend,Book,Json,PlainServer}.java
//   java -cp classes:sqlite-jdbc.jar PlainServer Examples/Backends/schema.sql
//
// It reads these environment variables:
//
// PORT                          where it listens on this machine; 0 lets the system choose
// BOOK                          the file of its database
// COUNTERFOIL_SERVER            the address of the server
// COUNTERFOIL_SECRET_KEY        cfs_…
// COUNTERFOIL_WEBHOOK_SECRETS   whsec_…; several with spaces between them while one is replaced
// COUNTERFOIL_APP, COUNTERFOIL_USER_TOKEN_KID, COUNTERFOIL_USER_TOKEN_SECRET   as in the server's configuration
// COUNTERFOIL_ENVIRONMENT       the environment that is booked; `production` unless it says otherwise
// BEHIND_PROXY                  `yes` if a proxy of yours writes X-Forwarded-For: WeChat's H5 needs the payer's address

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Executors;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

public final class PlainServer {
  private final CounterfoilBackend backend;
  private final boolean isBehindProxy;

  private PlainServer(CounterfoilBackend backend, boolean isBehindProxy) {
    this.backend = backend;
    this.isBehindProxy = isBehindProxy;
  }

  /** A database whose commits survive a power cut. */
  static SQLiteDataSource database(String file) {
    SQLiteConfig config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
    config.setTransactionMode(SQLiteConfig.TransactionMode.IMMEDIATE);
    config.setBusyTimeout(10_000);
    SQLiteDataSource source = new SQLiteDataSource(config);
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }

  /** Whose session it is. This one believes everybody who knows a name: put your own check in its place. */
  static String userOf(String authorization) throws CounterfoilBackend.Refusal {
    if (authorization == null || !authorization.startsWith("Bearer session-of-")) {
      throw new CounterfoilBackend.Refusal(401, "session_missing");
    }
    byte[] name = authorization.substring("Bearer session-of-".length()).getBytes(StandardCharsets.ISO_8859_1);
    return new String(name, StandardCharsets.UTF_8);
  }

  /** The last address is the one that our own proxy has added. */
  static String payersAddress(String forwarded, String peer) {
    if (forwarded == null || forwarded.isBlank()) return peer;
    return forwarded.substring(forwarded.lastIndexOf(',') + 1).strip();
  }

  private CounterfoilBackend.Answer answer(HttpExchange exchange) throws Exception {
    var headers = exchange.getRequestHeaders();
    byte[] body = exchange.getRequestBody().readNBytes(CounterfoilBackend.BODY_MAX + 1);
    if (body.length > CounterfoilBackend.BODY_MAX) throw new CounterfoilBackend.Refusal(413, "body_too_large");
    String path = exchange.getRequestURI().getRawPath();
    String query = exchange.getRequestURI().getRawQuery();
    if (exchange.getRequestURI().getRawFragment() != null) throw new CounterfoilBackend.Refusal(404, "not_passed_on");
    String route = exchange.getRequestMethod() + " " + path;
    if (route.equals("POST /counterfoil")) {
      backend.receive(headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"),
          headers.getFirst("webhook-signature"), body, Instant.now());
      return new CounterfoilBackend.Answer(204, "");
    }
    String user = userOf(headers.getFirst("Authorization"));
    String text = new String(body, StandardCharsets.UTF_8);
    switch (route) {
      case "GET /balances":
        return new CounterfoilBackend.Answer(200, backend.balances(user));
      case "POST /user-token":
        String token = backend.userToken(user, Instant.now());
        return new CounterfoilBackend.Answer(200, "{\"token\":" + Json.quoted(token) + "}");
      case "POST /v1/orders":
        String peer = exchange.getRemoteAddress().getAddress().getHostAddress();
        String address = isBehindProxy ? payersAddress(headers.getFirst("X-Forwarded-For"), peer) : peer;
        return backend.createOrder(user, headers.getFirst("Idempotency-Key"), text, address);
      default:
        return backend.forward(user, exchange.getRequestMethod(), path, query == null ? "" : query, text);
    }
  }

  interface Handler {
    CounterfoilBackend.Answer answer() throws Exception;
  }

  /** Whatever goes wrong is an answer that makes the other side ask again. */
  static CounterfoilBackend.Answer guarded(Handler handler) {
    try {
      return handler.answer();
    } catch (CounterfoilBackend.Refusal refusal) {
      return refusal.answer();
    } catch (IllegalArgumentException unreadable) {
      return new CounterfoilBackend.Answer(400, "{\"code\":\"body_unreadable\"}");
    } catch (Exception failure) {
      System.err.println(failure);
      return new CounterfoilBackend.Answer(503, "{\"code\":\"try_again\"}");
    }
  }

  private void serve(HttpExchange exchange) {
    try (exchange) {
      CounterfoilBackend.Answer answer = guarded(() -> answer(exchange));
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      if (bytes.length > 0) exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) exchange.getResponseBody().write(bytes);
    } catch (IOException gone) {
      System.err.println(gone);
    }
  }

  public static void main(String[] arguments) throws Exception {
    var settings = System.getenv();
    Book book = new Book(database(settings.get("BOOK")), Files.readString(Path.of(arguments[0])));
    PlainServer server = new PlainServer(
        new CounterfoilBackend(settings, book), "yes".equals(settings.get("BEHIND_PROXY")));
    HttpServer http = HttpServer.create(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(settings.get("PORT"))), 100);
    http.setExecutor(Executors.newFixedThreadPool(16));
    http.createContext("/", server::serve);
    http.start();
    System.out.println("http://127.0.0.1:" + http.getAddress().getPort());
  }
}
