package com.tencent.mm.opensdk.constants;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public interface ConstantsAPI {
    int COMMAND_PAY_BY_WX = 5;
}
