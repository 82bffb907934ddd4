import type { Facts } from '../discovery/facts.ts';
import { BOUGHT, NATIVE } from '../model/golden-replies.testing.ts';
import { twoChains } from '../model/model-market.testing.ts';
import type { Sabotage } from '../model/model-service.testing.ts';
import {
  both,
  either,
  fewer,
  has,
  keepsForAllChains,
  not,
  plans,
  refuse,
  scaled,
  where,
} from '../rule-kit/sabotage.testing.ts';

/* Services that break many promises at once, so that every probe has something to say of one. */

const encoded = has('includeCalldata', 'true');
const otherAlias = /^0xe{40}$/;

const refusesWhatIsValid = where(
  either(
    both(has('buyAmount'), not(has('includeCalldata'))),
    both(encoded, either(has('recipientAddress'), has('buyToken', NATIVE))),
    both(not(encoded), has('slippageTolerance')),
    both(has('sellToken', NATIVE), has('sellAmount')),
    has('slippageTolerance', '0.0003'),
    has('useRfq', 'true'),
    has('userAddress', /C0FFEE/),
    has('router', 'service-router'),
    has('sellToken', BOUGHT),
    has('chainId', '501'),
  ),
  refuse,
);

const plansBySpelling = where(
  either(
    both(not(encoded), either(has('sellToken', otherAlias), has('buyToken', otherAlias))),
    has('useRfq', 'false'),
    both(not(encoded), has('router', 'default-router')),
    has('includeCalldata', 'false'),
    has('sellToken', /^0x[B-D]/),
    has('recipientAddress'),
    has('slippageTolerance', '0.5'),
    has('userAddress', /77$/),
    ({ params, raw = '' }) => params[0]?.[0] === 'apiKey' || /%|^&|&&|&$/.test(raw),
  ),
  fewer,
);

/** Each service, and the rules that have something to say of it. */
export const BROKEN_SERVICES: readonly (readonly [
  what: string,
  Sabotage,
  rules: RegExp,
  Partial<Facts>?,
])[] = [
  ['a service that refuses what is valid', refusesWhatIsValid, /^(?!relation)/],
  ['a service that plans by the spelling', plansBySpelling, /^relation\/(?!exact|more)/],
  [
    'a service of one calldata',
    plans((b) => Object.assign(b, { calldata: '0x12' })),
    /calldata-differs/,
  ],
  [
    'a service that encodes the letters of an address',
    where(
      has('recipientAddress', /[A-F]/),
      plans((b) => Object.assign(b, { calldata: '0x3593564c' })),
    ),
    /relation\/calldata$/,
  ],
  [
    'a service that answers the same for every chain',
    keepsForAllChains(() => true),
    /chains-apart/,
    twoChains,
  ],
  [
    'a service whose exact output is cheap',
    where(has('buyAmount'), scaled('sell', 1n, 2n)),
    /costs-no-less/,
  ],
  [
    'a service that gives nothing for more',
    where(has('sellAmount', /^[0-9]{23,}$/), scaled('buy', 0n)),
    /more-in/,
  ],
];
