package com.tencent.mm.opensdk.modelpay;

import com.tencent.mm.opensdk.modelbase.BaseReq;

/** Stands in for the platform's class: the members that the library uses, under their names. */
public class PayReq extends BaseReq {
    public String appId;
    public String partnerId;
    public String prepayId;
    public String nonceStr;
    public String timeStamp;
    public String packageValue;
    public String sign;
    public String signType;
    public String extData;
}
