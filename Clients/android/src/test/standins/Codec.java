package io.flutter.plugin.common;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Flutter's standard codec, written from its documented format, for the types that our messages use. */
public final class Codec {
    private Codec() {}

    public static ByteBuffer call(String method, Object arguments) { return encoded(-1, method, arguments); }
    public static ByteBuffer success(Object value) { return encoded(0, value); }
    public static ByteBuffer error(String code, String text, Object details) { return encoded(1, code, text, details); }

    private static ByteBuffer encoded(int envelope, Object... values) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        if (envelope >= 0) stream.write(envelope);
        for (Object value : values) write(stream, value);
        return ByteBuffer.wrap(stream.toByteArray()).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void write(ByteArrayOutputStream stream, Object value) {
        if (value == null) {
            stream.write(0);
        } else if (value instanceof Boolean) {
            stream.write((Boolean) value ? 1 : 2);
        } else if (value instanceof Integer) {
            stream.write(3);
            stream.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt((Integer) value).array());
        } else if (value instanceof Long) {
            stream.write(4);
            stream.writeBytes(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong((Long) value).array());
        } else if (value instanceof String) {
            byte[] text = ((String) value).getBytes(StandardCharsets.UTF_8);
            stream.write(7);
            writeSize(stream, text.length);
            stream.writeBytes(text);
        } else if (value instanceof List<?>) {
            stream.write(12);
            writeSize(stream, ((List<?>) value).size());
            for (Object item : (List<?>) value) write(stream, item);
        } else if (value instanceof Map<?, ?>) {
            stream.write(13);
            writeSize(stream, ((Map<?, ?>) value).size());
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                write(stream, entry.getKey());
                write(stream, entry.getValue());
            }
        } else {
            throw new IllegalArgumentException("Unsupported value: " + value.getClass());
        }
    }

    private static void writeSize(ByteArrayOutputStream stream, int size) {
        if (size < 254) {
            stream.write(size);
        } else if (size <= 0xffff) {
            stream.write(254);
            stream.write(size & 0xff);
            stream.write(size >> 8);
        } else {
            throw new IllegalArgumentException("No message of ours is that long.");
        }
    }

    public static Object read(ByteBuffer bytes) {
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        byte type = bytes.get();
        switch (type) {
            case 0: return null;
            case 1: return true;
            case 2: return false;
            case 3: return bytes.getInt();
            case 4: return bytes.getLong();
            case 7: {
                byte[] text = new byte[readSize(bytes)];
                bytes.get(text);
                return new String(text, StandardCharsets.UTF_8);
            }
            case 12: {
                int size = readSize(bytes);
                List<Object> list = new ArrayList<>();
                for (int index = 0; index < size; index += 1) list.add(read(bytes));
                return list;
            }
            case 13: {
                int size = readSize(bytes);
                Map<Object, Object> map = new LinkedHashMap<>();
                for (int index = 0; index < size; index += 1) map.put(read(bytes), read(bytes));
                return map;
            }
            default: throw new IllegalArgumentException("Message corrupted: type " + type);
        }
    }

    private static int readSize(ByteBuffer bytes) {
        int size = bytes.get() & 0xff;
        return size < 254 ? size : bytes.getShort() & 0xffff;
    }
}
