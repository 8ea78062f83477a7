package com.tencent.mm.opensdk.modelpay;

import com.tencent.mm.opensdk.modelbase.BaseResp;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class PayResp extends BaseResp {
    public String prepayId;
    public String extData;

    @Override
    public int getType() { return 5; }
}
