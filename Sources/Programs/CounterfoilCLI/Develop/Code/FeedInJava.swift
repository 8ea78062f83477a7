enum FeedInJava {
  /// What `counterfoil receiver code --pull` prints for Java.
  static let text = #"""
    // Follows Counterfoil's feed of events in Java 17, without libraries. Our tests run it, and kill it in between.
    // Start it as `java Feed.java` with COUNTERFOIL_URL and COUNTERFOIL_SECRET_KEY, once. It needs no public address.
    // Use Jackson and your database in place of `Json` and the file: book each event by its id in a unique column, with
    // the place, in one transaction. Pass over types that you do not know. What users may have is told by deliveries.
    import java.io.*;
    import java.net.*;
    import java.net.http.*;
    import java.nio.charset.StandardCharsets;
    import java.nio.file.*;
    import java.time.Duration;
    import java.util.*;

    public class Feed {
      record Answer(int status, Map<?, ?> page) {}

      static final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();
      static final Set<String> ids = new HashSet<>();
      static String place;

      static void apply(Map<?, ?> line) {
        for (Object id : (List<?>) line.get("events")) ids.add((String) id);
        place = (String) line.get("next");
      }

      static Answer ask() throws InterruptedException {
        String after = place == null ? "" : "&after=" + URLEncoder.encode(place, StandardCharsets.UTF_8);
        URI target = URI.create(System.getenv("COUNTERFOIL_URL") + "/v1/events?limit=100&wait=25" + after);
        HttpRequest request = HttpRequest.newBuilder(target).timeout(Duration.ofSeconds(60))
          .header("Authorization", "Bearer " + System.getenv("COUNTERFOIL_SECRET_KEY")).build();
        try {
          HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
          return new Answer(answer.statusCode(), (Map<?, ?>) new Json(answer.body()).value());
        } catch (IOException | RuntimeException e) {
          return new Answer(0, Map.of()); // no answer, or none of Counterfoil's
        }
      }

      public static void main(String[] arguments) throws Exception {
        Path path = Path.of(System.getenv().getOrDefault("BOOK", "events.jsonl"));
        if (Files.exists(path)) for (String line : Files.readAllLines(path))
          // A line that was cut off comes again.
          try { apply((Map<?, ?>) new Json(line).value()); } catch (RuntimeException e) { }
        FileOutputStream book = new FileOutputStream(path.toFile(), true);
        book.write('\n');
        while (true) {
          Answer answer = ask();
          int status = answer.status;
          String next = (String) answer.page.get("next");
          if (status == 0 || status == 429 || status >= 500) {
            Thread.sleep(2000);
          } else if ("event_unknown".equals(answer.page.get("code"))) {
            place = null; // the database was restored: read from the beginning, and pass over what is booked
          } else if (status != 200) {
            System.err.println(status + " " + answer.page);
            System.exit(1);
          } else if (next == null || next.equals(place)) {
            Thread.sleep(1000); // nothing new; the answer may come at once
          } else {
            List<String> made = new ArrayList<>();
            for (Object entry : (List<?>) answer.page.get("events")) {
              Map<?, ?> event = (Map<?, ?>) ((Map<?, ?>) entry).get("event");
              if (event == null || ids.contains((String) event.get("id"))) continue;
              made.add((String) event.get("id")); // here book what it says
            }
            String events = made.isEmpty() ? "" : "\"" + String.join("\",\"", made) + "\"";
            String line = "{\"events\":[" + events + "],\"next\":\"" + next + "\"}\n";
            book.write(line.getBytes(StandardCharsets.UTF_8));
            book.getFD().sync(); // events and place are written together, or not at all
            apply((Map<?, ?>) new Json(line).value());
          }
        }
      }
    }

    """# + "\n" + ReceiverInJava.json
}
