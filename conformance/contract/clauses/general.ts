import type { Clause } from '../clauses.ts';
import { clauses, untestable } from './clause.ts';

const notShown = 'The specification says no more, and no request could show it.';

/** The conventions and sections 1, 3, 5, 6, 7, 8 and 9. */
export const GENERAL_CLAUSES: readonly Clause[] = [
  ...clauses('must', {
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
    '1.3 calldata':
      'When calldata is requested, the response also carries the router contract address and an estimated gas limit.',
    '1.4 lookups':
      'Lookup operations list example tradable tokens for a chain, the supported chains, and per-chain details (routers, liquidity sources, key token addresses).',
    '7 400': '400 | Invalid parameters | Error (`error`, `message`, optional `details`)',
    '7 500': '500 | Internal server error | Error',
    '8 slippageTolerance': 'slippageTolerance | 0 to 1, multiple of 0.0001',
    '8 decimals': 'Token decimals | 0 to 18',
    '8 amounts': 'sellAmount / buyAmount | positive integers',
    '8 payload amounts': 'Amounts in all payloads | decimal strings in base units',
  }),
  ...clauses('should', {
    '1.2 encoding':
      'The plan format is independent of any router contract. A client may encode the plan itself with an encoder for a compatible router contract, or ask the service to include encoded calldata.',
    '1.5 read only':
      'The operations only read data. No operation creates, changes or deletes a resource held by the client.',
    '5.1 apiKey':
      "Every operation requires the query parameter `apiKey` (string) carrying the caller's API key, written as `<API_KEY>` in requests.",
  }),
  ...clauses('observe', {
    '5.3 missing key': 'Response to a missing or invalid key, and how keys are issued: not shown.',
    '5.3 invalid key': 'Response to a missing or invalid key, and how keys are issued: not shown.',
    '7 error values': 'The list of values of `error` [...]: not shown.',
    '7 missing parameter':
      'The mapping of individual conditions (missing parameter, [...]) to them: not shown.',
    '7 both amounts':
      'The mapping of individual conditions ([...] both amounts given, [...]) to them: not shown.',
    '7 unknown chain':
      'The mapping of individual conditions ([...] unknown chain, [...]) to them: not shown.',
    '7 unsupported pair':
      'The mapping of individual conditions ([...] unsupported pair) to them: not shown.',
    '8 rate limits': 'Rate limits, quotas and request size limits: not shown.',
    '8 request size': 'Rate limits, quotas and request size limits: not shown.',
  }),
  ...untestable({
    '1.1 sources': [
      'The plan is a set of swaps (routes) through liquidity sources (AMM pools and, optionally, market-maker RFQ liquidity).',
      'A reply does not say which of its sources are pools and which are market makers.',
    ],
    '3 states': ['States and transitions: not shown.', notShown],
    '5.2 credentials': [
      'No other credential, header or signature is described.',
      'Shown by every request that is answered: none carries another credential.',
    ],
    '5.3 issuing keys': ['How keys are issued: not shown.', notShown],
    '6 events': ['Events, webhooks or notifications: not shown.', notShown],
    '8 quotas': ['Rate limits, quotas and request size limits: not shown.', notShown],
    '9.1 path': [
      'The version is part of the path: `/api/v1.0`.',
      'Every request is sent below this path; what other paths do is not said.',
    ],
    '9.2 version': [
      'The interface description itself carries version 1.0.0.',
      'It speaks of the description, which no operation returns.',
    ],
    '9.3 deprecation': ['Deprecation policy and compatibility guarantees: not shown.', notShown],
  }),
];
