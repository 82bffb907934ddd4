import { observe, type Statements, should, untestable } from './statement.ts';

const NOT_SHOWN = 'The specification says no more, and no request could show it.';

/** The conventions and sections 1, 3, 5, 6, 7, 8 and 9. */
export const GENERAL_CLAUSES: Statements = {
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
  '3 states': untestable('States and transitions: not shown.', NOT_SHOWN),
  '5.1 apiKey': should(
    "Every operation requires the query parameter `apiKey` (string) carrying the caller's API key, written as `<API_KEY>` in requests.",
  ),
  '5.2 credentials': untestable(
    'No other credential, header or signature is described.',
    'Shown by every request that is answered: none carries another credential.',
  ),
  '5.3 missing key': observe(
    'Response to a missing or invalid key, and how keys are issued: not shown.',
  ),
  '5.3 invalid key': observe(
    'Response to a missing or invalid key, and how keys are issued: not shown.',
  ),
  '5.3 issuing keys': untestable('How keys are issued: not shown.', NOT_SHOWN),
  '6 events': untestable('Events, webhooks or notifications: not shown.', NOT_SHOWN),
  '7 400': '400 | Invalid parameters | Error (`error`, `message`, optional `details`)',
  '7 500': '500 | Internal server error | Error',
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
  '8 slippageTolerance': 'slippageTolerance | 0 to 1, multiple of 0.0001',
  '8 decimals': 'Token decimals | 0 to 18',
  '8 amounts': 'sellAmount / buyAmount | positive integers',
  '8 payload amounts': 'Amounts in all payloads | decimal strings in base units',
  '8 rate limits': observe('Rate limits, quotas and request size limits: not shown.'),
  '8 request size': observe('Rate limits, quotas and request size limits: not shown.'),
  '8 quotas': untestable('Rate limits, quotas and request size limits: not shown.', NOT_SHOWN),
  '9.1 path': untestable(
    'The version is part of the path: `/api/v1.0`.',
    'Every request is sent below this path; what other paths do is not said.',
  ),
  '9.2 version': untestable(
    'The interface description itself carries version 1.0.0.',
    'It speaks of the description, which no operation returns.',
  ),
  '9.3 deprecation': untestable(
    'Deprecation policy and compatibility guarantees: not shown.',
    NOT_SHOWN,
  ),
};
