// A backend for Counterfoil in Java: the JDK (17 or later) and JDBC. It runs in our tests, through purchases at both
// stores: PlainServer.java serves it with the JDK alone, SpringServer.java with Spring.
//
//   1. `receive`      the signed delivery is checked and booked once, however often it comes
//   2. `createOrder`  your own number is written down first, then Counterfoil makes the order under it
//   3. `forward`      the phone talks to you alone; you add the user of its session, and the secret key
//   4. `userToken`    or the phone calls the server itself, with a token that you sign
// The page docs/http-alone.md says why it is so. Book.java has the tables.

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class CounterfoilBackend {
  /** Bodies are bounded: a signed transaction has at most 256 KiB. */
  public static final int BODY_MAX = 512 * 1024;
  /** By how much the time of a delivery may differ from now: an older one may be a replay. */
  private static final Duration TOLERANCE = Duration.ofMinutes(5);
  /** Longer than the 25 s that `?wait=` may take. */
  private static final Duration LIMIT = Duration.ofSeconds(35);
  private static final Set<String> BACKENDS_OWN = Set.of("userId", "reference", "payerAddress");
  private static final Set<String> TYPES = Set.of("grant.created", "grant.reversed", "grant.reinstated");
  private static final String ORDER = "orders/[0-9A-Za-z_~%-]{1,256}";
  private static final String READ = "/v1/(products|orders|entitlements|balances|" + ORDER + ")";
  private static final String WRITE = "/v1/(" + ORDER + "/(close|approval-pending|wechat-pay)"
      + "|payments/(app-store|app-store/finished|wechat-pay))";
  /** No `#`: what follows it would not reach the server. */
  private static final String QUERY = "[0-9A-Za-z._~%=&-]{0,1024}";

  private final String server;
  private final String secretKey;
  private final List<byte[]> webhookSecrets;
  private final String app;
  private final String kid;
  private final byte[] tokenSecret;
  private final String environment;
  private final Book book;
  private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
      .connectTimeout(Duration.ofSeconds(10)).build();

  /** A status and a JSON text. */
  public record Answer(int status, String body) {}

  /** What is refused, with the status and the code that the other side gets. */
  public static final class Refusal extends Exception {
    private static final long serialVersionUID = 1;
    private final int status;

    public Refusal(int status, String code) {
      super(code);
      this.status = status;
    }

    public Answer answer() {
      return new Answer(status, "{\"code\":" + Json.quoted(getMessage()) + "}");
    }
  }

  /** @param settings the environment variables that PlainServer.java lists */
  public CounterfoilBackend(Map<String, String> settings, Book book) {
    server = settings.get("COUNTERFOIL_SERVER");
    secretKey = settings.get("COUNTERFOIL_SECRET_KEY");
    webhookSecrets = Stream.of(settings.get("COUNTERFOIL_WEBHOOK_SECRETS").split(" ")).map(secret -> {
      if (!secret.startsWith("whsec_")) throw new IllegalArgumentException("a webhook secret begins with whsec_");
      return Base64.getDecoder().decode(secret.substring("whsec_".length()));
    }).toList();
    app = settings.get("COUNTERFOIL_APP");
    kid = settings.get("COUNTERFOIL_USER_TOKEN_KID");
    tokenSecret = settings.get("COUNTERFOIL_USER_TOKEN_SECRET").getBytes(StandardCharsets.UTF_8);
    environment = settings.getOrDefault("COUNTERFOIL_ENVIRONMENT", "production");
    this.book = book;
  }

  // 1. The delivery

  /**
   * Checks a delivery and books it. Any answer but 2xx makes it come again.
   *
   * @param body the bytes as they came: the signature is over these, not over what a parser makes of them
   */
  public void receive(String id, String timestamp, String signatures, byte[] body, Instant now)
      throws Refusal, SQLException, GeneralSecurityException {
    if (id == null || id.isEmpty() || timestamp == null || !timestamp.matches("[0-9]{1,12}")) {
      throw new Refusal(401, "signature_missing");
    }
    Instant sent = Instant.ofEpochSecond(Long.parseLong(timestamp));
    if (Duration.between(sent, now).abs().compareTo(TOLERANCE) > 0) {
      throw new Refusal(401, "timestamp_outside_tolerance");
    }
    byte[] signed = join((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
    if (signatures == null || !isSigned(signed, signatures)) throw new Refusal(401, "signature_wrong");
    String text = new String(body, StandardCharsets.UTF_8);
    Map<String, Object> delivery = Json.object(text);
    if (!id.equals(delivery.get("id"))) throw new Refusal(400, "id_differs"); // the id in the signed body counts
    if (!environment.equals(delivery.get("environment"))) return; // acknowledged, not booked: it is not our money
    // What this version does not know comes again when another version has learned it.
    if (!TYPES.contains(delivery.get("type"))) throw new Refusal(422, "type_unknown");
    book.book(delivery, text);
  }

  /** While a secret is being replaced there are several signatures and secrets; one pair that fits is enough. */
  private boolean isSigned(byte[] signed, String signatures) throws GeneralSecurityException {
    boolean fits = false;
    for (byte[] secret : webhookSecrets) {
      byte[] mine = Base64.getEncoder().encode(hmac(secret, signed));
      fits |= Arrays.stream(signatures.split(" ")).limit(10).filter(one -> one.startsWith("v1,"))
          .anyMatch(one -> MessageDigest.isEqual(mine, one.substring(3).getBytes(StandardCharsets.UTF_8)));
    }
    return fits;
  }

  private static byte[] hmac(byte[] secret, byte[] message) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret, "HmacSHA256"));
    return mac.doFinal(message);
  }

  private static byte[] join(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  // 2. The order

  /** Makes an order of either store under our own number. A repeat with the same key is the same order. */
  public Answer createOrder(String user, String phoneKey, String body, String address)
      throws Refusal, SQLException, IOException, InterruptedException {
    if (phoneKey == null || phoneKey.isEmpty() || phoneKey.length() > 255) throw new Refusal(400, "key_missing");
    Map<String, Object> wish = phonesObject(body);
    // A repeat must be the same request, although the phone may have changed its network.
    Book.OrderNumber known = book.orderNumber(user, phoneKey, address);
    String own = "{\"userId\":" + Json.quoted(user) + ",\"reference\":" + Json.quoted(known.number());
    if ("weChatPay".equals(wish.get("store"))) own += ",\"payerAddress\":" + Json.quoted(known.payerAddress());
    return ask("POST", "/v1/orders", withMembers(own, wish, body), known.number());
  }

  // 3. What the phone asks

  /** Passes on what a phone asks, in the name of that user alone. */
  public Answer forward(String user, String method, String path, String query, String body)
      throws Refusal, IOException, InterruptedException {
    if (method.equals("GET") && path.matches(READ) && query.matches(QUERY)) {
      boolean namesUser = Arrays.stream(query.split("&"))
          .anyMatch(one -> URLDecoder.decode(one.split("=", 2)[0], StandardCharsets.UTF_8).equals("userId"));
      if (namesUser) throw new Refusal(403, "user_is_the_sessions");
      String named = "userId=" + URLEncoder.encode(user, StandardCharsets.UTF_8);
      return ask("GET", path + "?" + named + (query.isEmpty() ? "" : "&" + query), null, null);
    }
    if (method.equals("POST") && path.matches(WRITE) && query.isEmpty()) {
      return ask("POST", path, withMembers("{\"userId\":" + Json.quoted(user), phonesObject(body), body), null);
    }
    throw new Refusal(404, "not_passed_on");
  }

  /** The members of the phone's body, none of which may be the backend's own. */
  private static Map<String, Object> phonesObject(String body) throws Refusal {
    Map<String, Object> members = Json.object(body.isEmpty() ? "{}" : body);
    if (members.keySet().stream().anyMatch(BACKENDS_OWN::contains)) throw new Refusal(403, "field_is_the_backends");
    return members;
  }

  /** The phone's JSON with our members in front. The rest stays byte for byte as the phone wrote it. */
  private static String withMembers(String own, Map<String, Object> members, String body) {
    return own + (members.isEmpty() ? "" : ",") + (body.isEmpty() ? "}" : body.strip().substring(1));
  }

  private Answer ask(String method, String path, String body, String key) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path)).timeout(LIMIT)
        .header("Authorization", "Bearer " + secretKey);
    if (key != null) request.header("Idempotency-Key", key);
    if (body != null) request.header("Content-Type", "application/json");
    var none = HttpRequest.BodyPublishers.noBody();
    request.method(method, body == null ? none : HttpRequest.BodyPublishers.ofString(body));
    HttpResponse<String> response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Answer(response.statusCode(), response.body());
  }

  // 4. The token

  /** A token with which the phone may call the server itself, for an hour. */
  public String userToken(String user, Instant now) throws GeneralSecurityException {
    String header = "{\"alg\":\"HS256\",\"typ\":\"JWT\",\"kid\":" + Json.quoted(kid) + "}";
    String claims = "{\"sub\":" + Json.quoted(user) + ",\"aud\":" + Json.quoted(app)
        + ",\"iat\":" + now.getEpochSecond() + ",\"exp\":" + (now.getEpochSecond() + 3600) + "}";
    Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
    String signed = encoder.encodeToString(header.getBytes(StandardCharsets.UTF_8)) + "."
        + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
    return signed + "." + encoder.encodeToString(hmac(tokenSecret, signed.getBytes(StandardCharsets.UTF_8)));
  }

  // Your own pages

  public String balances(String user) throws SQLException {
    StringBuilder text = new StringBuilder("{");
    book.balances(user).forEach((unit, amount) ->
        text.append(text.length() > 1 ? "," : "").append(Json.quoted(unit)).append(":").append(amount));
    return text.append("}").toString();
  }
}
