import { isNative } from '../../contract/names.ts';
import { USER_ADDRESS } from '../../generate/trades.ts';
import { twoChains } from '../../model/model-market.testing.ts';
import type { Asked, Sabotage } from '../../model/model-service.testing.ts';
import { RELATION } from '../../rule-kit/probe-kinds.testing.ts';
import { type Case, type Expected, testProbes } from '../../rule-kit/probes.testing.ts';
import {
  both,
  fewer,
  has,
  keepsForAllChains,
  movingMarket,
  plans,
  refuse,
  scaled,
  where,
  wrongNowAndThen,
} from '../../rule-kit/sabotage.testing.ts';
import { rules } from './relations.ts';

const relation = (...cases: readonly Case[]): Expected => ({
  ...RELATION,
  cases: [...cases, [movingMarket]],
});
/** Worse plans for some requests are found, but one that is worse whatever was asked. */
const found = (...services: readonly ((asked: Asked) => boolean)[]) =>
  relation(...services.map((isMeant): Case => [where(isMeant, fewer), 'fails']), [wrongNowAndThen]);
const hasOtherAlias = ({ params }: Asked) => params.some(([, value]) => /^0xe{40}$/.test(value));
const namesNativeAsAsked: Sabotage = (given, { params }) => {
  const asked = params.find(([, value]) => isNative(value))?.[1];
  return plans((body) => {
    for (const token of body.tokens) if (token.symbol === 'WRP') token.address = asked;
  })(given);
};
const amounts = (...cases: readonly Case[]): Expected => ({
  'could not run': 'unknown untraded silent large 404 501 500 401 200',
  cases: [...cases, [movingMarket], [wrongNowAndThen]],
});
/** One leg of each plan is of fewer base units than tell a price. */
const tinyLegs: Sabotage = plans((body) => {
  body.routes[0].toTokens[0].amount = '99999';
});
const isLarge = has('sellAmount', /^[0-9]{23,}$/);

/** With `useRfq=true`, plans go through a market maker. */
const withMakers: Sabotage = where(
  has('useRfq', 'true'),
  plans((body) => {
    for (const route of body.routes) route.address = `0x${'9'.repeat(40)}`;
  }),
);

/** Such a service, whose cache knows a request without `useRfq`, where what was requested is kept. */
function keepsForAllRfq(isKept: (asked: Asked) => boolean): Sabotage {
  const cached = new Map<string, ReturnType<Sabotage>>();
  return (given, asked) => {
    if (asked.count === 0) cached.clear();
    const key = JSON.stringify(asked.params.filter(([name]) => name !== 'useRfq'));
    const answer = cached.get(key) ?? withMakers(given, asked);
    if (isKept(asked)) cached.set(key, answer);
    return answer;
  };
}

testProbes(rules, {
  'relation/chains-apart': {
    'does not apply': 'sound unknown untraded silent large 404 501 500 401 200',
    cases: [
      [keepsForAllChains(({ status }) => status === 200), twoChains, 'the plan of chain 31337'],
      [keepsForAllChains(({ status }) => status === 400), twoChains, 'right after chain 501'],
      [(given) => given, twoChains],
      [movingMarket, twoChains],
      [wrongNowAndThen, twoChains],
      [refuse, twoChains, 'could-not-run'],
    ],
  },
  'relation/rfq-apart': {
    ...RELATION,
    cases: [
      [keepsForAllRfq(() => true), 'right after `useRfq=true`', 'right after `useRfq=false`'],
      [keepsForAllRfq(has('useRfq', 'true')), 'right after `useRfq=true`'],
      [keepsForAllRfq(has('useRfq', 'false')), 'right after `useRfq=false`'],
      // Makers' liquidity that is there for every other request.
      [(given, asked) => (asked.count % 2 === 0 ? given : withMakers(given, asked))],
      [withMakers],
      [movingMarket],
    ],
  },
  'relation/native-aliases': relation(
    [where(hasOtherAlias, fewer), 'fails'],
    [where(hasOtherAlias, refuse), 'fails'],
    [where(both(hasOtherAlias, has('includeCalldata', 'true')), fewer), 'fails'],
    // Either spelling may stand for native in what is answered.
    [namesNativeAsAsked],
    [wrongNowAndThen],
  ),
  'relation/default-rfq': found(has('useRfq', 'false')),
  'relation/default-router': found(has('router', 'default-router')),
  'relation/default-calldata': found(has('includeCalldata', 'false')),
  'relation/slippage-leaves-plan': found(
    has('slippageTolerance', '0.5'),
    has('slippageTolerance', '0'),
    has('slippageTolerance', '1'),
  ),
  'relation/recipient-leaves-plan': found(
    has('recipientAddress'),
    has('recipientAddress', USER_ADDRESS),
  ),
  'relation/user-leaves-plan': found(has('userAddress', /77$/)),
  'relation/letter-case': found(has('sellToken', /[A-F]/), has('sellToken', /^0xE/)),
  'relation/exact-output-costs-no-more': amounts([where(has('buyAmount'), scaled('sell', 2n))]),
  'relation/exact-output-costs-no-less': amounts(
    [where(has('buyAmount'), scaled('sell', 9n, 10n)), 'fails'],
    [where(has('buyAmount'), scaled('sell', 2n))],
    [tinyLegs, 'could-not-run'],
  ),
  'relation/more-in-no-less-out': amounts([where(isLarge, scaled('buy', 0n)), 'fails']),
  // Legs that rounding shows in have no price to compare.
  'relation/price-does-not-improve': amounts(
    [where(isLarge, scaled('buy', 10_000n))],
    [tinyLegs, 'could-not-run'],
  ),
});
