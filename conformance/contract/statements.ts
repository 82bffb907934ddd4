/** A quotation from the specification: a sentence, or the cells of a table row. */
export type Quotation = string | readonly string[];

/**
 * A statement at level `must` is just its quotation. Any other statement also has its level, and an
 * `untestable` statement has a reason.
 */
type Statement =
  | Quotation
  | { readonly level: 'should' | 'observe'; readonly quoted: Quotation }
  | { readonly level: 'untestable'; readonly quoted: Quotation; readonly why: string };

const should = (quoted: Quotation): Statement => ({ level: 'should', quoted });

const observe = (quoted: Quotation): Statement => ({ level: 'observe', quoted });

const untestable = (quoted: Quotation, why: string): Statement => ({
  level: 'untestable',
  quoted,
  why,
});

const NOT_SHOWN = 'The specification says nothing more, and no request could show it.';

/** Statements by clause id, in the order of the specification. */
export const STATEMENTS: Readonly<Record<string, Statement>> = {
  '0 paths': 'All paths below are absolute from it and begin with `/api/v1.0`.',
  '0 content type':
    'All operations use HTTP GET, take parameters in the query string, and return `application/json`.',
  '0 amounts': 'Amounts are decimal strings in base units of the token.',
  '1.1 plan':
    'Given a chain, a sell token, a buy token and exactly one amount (sell side or buy side), the service returns a routing plan.',
  '1.1 acyclic':
    'The swaps form a directed acyclic graph that converts the sell token into the buy token.',
  '1.1 converts':
    'The swaps form a directed acyclic graph that converts the sell token into the buy token.',
  '1.1 sources': untestable(
    'The plan is a set of swaps (routes) through liquidity sources (AMM pools and, optionally, market-maker RFQ liquidity).',
    'A reply does not say which of its sources are pools and which are market makers.',
  ),
  '1.2 encoding': should(
    'The plan format is independent of any router contract. A client may encode the plan itself with an encoder for a compatible router contract, or ask the service to include encoded calldata.',
  ),
  '1.3 calldata':
    'When calldata is requested, the response also carries the router contract address and an estimated gas limit.',
  '1.4 lookups':
    'Lookup operations list example tradable tokens for a chain, the supported chains, and per-chain details (routers, liquidity sources, key token addresses).',
  '1.5 read only': should(
    'The operations only read data. No operation creates, changes or deletes a resource held by the client.',
  ),
  '2 present': untestable(
    'All fields listed are present unless marked optional.',
    'Covered by the rules on each field, which fail if the field is missing.',
  ),
  '2.1 aggregator': ['aggregator', 'string', 'yes', 'Name of the aggregator service'],
  '2.1 router': ['router', 'string', 'yes', 'Unique name of the router contract used'],
  '2.1 sell': ['sell', 'TradeToken', 'yes', 'Token and amount sold'],
  '2.1 buy': ['buy', 'TradeToken', 'yes', 'Token and amount bought'],
  '2.1 nativeTokenUsdPrice': [
    'nativeTokenUsdPrice',
    'number',
    'yes',
    "Current price of the chain's native token in USD",
  ],
  '2.1 tokens': ['tokens', 'array of Token', 'yes', 'Metadata of every token involved in the plan'],
  '2.1 routes': [
    'routes',
    'array of Route',
    'yes',
    'Swaps forming a directed acyclic graph converting all sell tokens into buy tokens.',
  ],
  '2.1 routerAddress': [
    'routerAddress',
    'string',
    'only when `includeCalldata=true`',
    'Address of the router contract',
  ],
  '2.1 calldata': [
    'calldata',
    'string',
    'only when `includeCalldata=true`',
    'Calldata that settles the trade on the router',
  ],
  '2.1 gasLimit': [
    'gasLimit',
    'string',
    'only when `includeCalldata=true`',
    'Estimated upper bound of gas use, for configuring the transaction',
  ],
  '2.1 order of routes': untestable(
    'The order of routes is not guaranteed',
    'The service chooses the order: every order conforms.',
  ),
  '2.2 referenceId': [
    'referenceId',
    'integer',
    'yes',
    'Refers to the `referenceId` of an entry in `tokens`',
  ],
  '2.2 amount': ['amount', 'string', 'yes', 'Amount in base units'],
  '2.2 wrapFromNative': [
    'wrapFromNative',
    'boolean',
    'optional',
    'Present when the sell token is the native token and needs wrapping (on `sell`)',
  ],
  '2.2 unwrapToNative': [
    'unwrapToNative',
    'boolean',
    'optional',
    'Present when the buy token is the native token and needs unwrapping (on `buy`)',
  ],
  '2.3 referenceId': [
    'referenceId',
    'integer',
    'yes',
    'Unique within the response; used by `sell`, `buy` and route tokens',
  ],
  '2.3 address': ['address', 'string', 'yes', 'Token contract address'],
  '2.3 name': ['name', 'string', 'yes', 'Token name'],
  '2.3 symbol': ['symbol', 'string', 'yes', 'Token symbol'],
  '2.3 decimals': ['decimals', 'integer', 'yes', 'Decimal places, 0 to 18'],
  '2.3 usdPrice': ['usdPrice', 'number', 'yes', 'Current USD price of the token'],
  '2.4 address': ['address', 'string', 'yes', 'Address of the liquidity pool'],
  '2.4 name': ['name', 'string', 'yes', 'Name of the liquidity source'],
  '2.4 details': [
    'details',
    'object (free-form keys)',
    'optional',
    'Extra information about the swap, used during encoding; may be absent',
  ],
  '2.4 fromTokens': ['fromTokens', 'array of RouteToken', 'yes', 'Tokens swapped from'],
  '2.4 toTokens': ['toTokens', 'array of RouteToken', 'yes', 'Tokens swapped to'],
  '2.4 keys of details': observe(
    'Keys inside `details` for each liquidity source: not shown beyond being a free-form object (a numeric fee value appears for some sources).',
  ),
  '2.5 referenceId': ['referenceId', 'integer', 'yes', 'Refers to an entry in `tokens`'],
  '2.5 amount': ['amount', 'string', 'yes', 'Amount in base units'],
  '2.6 address': ['address', 'string', 'yes', 'Token contract address'],
  '2.6 name': ['name', 'string', 'yes', 'Token name'],
  '2.6 symbol': ['symbol', 'string', 'yes', 'Token symbol'],
  '2.6 decimals': ['decimals', 'integer', 'yes', '0 to 18'],
  '2.6 metadata': ['metadata', 'object', 'yes', 'Holds `logoURI`'],
  '2.6 logoURI': ['metadata.logoURI', 'string', 'yes', "URL of the token's logo image"],
  '2.7 chainId': ['chainId', 'integer', 'yes', 'Unique identifier of the blockchain network'],
  '2.7 name': ['name', 'string', 'yes', 'Human-readable network name'],
  '2.8 chainId': ['chainId', 'integer', 'yes', 'Network identifier'],
  '2.8 name': ['name', 'string', 'yes', 'Network name'],
  '2.8 usdTokenAddress': [
    'usdTokenAddress',
    'string',
    'yes',
    'Address of the primary USD-pegged token on the chain',
  ],
  '2.8 wrappedNativeTokenAddress': [
    'wrappedNativeTokenAddress',
    'string',
    'yes',
    'Address of the wrapped native token',
  ],
  '2.8 routers': [
    'routers',
    'array of RouterInfo',
    'yes',
    'Available router contracts and their configuration',
  ],
  '2.9 name': [
    'name',
    'string, one of `service-router`, `universal-router`, `default-router`',
    'yes',
    'Router contract unique name',
  ],
  '2.9 liquiditySources': [
    'liquiditySources',
    'array of string',
    'yes',
    'Liquidity sources supported by this router',
  ],
  '2.9 deployedAddress': [
    'deployedAddress',
    'string',
    'yes',
    'Deployed address of the router contract',
  ],
  '2.9 tokenProxyAddress': [
    'tokenProxyAddress',
    'string',
    'optional',
    'Token proxy contract address, if applicable',
  ],
  '2.9 hasEncoder': [
    'hasEncoder',
    'boolean',
    'yes',
    'Whether an encoder for calldata generation is available for this router',
  ],
  '2.9 chain identifiers': observe('The full list of chain identifiers: not shown.'),
  '2.10 error': ['error', 'string', 'yes', 'Error type'],
  '2.10 message': ['message', 'string', 'yes', 'Human-readable message'],
  '2.10 details': ['details', 'object (free-form keys)', 'optional', 'Additional error details'],
  '3 states': untestable('States and transitions: not shown.', NOT_SHOWN),
  '4 status': 'Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error).',
  '4 error body': 'Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error).',
  '4 get': 'Every endpoint: method GET, all inputs in the query string, no request body.',
  '4 other methods': observe(
    'Every endpoint: method GET, all inputs in the query string, no request body.',
  ),
  '4.1 chainId': ['chainId', 'integer', 'yes', 'Identifier of the blockchain'],
  '4.1 sellToken': [
    'sellToken',
    'string',
    'yes',
    'Token address. For the native token use either the all-zero 20-byte hex address (`0x` followed by 40 zeros) or `0x` followed by 40 `e` characters',
  ],
  '4.1 buyToken': ['buyToken', 'string', 'yes', 'Same address rules as `sellToken`'],
  '4.1 native token':
    'For the native token use either the all-zero 20-byte hex address (`0x` followed by 40 zeros) or `0x` followed by 40 `e` characters',
  '4.1 sellAmount': [
    'sellAmount',
    'string',
    'see rule',
    'Positive integer in base units; exact-input swap',
  ],
  '4.1 buyAmount': [
    'buyAmount',
    'string',
    'see rule',
    'Positive integer in base units; exact-output swap',
  ],
  '4.1 useRfq': ['useRfq', 'boolean', 'no', 'false', 'Whether to use market-maker RFQ liquidity'],
  '4.1 router': [
    'router',
    'string, one of `service-router`, `universal-router`, `default-router`',
    'no',
    '`default-router`',
    'Router contract unique name',
  ],
  '4.1 includeCalldata': [
    'includeCalldata',
    'boolean',
    'no',
    'false',
    'Whether to include calldata in the response',
  ],
  '4.1 userAddress': [
    'userAddress',
    'string',
    'yes if `includeCalldata=true`',
    "User's wallet address",
  ],
  '4.1 recipientAddress': [
    'recipientAddress',
    'string',
    'no',
    'Address that receives the buy token; when unset, the buy token goes to the transaction sender',
  ],
  '4.1 slippageTolerance': [
    'slippageTolerance',
    'number',
    'yes if `includeCalldata=true`',
    '0 to 1 inclusive, in steps of 0.0001; 0.01 means 1%',
  ],
  '4.1 apiKey': should(['apiKey', 'string', 'yes', "The caller's API key"]),
  '4.1 rule 1':
    'Exactly one of `sellAmount` and `buyAmount` must be given, never both and never neither.',
  '4.1 rule 2': 'When `includeCalldata=true`, `userAddress` and `slippageTolerance` must be given.',
  '4.1 rule 3':
    'When `includeCalldata` is false or omitted, the response has no `routerAddress`, `calldata` or `gasLimit`.',
  '4.1 rule 4':
    'When `includeCalldata=true`, the response has `routerAddress`, `calldata` and `gasLimit`.',
  '4.1 rule 5':
    'When the sell token is native, `sell.wrapFromNative` may appear; when the buy token is native, `buy.unwrapToNative` may appear.',
  '4.1 rule 6': 'Invalid parameters give 400 with an Error body.',
  '4.1 response': 'Response 200: SwapResponse (section 2.1).',
  '4.2 curated': untestable(
    'Returns a curated list of example tokens for a chain. It is not the full list of tradable tokens.',
    'The service chooses the tokens that it lists.',
  ),
  '4.2 chainId': ['chainId', 'integer', 'yes'],
  '4.2 apiKey': should(['apiKey', 'string', 'yes']),
  '4.2 response': 'Response 200: JSON array of TokenInfo.',
  '4.3 supported': 'Returns the supported chains.',
  '4.3 apiKey': should(['apiKey', 'string', 'yes']),
  '4.3 response': 'Response 200: JSON array of Chain.',
  '4.4 details':
    'Returns details of one chain: supported routers, liquidity sources, key token addresses.',
  '4.4 chainId': ['chainId', 'integer', 'yes'],
  '4.4 apiKey': should(['apiKey', 'string', 'yes']),
  '4.4 response': 'Response 200: ChainInfo.',
  '5.1 apiKey': should(
    "Every operation requires the query parameter `apiKey` (string) carrying the caller's API key, written as `<API_KEY>` in requests.",
  ),
  '5.2 credentials': untestable(
    'No other credential, header or signature is described.',
    'Every request that succeeds shows this: no request carries another credential.',
  ),
  '5.3 missing key': observe(
    'Response to a missing or invalid key, and how keys are issued: not shown.',
  ),
  '5.3 invalid key': observe(
    'Response to a missing or invalid key, and how keys are issued: not shown.',
  ),
  '5.3 issuing keys': untestable('How keys are issued: not shown.', NOT_SHOWN),
  '6 events': untestable('Events, webhooks or notifications: not shown.', NOT_SHOWN),
  '7 400': ['400', 'Invalid parameters', 'Error (`error`, `message`, optional `details`)'],
  '7 500': ['500', 'Internal server error', 'Error'],
  '7 error values': observe('The list of values of `error` [...]: not shown.'),
  '7 missing parameter': observe(
    'The mapping of individual conditions (missing parameter, [...]) to them: not shown.',
  ),
  '7 both amounts': observe(
    'The mapping of individual conditions ([...] both amounts given, [...]) to them: not shown.',
  ),
  '7 unknown chain': observe(
    'The mapping of individual conditions ([...] unknown chain, [...]) to them: not shown.',
  ),
  '7 unsupported pair': observe(
    'The mapping of individual conditions ([...] unsupported pair) to them: not shown.',
  ),
  '8 slippageTolerance': ['slippageTolerance', '0 to 1, multiple of 0.0001'],
  '8 decimals': ['Token decimals', '0 to 18'],
  '8 amounts': ['sellAmount / buyAmount', 'positive integers'],
  '8 payload amounts': ['Amounts in all payloads', 'decimal strings in base units'],
  '8 rate limits': observe('Rate limits, quotas and request size limits: not shown.'),
  '8 request size': observe('Rate limits, quotas and request size limits: not shown.'),
  '8 quotas': untestable('Rate limits, quotas and request size limits: not shown.', NOT_SHOWN),
  '9.1 path': untestable(
    'The version is part of the path: `/api/v1.0`.',
    'Every request is sent below this path; the behavior of other paths is not specified.',
  ),
  '9.2 version': untestable(
    'The interface description itself carries version 1.0.0.',
    'The statement is about the description, which no operation returns.',
  ),
  '9.3 deprecation': untestable(
    'Deprecation policy and compatibility guarantees: not shown.',
    NOT_SHOWN,
  ),
};
