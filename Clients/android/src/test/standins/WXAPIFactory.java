package com.tencent.mm.opensdk.openapi;

import android.content.Context;
import java.util.function.BiFunction;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class WXAPIFactory {
    /** For tests: what a call returns, and how many there were. */
    public static BiFunction<Context, String, IWXAPI> made;
    public static int calls;

    public static IWXAPI createWXAPI(Context context, String appId, boolean checkSignature) {
        calls += 1;
        return made.apply(context, appId);
    }
}
