package io.flutter.plugin.common;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class MethodCall {
    public final String method;
    public final Object arguments;

    public MethodCall(String method, Object arguments) {
        this.method = method;
        this.arguments = arguments;
    }
}
