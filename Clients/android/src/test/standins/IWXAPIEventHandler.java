package com.tencent.mm.opensdk.openapi;

import com.tencent.mm.opensdk.modelbase.BaseReq;
import com.tencent.mm.opensdk.modelbase.BaseResp;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public interface IWXAPIEventHandler {
    void onReq(BaseReq request);
    void onResp(BaseResp response);
}
