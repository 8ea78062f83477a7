// Serves CounterfoilBackend.java with Spring: `@RestController`, `@Value` and a DataSource, as in a Spring Boot project.
// It runs in our tests with Spring 4.3 and Tomcat 9 as Debian has them. Spring Boot itself was not run here: Debian has no
// package of it. There, leave out `main` and the configuration, put `@SpringBootApplication` in their place, and set
// `counterfoil.*` in application.properties. From Spring Boot 3 on the package is jakarta.servlet.
//
// It reads the environment variables of PlainServer.java.

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import javax.servlet.http.HttpServletRequest;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

public final class SpringServer {
  private SpringServer() {}

  /** Each method is a page of its own: the webhook, your own pages, and what is passed on for the phone. */
  @RestController
  public static class CounterfoilController {
    private final CounterfoilBackend backend;
    private final boolean isBehindProxy;

    @Autowired
    public CounterfoilController(CounterfoilBackend backend, @Value("${BEHIND_PROXY:no}") String behindProxy) {
      this.backend = backend;
      this.isBehindProxy = behindProxy.equals("yes");
    }

    @PostMapping("/counterfoil")
    public ResponseEntity<byte[]> delivery(
        HttpServletRequest request, @RequestHeader(name = "webhook-id", required = false) String id,
        @RequestHeader(name = "webhook-timestamp", required = false) String timestamp,
        @RequestHeader(name = "webhook-signature", required = false) String signatures) {
      return answer(() -> {
        // The bytes as they came: a converter of Spring would parse them first.
        backend.receive(id, timestamp, signatures, body(request), Instant.now());
        return new CounterfoilBackend.Answer(204, "");
      });
    }

    @GetMapping("/balances")
    public ResponseEntity<byte[]> balances(HttpServletRequest request) {
      return answer(() -> new CounterfoilBackend.Answer(200, backend.balances(user(request))));
    }

    @PostMapping("/user-token")
    public ResponseEntity<byte[]> userToken(HttpServletRequest request) {
      return answer(() -> {
        String token = backend.userToken(user(request), Instant.now());
        return new CounterfoilBackend.Answer(200, "{\"token\":" + Json.quoted(token) + "}");
      });
    }

    @PostMapping("/v1/orders")
    public ResponseEntity<byte[]> order(
        HttpServletRequest request, @RequestHeader(name = "Idempotency-Key", required = false) String phoneKey) {
      return answer(() -> {
        String peer = request.getRemoteAddr();
        String address = isBehindProxy ? PlainServer.payersAddress(request.getHeader("X-Forwarded-For"), peer) : peer;
        return backend.createOrder(user(request), phoneKey, text(request), address);
      });
    }

    @RequestMapping("/**")
    public ResponseEntity<byte[]> forward(HttpServletRequest request) {
      return answer(() -> {
        String query = request.getQueryString();
        return backend.forward(
            user(request), request.getMethod(), request.getRequestURI(), query == null ? "" : query, text(request));
      });
    }

    /** Put your own check of sessions in its place: Spring Security's principal. */
    private static String user(HttpServletRequest request) throws CounterfoilBackend.Refusal {
      return PlainServer.userOf(request.getHeader("Authorization"));
    }

    private static String text(HttpServletRequest request) throws CounterfoilBackend.Refusal, IOException {
      return new String(body(request), StandardCharsets.UTF_8);
    }

    private static byte[] body(HttpServletRequest request) throws CounterfoilBackend.Refusal, IOException {
      byte[] body = request.getInputStream().readNBytes(CounterfoilBackend.BODY_MAX + 1);
      if (body.length > CounterfoilBackend.BODY_MAX) throw new CounterfoilBackend.Refusal(413, "body_too_large");
      return body;
    }

    private static ResponseEntity<byte[]> answer(PlainServer.Handler handler) {
      CounterfoilBackend.Answer answer = PlainServer.guarded(handler);
      ResponseEntity.BodyBuilder response = ResponseEntity.status(answer.status());
      if (answer.body().isEmpty()) return response.build();
      return response.contentType(MediaType.APPLICATION_JSON).body(answer.body().getBytes(StandardCharsets.UTF_8));
    }
  }

  /** What Spring Boot sets up by itself. */
  public static class Beans {
    @Bean
    public RequestMappingHandlerMapping mapping() {
      return new RequestMappingHandlerMapping();
    }

    @Bean
    public RequestMappingHandlerAdapter adapter() {
      return new RequestMappingHandlerAdapter();
    }

    @Bean
    public static PropertySourcesPlaceholderConfigurer values() {
      return new PropertySourcesPlaceholderConfigurer();
    }

    @Bean
    public DataSource database(@Value("${BOOK}") String file) {
      return PlainServer.database(file);
    }

    @Bean
    public CounterfoilBackend backend(DataSource database, @Value("${SCHEMA}") String schema)
        throws IOException, SQLException {
      Map<String, String> settings = System.getenv();
      return new CounterfoilBackend(settings, new Book(database, Files.readString(Path.of(schema))));
    }

    @Bean
    public CounterfoilController controller(CounterfoilBackend backend, @Value("${BEHIND_PROXY:no}") String proxy) {
      return new CounterfoilController(backend, proxy);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("SCHEMA", arguments[0]);
    Tomcat tomcat = new Tomcat();
    Path folder = Files.createTempDirectory("tomcat");
    tomcat.setBaseDir(folder.toString());
    tomcat.setPort(Integer.parseInt(System.getenv("PORT")));
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    AnnotationConfigWebApplicationContext context = new AnnotationConfigWebApplicationContext();
    context.register(Beans.class);
    Context root = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(root, "spring", new DispatcherServlet(context)).setLoadOnStartup(1);
    root.addServletMappingDecoded("/", "spring");
    tomcat.start();
    System.out.println("http://127.0.0.1:" + tomcat.getConnector().getLocalPort());
    tomcat.getServer().await();
  }
}
