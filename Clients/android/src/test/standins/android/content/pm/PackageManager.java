package android.content.pm;

import android.content.Intent;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class PackageManager {
    public Intent getLaunchIntentForPackage(String packageName) { return new Intent("launch " + packageName); }
}
