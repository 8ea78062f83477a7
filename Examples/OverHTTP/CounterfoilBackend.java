// Counterfoil over HTTP alone, for the backend, in Java: nothing but the JDK (17 or later), no dependency.
//
// Runs in our tests, against the server and the simulated App Store. What it shows:
//   1. `createOrder`      your own number is written down first, then Counterfoil makes the order under it
//   2. `forward`          the phone talks to you alone; you add the user of its session, and the secret key
//   3. `receiveDelivery`  the signed message is checked and booked once, however often it comes
// The page docs/http-alone.md says why it is so; TryBackend.java runs it.
//
// To be complete without a database it keeps its book in a text file. In your backend that is two tables: orders, with
// a unique (user, key); bookings, with the delivery id as primary key, in the transaction that adds the coins.

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class CounterfoilBackend {
  /** Standard Webhooks: an older or newer message may be a replay. */
  private static final Duration WINDOW = Duration.ofMinutes(5);
  /** Longer than the 25 s that `?wait=` may take. */
  private static final Duration LIMIT = Duration.ofSeconds(35);

  private final URI server;
  private final String secretKey;
  private final byte[] webhookSecret;
  /** The world whose deliveries are booked: `production` is real money, nothing else is. */
  private final String environment;
  private final Book book;
  private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

  public CounterfoilBackend(URI server, String secretKey, String webhookSecret, String environment, Book book) {
    if (!webhookSecret.startsWith("whsec_")) throw new IllegalArgumentException("a webhook secret begins with whsec_");
    this.server = server;
    this.secretKey = secretKey;
    this.webhookSecret = Base64.getDecoder().decode(webhookSecret.substring("whsec_".length()));
    this.environment = environment;
    this.book = book;
  }

  /** A status and a JSON text. */
  public record Answer(int status, String body) {}

  // 1. The order

  /**
   * Makes an order under your own number. The phone's key makes a repeat the same order: any answer may be lost, and no
   * second order must come of it.
   */
  public Answer createOrder(String user, String phonesKey, String body) throws IOException, InterruptedException {
    Map<String, Object> wish = Json.object(body);
    if (!(wish.get("productId") instanceof String productId) || !(wish.get("store") instanceof String store)) {
      return new Answer(400, "{\"code\":\"product_or_store_missing\"}");
    }
    int quantity = Integer.parseInt(wish.getOrDefault("quantity", "1").toString());
    String number = book.orderNumber(user, phonesKey, () -> "M-" + UUID.randomUUID());
    String order = "{\"productId\":" + Json.quoted(productId) + ",\"quantity\":" + quantity
        + ",\"store\":" + Json.quoted(store) + ",\"reference\":" + Json.quoted(number)
        + ",\"userId\":" + Json.quoted(user) + "}";
    return ask("POST", "/v1/orders", order, number);
  }

  // 2. What the phone sends

  /** Passes on what a phone asks, in the name of that user alone. */
  public Answer forward(String user, String method, String path, String query, String body)
      throws IOException, InterruptedException {
    boolean isOrder = path.matches("/v1/orders/[0-9A-Za-z-]{1,64}");
    boolean mayRead = method.equals("GET")
        && (isOrder || List.of("/v1/orders", "/v1/entitlements", "/v1/balances").contains(path));
    boolean mayWrite = method.equals("POST")
        && (path.matches("/v1/orders/[0-9A-Za-z-]{1,64}/(close|approval-pending)")
            || List.of("/v1/payments/app-store", "/v1/payments/app-store/finished").contains(path));
    if (!mayRead && !mayWrite) return new Answer(404, "{\"code\":\"not_passed_on\"}");
    if (mayRead) {
      if (query.contains("userId")) return new Answer(403, "{\"code\":\"user_is_the_sessions\"}");
      String named = "userId=" + URLEncoder.encode(user, StandardCharsets.UTF_8);
      return ask("GET", path + "?" + (query.isEmpty() ? named : query + "&" + named), null, null);
    }
    Map<String, Object> members = Json.object(body);
    if (members.containsKey("userId")) return new Answer(403, "{\"code\":\"user_is_the_sessions\"}");
    String rest = body.strip().substring(1);
    return ask("POST", path, "{\"userId\":" + Json.quoted(user) + (members.isEmpty() ? "" : ",") + rest, null);
  }

  private Answer ask(String method, String path, String body, String key) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.resolve(path)).timeout(LIMIT)
        .header("Authorization", "Bearer " + secretKey);
    if (key != null) request.header("Idempotency-Key", key);
    if (body != null) request.header("Content-Type", "application/json");
    var none = HttpRequest.BodyPublishers.noBody();
    request.method(method, body == null ? none : HttpRequest.BodyPublishers.ofString(body));
    HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body());
  }

  // 3. The delivery

  /**
   * Checks and books a delivery. Any answer but 2xx makes it come again, so 204 is given only when it is on disk.
   *
   * @param body the bytes as they came: the signature is over these, not over what a parser makes of them
   */
  public int receiveDelivery(String id, String timestamp, String signatures, byte[] body, Instant now)
      throws IOException, GeneralSecurityException {
    if (id == null || timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) return 401;
    Instant sent = Instant.ofEpochSecond(Long.parseLong(timestamp));
    if (Duration.between(sent, now).abs().compareTo(WINDOW) > 0) return 401;
    if (!isSigned(id, timestamp, signatures, body)) return 401;
    String text = new String(body, StandardCharsets.UTF_8);
    Map<String, Object> delivery = Json.object(text);
    if (!id.equals(delivery.get("id"))) return 400; // the id in the signed body counts
    if (environment.equals(delivery.get("environment"))) book.bookOnce(id, text);
    return 204;
  }

  private boolean isSigned(String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(webhookSecret, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = mac.doFinal(body);
    // While a secret is being replaced there are several; one that fits is enough. Compared in constant time.
    return Arrays.stream(signatures.split(" ")).limit(10).filter(one -> one.startsWith("v1,")).anyMatch(one -> {
      try {
        return MessageDigest.isEqual(expected, Base64.getDecoder().decode(one.substring(3)));
      } catch (IllegalArgumentException notBase64) {
        return false;
      }
    });
  }

  /** Numbers and bookings in a file to which lines are added; each is on disk before anybody is answered. */
  public static final class Book {
    private final FileChannel file;
    private final Runnable afterBooking;
    private final Map<String, String> numbers = new HashMap<>();
    private final Map<String, String> bookings = new LinkedHashMap<>();

    public Book(Path path, Runnable afterBooking) throws IOException {
      this.afterBooking = afterBooking;
      String text = Files.exists(path) ? Files.readString(path) : "";
      // A line without an end was being written when the power went: nobody has been answered for it.
      String whole = text.substring(0, text.lastIndexOf('\n') + 1);
      for (String line : whole.lines().toList()) {
        String[] parts = line.split("\t", 3);
        (parts[0].equals("order") ? numbers : bookings).put(parts[1], parts[2]);
      }
      file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      file.truncate(whole.getBytes(StandardCharsets.UTF_8).length).position(file.size());
    }

    interface NewNumber {
      String make();
    }

    synchronized String orderNumber(String user, String phonesKey, NewNumber number) throws IOException {
      String key = Json.quoted(user) + Json.quoted(phonesKey);
      String known = numbers.get(key);
      if (known != null) return known;
      String made = number.make();
      write("order", key, made);
      numbers.put(key, made);
      return made;
    }

    /** One line is booking and coins at once: there is no moment at which one is there without the other. */
    synchronized void bookOnce(String deliveryId, String delivery) throws IOException {
      if (bookings.containsKey(deliveryId)) return;
      write("booked", deliveryId, delivery);
      bookings.put(deliveryId, delivery);
      afterBooking.run();
    }

    private void write(String kind, String key, String value) throws IOException {
      String text = kind + "\t" + key + "\t" + value.replace('\n', ' ').replace('\r', ' ') + "\n";
      ByteBuffer line = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
      while (line.hasRemaining()) file.write(line);
      file.force(true);
    }
  }
}
