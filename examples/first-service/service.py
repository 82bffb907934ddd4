"""A swap aggregation service of one chain, two tokens and one pool; it needs only Python."""
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

API_KEY = os.environ.get("API_KEY", "demo")
CHAIN = {"chainId": 1, "name": "Ethereum"}
NATIVE = {"0x" + "0" * 40, "0x" + "e" * 40}
ROUTERS = ["service-router", "universal-router", "default-router"]
TOKENS = [
    {"address": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "name": "Wrapped Ether", "symbol": "WETH", "decimals": 18},
    {"address": "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "name": "USD Coin", "symbol": "USDC", "decimals": 6},
]
WETH, USDC = (token["address"] for token in TOKENS)
POOL = {"address": "0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc", "name": "example-pool"}
RESERVES = {WETH: 10_000 * 10**18, USDC: 30_000_000 * 10**6}
USD = {WETH: 3000.0, USDC: 1.0}


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
        {"name": name, "liquiditySources": [POOL["name"]], "deployedAddress": "0x" + f"{i + 1:040x}", "hasEncoder": False}
        for i, name in enumerate(ROUTERS)
    ]
    return {**CHAIN, "usdTokenAddress": USDC, "wrappedNativeTokenAddress": WETH, "routers": routers}


OPERATIONS = {"swap": swap, "tokens": tokens, "chainInfo": chain_info, "chains": lambda query: [CHAIN]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

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
