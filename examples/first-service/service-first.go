// A swap aggregation service with one chain, two tokens and one pool. It needs only Go.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
)

type object = map[string]any

var (
	apiKey  = env("API_KEY", "demo")
	chain   = object{"chainId": 31337, "name": "Swapcheck One"}
	native  = []string{"0x" + strings.Repeat("0", 40)}
	weth    = "0x700b6a60ce7eaaea56f065753d8dcb9653dbad35"
	usdc    = "0x82c6d3ed4cd33d8ec1e51d0b5cc1d822eaa0c3dc"
	routers = map[string]string{
		"service-router":   "0x98eddadcfde04dc22a0e62119617e74a6bc77313",
		"universal-router": "0x12975173b87f7595ee45dffb2ab812ece596bf84",
		"default-router":   "0x95bd8d42f30351685e96c62eddc0d0613bf9a87a",
	}
	names = map[string]object{
		weth: {"address": weth, "name": "Wrapped Ether", "symbol": "WETH", "decimals": 18},
		usdc: {"address": usdc, "name": "USD Coin", "symbol": "USDC", "decimals": 6},
	}
	source   = "UniswapV2"
	pool     = "0x78348f02f15926ac7638a03f9c2cebf6444520af"
	reserves = map[string]*big.Int{weth: integer("1278997266143343618603"), usdc: integer("3995199999999")}
	usd      = map[string]float64{weth: 3123.7, usdc: 1}
	limit    = new(big.Int).Lsh(big.NewInt(1), 256)
)

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func integer(text string) *big.Int {
	value, _ := new(big.Int).SetString(text, 10)
	return value
}

func mul(a, b *big.Int) *big.Int         { return new(big.Int).Mul(a, b) }
func times(a *big.Int, b int64) *big.Int { return mul(a, big.NewInt(b)) }

func amountOut(sold, bought string, amount *big.Int) *big.Int {
	paid := times(amount, 997)
	held := new(big.Int).Add(times(reserves[sold], 1000), paid)
	return new(big.Int).Div(mul(paid, reserves[bought]), held)
}

func amountIn(sold, bought string, amount *big.Int) (*big.Int, error) {
	left := new(big.Int).Sub(reserves[bought], amount)
	if left.Sign() <= 0 {
		return nil, errors.New("the pool does not hold buyAmount")
	}
	paid := times(mul(reserves[sold], amount), 1000)
	return paid.Div(paid, times(left, 1000)), nil
}

// read returns a parameter, or the default. The value must match the pattern.
func read(query url.Values, name, pattern string, otherwise ...string) (string, error) {
	value := query.Get(name)
	if !query.Has(name) && len(otherwise) > 0 {
		value = otherwise[0]
	}
	if !regexp.MustCompile(`\A(?:` + pattern + `)\z`).MatchString(value) {
		return "", fmt.Errorf("%s is missing or invalid", name)
	}
	return value, nil
}

func readAmount(query url.Values, name string) (*big.Int, error) {
	text, err := read(query, name, "[0-9]{1,78}")
	if err != nil {
		return nil, err
	}
	amount := integer(text)
	if amount.Sign() == 0 || amount.Cmp(limit) >= 0 {
		return nil, fmt.Errorf("%s is out of range", name)
	}
	return amount, nil
}

func asset(query url.Values, name string) (token string, isNative bool, err error) {
	token, err = read(query, name, "0x[0-9a-fA-F]{40}")
	token = strings.ToLower(token)
	for _, alias := range native {
		if token == alias {
			token, isNative = weth, true
		}
	}
	if err == nil && names[token] == nil {
		err = fmt.Errorf("%s is not a token of this chain", name)
	}
	return
}

// check returns the first error in the parameters that the service does not use.
func check(query url.Values) error {
	for _, flag := range []string{"useRfq", "includeCalldata"} {
		if _, err := read(query, flag, "true|false", "false"); err != nil {
			return err
		}
	}
	for _, name := range []string{"userAddress", "recipientAddress"} {
		if _, err := read(query, name, "0x[0-9a-fA-F]{40}", native[0]); err != nil {
			return err
		}
	}
	_, err := read(query, "slippageTolerance", `0(\.\d{1,4}0*)?|1(\.0+)?`, "0")
	if err == nil && query.Get("includeCalldata") == "true" {
		err = errors.New("this service has no encoder")
	}
	return err
}

func swap(query url.Values) (any, error) {
	sold, wraps, err := asset(query, "sellToken")
	if err != nil {
		return nil, err
	}
	bought, unwraps, err := asset(query, "buyToken")
	if err != nil {
		return nil, err
	}
	if sold == bought {
		return nil, errors.New("sellToken and buyToken are the same asset")
	}
	if !query.Has("sellAmount") && !query.Has("buyAmount") {
		return nil, errors.New("exactly one of sellAmount and buyAmount is required")
	}
	router, err := read(query, "router", "service-router|universal-router|default-router", "default-router")
	if err != nil {
		return nil, err
	}
	if err := check(query); err != nil {
		return nil, err
	}
	var sell, buy *big.Int
	if query.Has("sellAmount") {
		if sell, err = readAmount(query, "sellAmount"); err == nil {
			buy = amountOut(sold, bought, sell)
		}
	} else if buy, err = readAmount(query, "buyAmount"); err == nil {
		sell, err = amountIn(sold, bought, buy)
	}
	if err != nil {
		return nil, err
	}
	if buy.Sign() == 0 || sell.Cmp(limit) >= 0 {
		return nil, errors.New("the pool cannot fill this amount")
	}
	from := object{"referenceId": 0, "amount": sell}
	to := object{"referenceId": 1, "amount": buy.String()}
	tokens := []object{}
	for id, address := range []string{sold, bought} {
		tokens = append(tokens, with(names[address], object{"referenceId": id, "usdPrice": usd[address]}))
	}
	route := object{"address": pool, "name": source, "fromTokens": []object{from}, "toTokens": []object{to}}
	plan := object{
		"aggregator":          "first-service",
		"router":              router,
		"sell":                from,
		"buy":                 to,
		"nativeTokenUsdPrice": usd[weth],
		"tokens":              tokens,
		"routes":              []object{route},
	}
	if wraps {
		plan["sell"] = with(from, object{"wrapFromNative": true})
	}
	if unwraps {
		plan["buy"] = with(to, object{"unwrapToNative": true})
	}
	return plan, nil
}

// with returns a copy of an object with additional fields.
func with(fields, more object) object {
	all := object{}
	for _, each := range []object{fields, more} {
		for name, value := range each {
			all[name] = value
		}
	}
	return all
}

func tokens(url.Values) (any, error) {
	list := []object{}
	for _, address := range []string{weth, usdc} {
		logo := fmt.Sprintf("https://example.org/%s.png", names[address]["symbol"])
		list = append(list, with(names[address], object{"metadata": object{"logoURI": logo}}))
	}
	return list, nil
}

func chainInfo(url.Values) (any, error) {
	list := []object{}
	for name, address := range routers {
		list = append(list, object{
			"name": name, "liquiditySources": []string{source}, "deployedAddress": address, "hasEncoder": false,
		})
	}
	return with(chain, object{"usdTokenAddress": usdc, "wrappedNativeTokenAddress": weth, "routers": list}), nil
}

func chains(url.Values) (any, error) { return []object{chain}, nil }

type operation = func(url.Values) (any, error)

// serve returns the handler of an operation, which first checks the parameters that operations share.
func serve(name string, run operation) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		query, err := url.ParseQuery(request.URL.RawQuery)
		for parameter, values := range query {
			if len(values) > 1 {
				err = fmt.Errorf("%s is repeated", parameter)
			}
		}
		if err == nil && query.Get("apiKey") != apiKey {
			err = errors.New("apiKey is missing or unknown")
		}
		if err == nil && name != "chains" {
			var id string
			if id, err = read(query, "chainId", "[0-9]{1,15}"); err == nil && integer(id).Int64() != 31337 {
				err = errors.New("chainId is not a supported chain")
			}
		}
		var body any
		if err == nil {
			body, err = run(query)
		}
		if err != nil {
			reply(response, http.StatusBadRequest, object{"error": "INVALID_PARAMETER", "message": err.Error()})
			return
		}
		reply(response, http.StatusOK, body)
	}
}

func reply(response http.ResponseWriter, status int, body any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(body)
}

func main() {
	handler := http.NewServeMux()
	operations := map[string]operation{"swap": swap, "tokens": tokens, "chainInfo": chainInfo, "chains": chains}
	for name, run := range operations {
		handler.HandleFunc("GET /api/v1.0/"+name, serve(name, run))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+env("PORT", "8000"))
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + listener.Addr().String())
	http.Serve(listener, handler)
}
