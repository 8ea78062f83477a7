package android.os;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Handler {
    public Handler(Looper looper) {}

    /** For tests: the work runs at once, on the calling thread. */
    public boolean post(Runnable work) {
        work.run();
        return true;
    }
}
