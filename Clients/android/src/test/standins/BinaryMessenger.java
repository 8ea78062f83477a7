package io.flutter.plugin.common;

import java.nio.ByteBuffer;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public interface BinaryMessenger {
    interface BinaryReply {
        void reply(ByteBuffer reply);
    }

    interface BinaryMessageHandler {
        void onMessage(ByteBuffer message, BinaryReply reply);
    }

    void send(String channel, ByteBuffer message, BinaryReply callback);
    void setMessageHandler(String channel, BinaryMessageHandler handler);
}
