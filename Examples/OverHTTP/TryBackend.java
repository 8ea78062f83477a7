// Runs CounterfoilBackend.java as a server: a gateway for phones, and a receiver of deliveries. Our tests run it.
//
//   javac -d backend Examples/OverHTTP/*.java
//   java -cp backend TryBackend PORT SERVER SECRET_KEY_FILE WEBHOOK_SECRET_FILE BOOK_FILE

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.Executors;

public final class TryBackend {
  /** Bodies are bounded: signed transactions reach 256 KiB. */
  private static final int BODY_MAX = 512 * 1024;

  private final CounterfoilBackend backend;

  private TryBackend(CounterfoilBackend backend) {
    this.backend = backend;
  }

  /** Whose session it is. This one believes everybody who knows a name: put your own check of sessions in its place. */
  private static String userOf(HttpExchange exchange) {
    String header = exchange.getRequestHeaders().getFirst("Authorization");
    return header != null && header.startsWith("Bearer session-of-") ? header.substring(18) : null;
  }

  private CounterfoilBackend.Answer answerPhone(HttpExchange exchange) throws IOException, InterruptedException {
    String user = userOf(exchange);
    if (user == null) return new CounterfoilBackend.Answer(401, "{\"code\":\"session_missing\"}");
    byte[] body = exchange.getRequestBody().readNBytes(BODY_MAX + 1);
    if (body.length > BODY_MAX) return new CounterfoilBackend.Answer(413, "{\"code\":\"body_too_large\"}");
    String text = new String(body, StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getPath();
    String query = exchange.getRequestURI().getRawQuery();
    String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
    if (exchange.getRequestMethod().equals("POST") && path.equals("/v1/orders")) {
      if (key == null) return new CounterfoilBackend.Answer(400, "{\"code\":\"key_missing\"}");
      return backend.createOrder(user, key, text);
    }
    return backend.forward(user, exchange.getRequestMethod(), path, query == null ? "" : query, text);
  }

  private interface Handler {
    CounterfoilBackend.Answer answer(HttpExchange exchange) throws Exception;
  }

  /** Whatever goes wrong is an answer that makes the other side ask again. */
  private static void serve(HttpExchange exchange, Handler handler) {
    try (exchange) {
      CounterfoilBackend.Answer answer;
      try {
        answer = handler.answer(exchange);
      } catch (IllegalArgumentException unreadable) {
        answer = new CounterfoilBackend.Answer(400, "{\"code\":\"body_unreadable\"}");
      } catch (Exception failure) {
        System.err.println(failure);
        answer = new CounterfoilBackend.Answer(503, "{\"code\":\"try_again\"}");
      }
      byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
      if (bytes.length > 0) exchange.getResponseBody().write(bytes);
    } catch (IOException gone) {
      System.err.println(gone);
    }
  }

  public static void main(String[] arguments) throws Exception {
    // So that a test can end it between the booking and the answer; then the delivery comes again.
    boolean dies = Boolean.getBoolean("counterfoil.dieAfterBooking");
    Runnable afterBooking = dies ? () -> Runtime.getRuntime().halt(9) : () -> {};
    TryBackend trial = new TryBackend(new CounterfoilBackend(
        URI.create(arguments[1]), Files.readString(Path.of(arguments[2])).strip(),
        Files.readString(Path.of(arguments[3])).strip(), "simulated",
        new CounterfoilBackend.Book(Path.of(arguments[4]), afterBooking)));
    HttpServer http = HttpServer.create(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])), 100);
    http.setExecutor(Executors.newFixedThreadPool(16));
    http.createContext("/v1/", exchange -> serve(exchange, trial::answerPhone));
    http.createContext("/counterfoil", exchange -> serve(exchange, one -> {
      var headers = one.getRequestHeaders();
      byte[] body = one.getRequestBody().readNBytes(BODY_MAX + 1);
      int status = body.length > BODY_MAX ? 413 : trial.backend.receiveDelivery(
          headers.getFirst("webhook-id"), headers.getFirst("webhook-timestamp"), headers.getFirst("webhook-signature"),
          body, Instant.now());
      return new CounterfoilBackend.Answer(status, "");
    }));
    http.start();
    System.out.println("http://127.0.0.1:" + http.getAddress().getPort());
  }
}
