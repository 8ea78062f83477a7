package com.tencent.mm.opensdk.modelbase;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public abstract class BaseReq {}
