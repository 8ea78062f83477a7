package android.os;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class Looper {
    private static final Looper MAIN = new Looper();

    public static Looper getMainLooper() { return MAIN; }
}
