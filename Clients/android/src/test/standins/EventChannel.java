package io.flutter.plugin.common;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class EventChannel {
    public interface StreamHandler {
        void onListen(Object arguments, EventSink events);
        void onCancel(Object arguments);
    }

    public interface EventSink {
        void success(Object event);
        void error(String errorCode, String errorMessage, Object errorDetails);
        void endOfStream();
    }

    private final BinaryMessenger messenger;
    private final String name;

    public EventChannel(BinaryMessenger messenger, String name) {
        this.messenger = messenger;
        this.name = name;
    }

    public void setStreamHandler(StreamHandler handler) {
        messenger.setMessageHandler(name, handler == null ? null : (message, reply) -> {
            String method = (String) Codec.read(message);
            Object arguments = Codec.read(message);
            if (method.equals("listen")) {
                handler.onListen(arguments, new EventSink() {
                    @Override
                    public void success(Object event) { messenger.send(name, Codec.success(event), null); }

                    @Override
                    public void error(String code, String text, Object details) {
                        messenger.send(name, Codec.error(code, text, details), null);
                    }

                    @Override
                    public void endOfStream() { messenger.send(name, null, null); }
                });
            } else {
                handler.onCancel(arguments);
            }
            reply.reply(Codec.success(null));
        });
    }
}
