package io.flutter.plugin.common;

import java.nio.ByteBuffer;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class MethodChannel {
    public interface MethodCallHandler {
        void onMethodCall(MethodCall call, Result result);
    }

    public interface Result {
        void success(Object result);
        void error(String errorCode, String errorMessage, Object errorDetails);
        void notImplemented();
    }

    private final BinaryMessenger messenger;
    private final String name;

    public MethodChannel(BinaryMessenger messenger, String name) {
        this.messenger = messenger;
        this.name = name;
    }

    public void invokeMethod(String method, Object arguments, Result callback) {
        messenger.send(name, Codec.call(method, arguments), reply -> {
            if (reply == null) {
                callback.notImplemented();
            } else if (reply.get() == 0) {
                callback.success(Codec.read(reply));
            } else {
                callback.error((String) Codec.read(reply), (String) Codec.read(reply), Codec.read(reply));
            }
        });
    }

    public void setMethodCallHandler(MethodCallHandler handler) {
        messenger.setMessageHandler(name, handler == null ? null : (message, reply) -> {
            MethodCall call = new MethodCall((String) Codec.read(message), Codec.read(message));
            handler.onMethodCall(call, new Result() {
                @Override
                public void success(Object result) { reply.reply(Codec.success(result)); }

                @Override
                public void error(String code, String text, Object details) {
                    reply.reply(Codec.error(code, text, details));
                }

                @Override
                public void notImplemented() { reply.reply(null); }
            });
        });
    }
}
