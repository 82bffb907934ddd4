import { observe, type Statements, untestable } from './statement.ts';

/** Sections 2.1 to 2.5: the parts of a plan. */
export const PLAN_CLAUSES: Statements = {
  '2 present': untestable(
    'All fields listed are present unless marked optional.',
    'Held by the rule of every field: each fails where its field is missing.',
  ),
  '2.1 aggregator': 'aggregator | string | yes | Name of the aggregator service',
  '2.1 router': 'router | string | yes | Unique name of the router contract used',
  '2.1 sell': 'sell | TradeToken | yes | Token and amount sold',
  '2.1 buy': 'buy | TradeToken | yes | Token and amount bought',
  '2.1 nativeTokenUsdPrice':
    "nativeTokenUsdPrice | number | yes | Current price of the chain's native token in USD",
  '2.1 tokens': 'tokens | array of Token | yes | Metadata of every token involved in the plan',
  '2.1 routes':
    'routes | array of Route | yes | Swaps forming a directed acyclic graph converting all sell tokens into buy tokens.',
  '2.1 routerAddress':
    'routerAddress | string | only when `includeCalldata=true` | Address of the router contract',
  '2.1 calldata':
    'calldata | string | only when `includeCalldata=true` | Calldata that settles the trade on the router',
  '2.1 gasLimit':
    'gasLimit | string | only when `includeCalldata=true` | Estimated upper bound of gas use, for configuring the transaction',
  '2.1 order of routes': untestable(
    'The order of routes is not guaranteed',
    'Freedom of the service: every order conforms.',
  ),
  '2.2 referenceId':
    'referenceId | integer | yes | Refers to the `referenceId` of an entry in `tokens`',
  '2.2 amount': 'amount | string | yes | Amount in base units',
  '2.2 wrapFromNative':
    'wrapFromNative | boolean | optional | Present when the sell token is the native token and needs wrapping (on `sell`)',
  '2.2 unwrapToNative':
    'unwrapToNative | boolean | optional | Present when the buy token is the native token and needs unwrapping (on `buy`)',
  '2.3 referenceId':
    'referenceId | integer | yes | Unique within the response; used by `sell`, `buy` and route tokens',
  '2.3 address': 'address | string | yes | Token contract address',
  '2.3 name': 'name | string | yes | Token name',
  '2.3 symbol': 'symbol | string | yes | Token symbol',
  '2.3 decimals': 'decimals | integer | yes | Decimal places, 0 to 18',
  '2.3 usdPrice': 'usdPrice | number | yes | Current USD price of the token',
  '2.4 address': 'address | string | yes | Address of the liquidity pool',
  '2.4 name': 'name | string | yes | Name of the liquidity source',
  '2.4 details':
    'details | object (free-form keys) | optional | Extra information about the swap, used during encoding; may be absent',
  '2.4 fromTokens': 'fromTokens | array of RouteToken | yes | Tokens swapped from',
  '2.4 toTokens': 'toTokens | array of RouteToken | yes | Tokens swapped to',
  '2.4 keys of details': observe(
    'Keys inside `details` for each liquidity source: not shown beyond being a free-form object (a numeric fee value appears for some sources).',
  ),
  '2.5 referenceId': 'referenceId | integer | yes | Refers to an entry in `tokens`',
  '2.5 amount': 'amount | string | yes | Amount in base units',
};
