"""A swap aggregation service with one chain, two tokens and one pool. It needs only Python."""
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

API_KEY = os.environ.get("API_KEY", "demo")
CHAIN = {"chainId": 31337, "name": "Swapcheck One"}
NATIVE = {"0x" + "0" * 40, "0x" + "e" * 40}
ROUTERS = {
    "service-router": "0x98eddadcfde04dc22a0e62119617e74a6bc77313",
    "universal-router": "0x12975173b87f7595ee45dffb2ab812ece596bf84",
    "default-router": "0x95bd8d42f30351685e96c62eddc0d0613bf9a87a",
}
TOKENS = [
    {"address": "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35", "name": "Wrapped Ether", "symbol": "WETH", "decimals": 18},
    {"address": "0x82c6d3ed4cd33d8ec1e51d0b5cc1d822eaa0c3dc", "name": "USD Coin", "symbol": "USDC", "decimals": 6},
]
WETH, USDC = (token["address"] for token in TOKENS)
POOL = {"address": "0x78348f02f15926ac7638a03f9c2cebf6444520af", "name": "UniswapV2"}
RESERVES = {WETH: 1278997266143343618603, USDC: 3995199999999}
USD = {WETH: 3123.7, USDC: 1.0}


class Invalid(Exception):
    """A request that the service rejects with 400."""


def amount_out(sold, buy, amount):
    paid = amount * 997
    return paid * RESERVES[buy] // (RESERVES[sold] * 1000 + paid)


def amount_in(sold, buy, amount):
    if amount >= RESERVES[buy]:
        raise Invalid("the pool does not hold buyAmount")
    return RESERVES[sold] * amount * 1000 // ((RESERVES[buy] - amount) * 997) + 1


def read(query, name, pattern, default=None):
    value = query.get(name, default)
    if value is None or not re.fullmatch(pattern, value):
        raise Invalid(f"{name} is missing or invalid")
    return value


def read_amount(query, name):
    amount = int(read(query, name, "[0-9]{1,78}"))
    if not 0 < amount < 2**256:
        raise Invalid(f"{name} is out of range")
    return amount


def asset(query, name):
    address = read(query, name, "0x[0-9a-fA-F]{40}").lower()
    token = WETH if address in NATIVE else address
    if token not in RESERVES:
        raise Invalid(f"{name} is not a token of this chain")
    return token, address in NATIVE


def swap(query):
    (sold, wraps), (bought, unwraps) = asset(query, "sellToken"), asset(query, "buyToken")
    if sold == bought:
        raise Invalid("sellToken and buyToken are the same asset")
    if ("sellAmount" in query) == ("buyAmount" in query):
        raise Invalid("exactly one of sellAmount and buyAmount is required")
    router = read(query, "router", "|".join(ROUTERS), "default-router")
    for flag in ("useRfq", "includeCalldata"):
        read(query, flag, "true|false", "false")
    for name in ("userAddress", "recipientAddress"):
        read(query, name, "0x[0-9a-fA-F]{40}", "0x" + "0" * 40)
    read(query, "slippageTolerance", r"0(\.\d{1,4}0*)?|1(\.0+)?", "0")
    if query.get("includeCalldata") == "true":
        raise Invalid("this service has no encoder")
    if "sellAmount" in query:
        sell = read_amount(query, "sellAmount")
        buy = amount_out(sold, bought, sell)
    else:
        buy = read_amount(query, "buyAmount")
        sell = amount_in(sold, bought, buy)
    if buy == 0 or sell >= 2**256:
        raise Invalid("the pool cannot fill this amount")
    from_token, to_token = {"referenceId": 0, "amount": str(sell)}, {"referenceId": 1, "amount": str(buy)}
    by_address = {token["address"]: token for token in TOKENS}
    return {
        "aggregator": "first-service",
        "router": router,
        "sell": {**from_token, **({"wrapFromNative": True} if wraps else {})},
        "buy": {**to_token, **({"unwrapToNative": True} if unwraps else {})},
        "nativeTokenUsdPrice": USD[WETH],
        "tokens": [{"referenceId": i, **by_address[t], "usdPrice": USD[t]} for i, t in enumerate((sold, bought))],
        "routes": [{**POOL, "fromTokens": [from_token], "toTokens": [to_token]}],
    }


def tokens(query):
    logo = "https://example.org/%s.png"
    return [{**token, "metadata": {"logoURI": logo % token["symbol"]}} for token in TOKENS]


def chain_info(query):
    routers = [
        {"name": name, "liquiditySources": [POOL["name"]], "deployedAddress": address, "hasEncoder": False}
        for name, address in ROUTERS.items()
    ]
    return {**CHAIN, "usdTokenAddress": USDC, "wrappedNativeTokenAddress": WETH, "routers": routers}


OPERATIONS = {"swap": swap, "tokens": tokens, "chainInfo": chain_info, "chains": lambda query: [CHAIN]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body in one write: TCP may hold a second small write back for 40 ms.
    wbufsize = -1

    def do_GET(self):
        url = urlsplit(self.path)
        operation = OPERATIONS.get(url.path.removeprefix("/api/v1.0/"))
        try:
            if operation is None:
                return self.reply(404, {"error": "NOT_FOUND", "message": "no such operation"})
            pairs = parse_qsl(url.query, keep_blank_values=True)
            query = dict(pairs)
            if len(query) < len(pairs):
                raise Invalid("a parameter is repeated")
            if query.get("apiKey") != API_KEY:
                raise Invalid("apiKey is missing or unknown")
            if operation is not OPERATIONS["chains"] and int(read(query, "chainId", "[0-9]{1,15}")) != CHAIN["chainId"]:
                raise Invalid("chainId is not a supported chain")
            self.reply(200, operation(query))
        except Invalid as problem:
            self.reply(400, {"error": "INVALID_PARAMETER", "message": str(problem)})

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
