package android.content;

import java.io.File;
import java.util.ArrayList;
import java.util.List;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class Context {
    public File folder = new File(System.getProperty("java.io.tmpdir"));
    public final List<Intent> started = new ArrayList<>();

    public Context getApplicationContext() { return this; }
    public File getNoBackupFilesDir() { return folder; }
    public String getPackageName() { return "com.example.demo"; }
    public void startActivity(Intent intent) { started.add(intent); }
}
