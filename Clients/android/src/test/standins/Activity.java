package android.app;

import android.content.Context;
import android.content.Intent;
import android.os.Bundle;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Activity extends Context {
    /** For tests: what Android sent, and what became of the page. */
    public Intent sent;
    public boolean root;
    public boolean isFinished;

    public Intent getIntent() { return sent; }
    public boolean isTaskRoot() { return root; }
    protected void onCreate(Bundle savedInstanceState) {}
    protected void onNewIntent(Intent intent) {}
    public void finish() { isFinished = true; }

    public void performCreate() { onCreate(null); }
    public void performNewIntent(Intent intent) { onNewIntent(intent); }
}
