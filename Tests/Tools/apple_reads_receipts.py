"""Asks Apple's own app-store-server-library which transaction it finds in receipts. The library verifies none.

Usage: apple_reads_receipts.py INPUT OUTPUT

INPUT: {"items": [{"kind": "appReceipt" or "transactionReceipt", "receipt": Base64}]}
OUTPUT: a list with {"transactionId": text or null} or {"error": …} for each item.
"""

import json
import pathlib
import sys

from appstoreserverlibrary.receipt_utility import ReceiptUtility


def main():
    utility = ReceiptUtility()
    read = {
        "appReceipt": utility.extract_transaction_id_from_app_receipt,
        "transactionReceipt": utility.extract_transaction_id_from_transaction_receipt,
    }
    answers = []
    for item in json.loads(pathlib.Path(sys.argv[1]).read_text())["items"]:
        try:
            answers.append({"transactionId": read[item["kind"]](item["receipt"])})
        except ValueError as error:
            answers.append({"error": str(error)})
    pathlib.Path(sys.argv[2]).write_text(json.dumps(answers))


main()
