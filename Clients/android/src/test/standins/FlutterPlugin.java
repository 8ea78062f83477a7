package io.flutter.embedding.engine.plugins;

import android.content.Context;
import io.flutter.plugin.common.BinaryMessenger;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public interface FlutterPlugin {
    void onAttachedToEngine(FlutterPluginBinding binding);
    void onDetachedFromEngine(FlutterPluginBinding binding);

    class FlutterPluginBinding {
        private final Context context;
        private final BinaryMessenger messenger;

        public FlutterPluginBinding(Context context, BinaryMessenger messenger) {
            this.context = context;
            this.messenger = messenger;
        }

        public Context getApplicationContext() { return context; }
        public BinaryMessenger getBinaryMessenger() { return messenger; }
    }
}
