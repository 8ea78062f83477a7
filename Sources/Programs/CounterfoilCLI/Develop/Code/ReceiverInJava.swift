enum ReceiverInJava {
  /// What `counterfoil receiver code` prints for Java.
  static let text = #"""
    // A receiver of Counterfoil's deliveries in Java 17, without libraries. It passes `counterfoil receiver test`.
    // Start it as `java Receiver.java` with PORT and COUNTERFOIL_WEBHOOK_SECRETS (whsec_…; several with spaces).
    // Use Jackson and your database in place of `Json` and the file: the id is a unique column, booked together.
    import com.sun.net.httpserver.*;
    import java.io.*;
    import java.net.*;
    import java.nio.charset.StandardCharsets;
    import java.nio.file.*;
    import java.security.MessageDigest;
    import java.time.Instant;
    import java.util.*;
    import java.util.concurrent.Executors;
    import javax.crypto.Mac;
    import javax.crypto.spec.SecretKeySpec;

    public class Receiver {
      record Holding(String user, long sequence, long left) {}

      static final String ENVIRONMENT = System.getenv().getOrDefault("COUNTERFOIL_ENVIRONMENT", "production");
      static final Set<String> ids = new HashSet<>();
      static final Map<List<Object>, Holding> holdings = new HashMap<>();
      static FileOutputStream book;

      static void apply(Map<?, ?> delivery) {
        ids.add((String) delivery.get("id"));
        List<Object> key = List.of(delivery.get("store"), delivery.get("transactionId"), delivery.get("userId"));
        Map<?, ?> units = (Map<?, ?>) delivery.get("units");
        long given = units == null ? 0 : (Long) units.get("amount");
        boolean isCreated = "grant.created".equals(delivery.get("type"));
        long left = units == null || isCreated ? given : (Long) delivery.get("inForce");
        long sequence = (Long) delivery.get("sequence");
        Holding known = holdings.get(key); // the highest sequence counts, whatever comes last
        if (known == null || sequence > known.sequence)
          holdings.put(key, new Holding((String) key.get(2), sequence, left));
      }

      static int receive(Headers fields, byte[] body) throws Exception {
        String id = Objects.toString(fields.getFirst("webhook-id"), "");
        String at = Objects.toString(fields.getFirst("webhook-timestamp"), "");
        if (!at.matches("[0-9]{1,12}")) return 401;
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(at)) > 300) return 401;
        boolean isGood = false;
        for (String secret : System.getenv("COUNTERFOIL_WEBHOOK_SECRETS").split(" ")) {
          Mac mac = Mac.getInstance("HmacSHA256");
          mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.substring(6)), "HmacSHA256"));
          mac.update((id + "." + at + ".").getBytes(StandardCharsets.UTF_8)); // then the bytes as they came
          String code = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
          byte[] mine = code.getBytes(StandardCharsets.UTF_8);
          for (String theirs : Objects.toString(fields.getFirst("webhook-signature"), "").split(" "))
            isGood |= MessageDigest.isEqual(mine, theirs.getBytes(StandardCharsets.UTF_8));
        }
        if (!isGood) return 401;
        Map<?, ?> delivery = (Map<?, ?>) new Json(new String(body, StandardCharsets.UTF_8)).value();
        if (!id.equals(delivery.get("id"))) return 400;
        // Not our money, or news of a later version.
        if (!ENVIRONMENT.equals(delivery.get("environment")) || !((String) delivery.get("type")).startsWith("grant."))
          return 204;
        synchronized (ids) {
          if (ids.contains(id)) return 204;
          String line = new String(body, StandardCharsets.UTF_8).replace('\n', ' ') + "\n";
          book.write(line.getBytes(StandardCharsets.UTF_8));
          book.getFD().sync(); // what is answered survives a power cut
          apply(delivery);
        }
        return 204;
      }

      static void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
          if (exchange.getRequestMethod().equals("GET")) { // only for the test: the units of a user
            String user = exchange.getRequestURI().getQuery().replaceFirst(".*userId=", "");
            long sum;
            synchronized (ids) {
              sum = holdings.values().stream().filter(h -> h.user.equals(user)).mapToLong(Holding::left).sum();
            }
            byte[] text = Long.toString(sum).getBytes();
            exchange.sendResponseHeaders(200, text.length);
            exchange.getResponseBody().write(text);
            return;
          }
          byte[] body = exchange.getRequestBody().readNBytes((1 << 20) + 1);
          int status = 413;
          try {
            if (body.length <= 1 << 20) status = receive(exchange.getRequestHeaders(), body);
          } catch (Exception e) { status = 400; }
          exchange.sendResponseHeaders(status, -1);
        }
      }

      public static void main(String[] arguments) throws Exception {
        Path path = Path.of(System.getenv().getOrDefault("BOOK", "deliveries.jsonl"));
        if (Files.exists(path)) for (String line : Files.readAllLines(path))
          // A line that was cut off was never acknowledged.
          try { if (line.endsWith("}")) apply((Map<?, ?>) new Json(line).value()); } catch (RuntimeException e) { }
        book = new FileOutputStream(path.toFile(), true);
        book.write('\n');
        HttpServer server = HttpServer.create(
          new InetSocketAddress("127.0.0.1", Integer.parseInt(System.getenv("PORT"))), 100);
        server.createContext("/", Receiver::handle);
        server.setExecutor(Executors.newFixedThreadPool(32));
        server.start();
      }
    }

    """# + "\n" + json

  /// The reader that the programs in Java share.
  static let json = #"""
    /** A small reader of JSON; whole numbers become Long. */
    class Json {
      private final String text;
      private int at = 0;

      Json(String text) { this.text = text; }

      private char peek() {
        while (Character.isWhitespace(text.charAt(at))) at++;
        return text.charAt(at);
      }

      private boolean take(char wanted) {
        boolean isThere = peek() == wanted;
        if (isThere) at++;
        return isThere;
      }

      Object value() {
        if (take('{')) {
          Map<String, Object> members = new HashMap<>();
          while (!take('}')) {
            String name = (String) value();
            if (!take(':')) throw new IllegalArgumentException();
            members.put(name, value());
            take(',');
          }
          return members;
        }
        if (take('[')) {
          List<Object> items = new ArrayList<>();
          while (!take(']')) { items.add(value()); take(','); }
          return items;
        }
        if (take('"')) {
          StringBuilder string = new StringBuilder();
          for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
            if (c != '\\') { string.append(c); continue; }
            c = text.charAt(at++);
            if (c == 'u') { string.append((char) Integer.parseInt(text.substring(at, at += 4), 16)); continue; }
            int place = "bfnrt".indexOf(c);
            string.append(place < 0 ? c : "\b\f\n\r\t".charAt(place));
          }
          return string.toString();
        }
        int start = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(start, at);
        return switch (word) {
          case "true" -> true;
          case "false" -> false;
          case "null" -> null;
          default -> word.matches("-?[0-9]+") ? (Object) Long.parseLong(word) : (Object) Double.parseDouble(word);
        };
      }
    }

    """#
}
