package com.tencent.mm.opensdk.modelmsg;

import com.tencent.mm.opensdk.modelbase.BaseResp;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public final class SendMessageToWX {
    public static class Resp extends BaseResp {
        @Override
        public int getType() { return 2; }
    }
}
