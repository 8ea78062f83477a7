package com.tencent.mm.opensdk.constants;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class Build {
    public static final int PAY_SUPPORTED_SDK_INT = 570425345;
}
