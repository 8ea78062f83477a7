"""The methods of wechatpayv3 that belong to products which the simulated WeChat Pay does not have, by name and reason.

`wechat_pay_methods.py` calls each of them.
"""

from wechatpayv3 import WeChatPayType

# By product. The simulator answers their paths with 404 RESOURCE_NOT_EXISTS.
OTHER_PRODUCTS = {
    "code payment": """
        codepay_reverse""",
    "combined orders": """
        combine_close combine_pay combine_query""",
    "profit sharing": """
        brand_profitsharing_add_receiver brand_profitsharing_amount_query brand_profitsharing_config_query
        brand_profitsharing_delete_receiver brand_profitsharing_order brand_profitsharing_order_query
        brand_profitsharing_return brand_profitsharing_return_query brand_profitsharing_unfreeze
        profitsharing_add_receiver profitsharing_amount_query profitsharing_bill profitsharing_config_query
        profitsharing_delete_receiver profitsharing_order profitsharing_order_query profitsharing_return
        profitsharing_return_query profitsharing_unfreeze""",
    "transfers to users": """
        mch_transfer_bills mch_transfer_bills_cancel mch_transfer_bills_query mch_transfer_elecsign
        mch_transfer_elecsign_query transfer_batch transfer_bill_receipt transfer_detail_receipt
        transfer_query_batchid transfer_query_bill_receipt transfer_query_detail_id transfer_query_out_batch_no
        transfer_query_out_detail_no transfer_query_receipt""",
    "partners' merchants": """
        apply4subject_cancel apply4subject_query apply4subject_state apply4subject_submit applyment_query
        applyment_settlement_modify applyment_settlement_query applyment_submit goldplan_advertising_close
        goldplan_advertising_filter goldplan_advertising_open goldplan_custompage_change goldplan_plan_change
        guides_assign guides_query guides_register guides_update submch_fundflow_bill""",
    "addresses for complaints, and risk": """
        complaint_image_upload complaint_notification_create complaint_notification_delete
        complaint_notification_query complaint_notification_update
        merchantrisk_callback_create merchantrisk_callback_delete merchantrisk_callback_query
        merchantrisk_callback_update""",
    "coupons and marketing": """
        marketing_busifavor_callback_query marketing_busifavor_callback_update
        marketing_busifavor_coupon_associate marketing_busifavor_coupon_deactivate
        marketing_busifavor_coupon_detail marketing_busifavor_coupon_disassociate
        marketing_busifavor_coupon_return marketing_busifavor_coupon_use marketing_busifavor_couponcode_upload
        marketing_busifavor_stock_budget marketing_busifavor_stock_create marketing_busifavor_stock_modify
        marketing_busifavor_stock_query marketing_busifavor_subsidy_pay marketing_busifavor_subsidy_query
        marketing_busifavor_user_coupon marketing_card_send marketing_favor_callback_update
        marketing_favor_coupon_detail marketing_favor_refund_flow marketing_favor_stock_create
        marketing_favor_stock_detail marketing_favor_stock_item marketing_favor_stock_list
        marketing_favor_stock_merchant marketing_favor_stock_pause marketing_favor_stock_restart
        marketing_favor_stock_send marketing_favor_stock_start marketing_favor_use_flow
        marketing_favor_user_coupon marketing_image_upload marketing_partnership_build
        marketing_partnership_query marketing_paygift_activity_create marketing_paygift_activity_detail
        marketing_paygift_activity_list marketing_paygift_activity_terminate marketing_paygift_goods_list
        marketing_paygift_merchant_add marketing_paygift_merchant_delete marketing_paygift_merchants_list""",
    "pay score": """
        payscore_cancel payscore_complete payscore_create payscore_direct_complete payscore_merchant_bill
        payscore_modify payscore_pay payscore_permission payscore_permission_query payscore_permission_terminate
        payscore_query payscore_refund payscore_refund_query payscore_sync""",
    "invoices": """
        fapiao_applications fapiao_card_template fapiao_check_submch fapiao_download_file fapiao_insert_cards
        fapiao_merchant_base_info fapiao_merchant_config fapiao_query fapiao_query_files fapiao_reverse
        fapiao_set_merchant_config fapiao_tax_codes fapiao_title fapiao_title_url fapiao_upload_file""",
    "parking and business circles": """
        business_parking_sync business_point_status parking_enter parking_order parking_order_query
        parking_service_find points_notify user_authorization""",
    "lists of banks": """
        capital_branches capital_cities capital_corporate_banks capital_personal_banks capital_provinces
        capital_search_bank_number""",
    "media for other products": """
        image_upload video_upload""",
}

# Methods that send nothing, or to no address, in 2.0.4: an error of the SDK itself.
BROKEN = {
    "business_parking_sync": "TypeError",
    "business_point_status": "InvalidURL",
    # Its path lacks /v3.
    "payscore_direct_complete": (404, None),
    "payscore_permission_terminate": "InvalidURL",
    "transfer_bill_receipt": "TypeError",
    "transfer_detail_receipt": "TypeError",
}

# These methods of the asynchronous client send nothing: they return what should be waited for, or fail before that.
BROKEN_ASYNCHRONOUS = {
    "apply4subject_submit": "ValueError",
    "applyment_submit": "ValueError",
    "complaint_image_upload": "TypeError",
    "image_upload": "TypeError",
    "marketing_image_upload": "TypeError",
    "payscore_refund": "TypeError",
    "payscore_refund_query": "TypeError",
    "video_upload": "TypeError",
}

# Another product's name for a call that a direct merchant has too, or a call of complaints: the answer is that call's.
SAME_CALL = {
    # Nobody here answers a customer with a picture.
    "complaint_image_upload": (405, "不支持的请求方法"),
    "payscore_refund": (400, "参数错误"),
    "payscore_refund_query": (404, "退款单不存在"),
}

# Arguments that the SDK looks at before it sends: "FILE" is a picture, or a film.
ARGUMENTS = {
    "apply4subject_submit": {"contact_info": {"name": "x"}, "identification_info": {"name": "x"}, "ubo_info_list": []},
    "applyment_submit": {"contact_info": {"name": "x"}, "bank_account_info": {"account_name": "x", "account_number": "x"}, "subject_info": {"identity_info": {"x": "x"}}},
    "brand_profitsharing_order": {"finish": True},
    "complaint_image_upload": {"filepath": "FILE", "filename": "a.jpg"},
    "fapiao_applications": {"buyer_information": {"type": "x"}, "fapiao_information": [1]},
    "fapiao_download_file": {"url": "/v3/new-tax-control-fapiao/download?token=1"},
    "image_upload": {"filepath": "FILE", "filename": "a.jpg"},
    "marketing_image_upload": {"filepath": "FILE", "filename": "a.jpg"},
    "marketing_partnership_build": {"partner_type": "APPID", "business_type": "FAVOR_STOCK"},
    "marketing_partnership_query": {"partner_type": "APPID", "business_type": "FAVOR_STOCK"},
    "mch_transfer_bills": {"transfer_amount": 1},
    "payscore_complete": {"total_amount": 1},
    "payscore_direct_complete": {"time_range": {"x": "x"}, "total_amount": 1, "post_payments": [{"amount": 1}]},
    "profitsharing_order": {"unfreeze_unsplit": True, "receivers": [{"type": "x"}]},
    "transfer_batch": {"transfer_detail_list": [{"x": "x"}]},
    "video_upload": {"filepath": "FILE", "filename": "a.mp4"},
    "combine_pay": {"pay_type": WeChatPayType.NATIVE},
}
