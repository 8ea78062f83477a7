package android.content;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Intent {
    /** For tests: what WeChat put into it. */
    public final Object content;

    public Intent(Object content) { this.content = content; }
}
