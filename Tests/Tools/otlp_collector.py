"""A collector for OTLP over HTTP, as strict as the protocol's own definition: `opentelemetry-proto` reads each request.

OTLP's JSON differs from other JSON of Protocol Buffers in one thing: ids are hexadecimal, not base64.
"""

import base64
import http.server
import json
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

IDS = ("traceId", "spanId", "parentSpanId")


def as_base64(value):
    """The same value with its hexadecimal ids in base64."""
    if isinstance(value, list):
        return [as_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: base64.b64encode(bytes.fromhex(item)).decode() if name in IDS else as_base64(item)
            for name, item in value.items()}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request, client_address):
        """A peer that has gone is no error of a test."""


def serve(handler):
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"


class Collector:
    """Keeps spans, and answers in one of several manners."""

    def __init__(self):
        self.spans, self.bodies, self.headers, self.wrong = [], [], [], []
        self.manner = "takes"
        self.asked = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                outer.answer(self, body)

            def log_message(self, *arguments):
                pass

        self.server, self.address = serve(Handler)

    def answer(self, call, body):
        manner = self.manner
        if manner == "cuts":
            call.close_connection = True
            return call.connection.close()
        if manner == "hangs":
            while self.manner == "hangs":
                time.sleep(0.05)
            call.close_connection = True
            return None
        self.bodies.append(body)
        if manner == "takes":
            self.take(call, body)
            return self.reply(call, 200, b"{}")
        if manner == "busy":
            return self.reply(call, 503, b"", ("Retry-After", "1"))
        if manner == "refuses":
            return self.reply(call, 400, b"{}")
        if manner == "huge":
            return self.reply(call, 200, b'{"a":"' + b"x" * (4 << 20) + b'"}')
        return self.reply(call, 200, b"\xff\x00 no JSON" + manner.encode())

    def take(self, call, body):
        self.headers.append(dict(call.headers))
        if call.path != "/v1/traces" or call.headers["Content-Type"] != "application/json":
            self.wrong.append(f"{call.path} {call.headers['Content-Type']}")
        told = json.loads(body)
        try:
            read = json_format.ParseDict(as_base64(told), ExportTraceServiceRequest())
        except json_format.ParseError as error:
            return self.wrong.append(str(error))
        for resource in read.resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            if not names.get("service.name") or not names.get("service.version"):
                self.wrong.append(f"the resource is {names}")
            for scope in resource.scope_spans:
                self.spans += scope.spans
        return None

    def reply(self, call, status, body, *fields):
        call.send_response(status)
        for name, value in fields:
            call.send_header(name, value)
        call.send_header("Content-Type", "application/json")
        call.send_header("Content-Length", str(len(body)))
        call.end_headers()
        call.wfile.write(body)

    def of(self, trace):
        """The spans of a trace, by id."""
        return {one.span_id.hex(): one for one in self.spans if one.trace_id.hex() == trace}

    def close(self):
        self.manner = "closed"
        self.server.shutdown()
        self.server.server_close()
