package com.tencent.mm.opensdk.openapi;

import android.content.Intent;
import com.tencent.mm.opensdk.modelbase.BaseReq;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public interface IWXAPI {
    boolean registerApp(String appId);
    boolean isWXAppInstalled();
    int getWXAppSupportAPI();
    boolean sendReq(BaseReq request);
    boolean handleIntent(Intent intent, IWXAPIEventHandler handler);
}
