// As much JSON as CounterfoilBackend.java needs, because the JDK has none. In your backend use your own library.

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A strict reader: one value, no doubled names, bounded depth. */
final class Json {
  private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?");
  private final String text;
  private int at = 0;

  private Json(String text) {
    this.text = text;
  }

  /** A number, `true`, `false` or `null` as it was written. */
  record Word(String letters) {}

  /** The members of an object: texts, words, and objects; the items of a list are members by their place. */
  static Map<String, Object> object(String text) {
    Json json = new Json(text);
    boolean isObject = json.next() == '{';
    if (isObject && json.value(0) instanceof Map<?, ?> members && json.next() == 0) return named(members);
    throw new IllegalArgumentException("not one JSON object");
  }

  private char next() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private void expect(char one) {
    if (next() != one) throw new IllegalArgumentException("expected " + one + " at " + at);
    at++;
  }

  private Object value(int depth) {
    if (depth > 16) throw new IllegalArgumentException("too deep");
    switch (next()) {
      case '"': return string();
      case '{': case '[': return container(next(), depth);
      default:
        Matcher number = NUMBER.matcher(text).region(at, text.length());
        for (String word : List.of("true", "false", "null", number.lookingAt() ? number.group() : "?")) {
          if (!text.startsWith(word, at)) continue;
          at += word.length();
          return new Word(word);
        }
        throw new IllegalArgumentException("no value at " + at);
    }
  }

  private Object container(char kind, int depth) {
    Map<String, Object> members = new LinkedHashMap<>();
    char end = kind == '{' ? '}' : ']';
    at++;
    for (boolean isFirst = true; next() != end; isFirst = false) {
      if (!isFirst) expect(',');
      String name = kind == '{' ? memberName() : String.valueOf(members.size());
      if (members.put(name, value(depth + 1)) != null) throw new IllegalArgumentException("doubled name " + name);
    }
    at++;
    return members;
  }

  private String memberName() {
    String name = string();
    expect(':');
    return name;
  }

  private String string() {
    StringBuilder made = new StringBuilder();
    expect('"');
    for (char one = take(); one != '"'; one = take()) {
      if (one < ' ') throw new IllegalArgumentException("a control character at " + at);
      if (one == '\\') {
        char kind = take();
        int plain = "\"\\/bfnrt".indexOf(kind);
        if (plain >= 0) one = "\"\\/\b\f\n\r\t".charAt(plain);
        else if (kind == 'u') one = (char) Integer.parseInt(text, at, at += 4, 16);
        else throw new IllegalArgumentException("a wrong escape at " + at);
      }
      made.append(one);
    }
    return made.toString();
  }

  private char take() {
    if (at >= text.length()) throw new IllegalArgumentException("it ends in a text");
    return text.charAt(at++);
  }

  static String text(Map<String, Object> members, String name) {
    if (members.get(name) instanceof String text) return text;
    throw new IllegalArgumentException(name + " is no text");
  }

  static long whole(Map<String, Object> members, String name) {
    if (members.get(name) instanceof Word word) return Long.parseLong(word.letters());
    throw new IllegalArgumentException(name + " is no whole number");
  }

  static Map<String, Object> members(Map<String, Object> members, String name) {
    if (members.get(name) instanceof Map<?, ?> object) return named(object);
    throw new IllegalArgumentException(name + " is no object");
  }

  private static Map<String, Object> named(Map<?, ?> members) {
    Map<String, Object> object = new LinkedHashMap<>();
    members.forEach((name, value) -> object.put((String) name, value));
    return object;
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char one : text.toCharArray()) {
      quoted.append(one == '"' || one == '\\' || one < ' ' ? String.format("\\u%04x", (int) one) : one);
    }
    return quoted.append('"').toString();
  }
}
