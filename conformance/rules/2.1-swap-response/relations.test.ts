import type { Asked, Sabotage } from '../../model/model-service.testing.ts';
import { createRandom } from '../../model/random.ts';
import { RELATION } from '../../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../../rule-kit/probes.testing.ts';
import { has, movingMarket, plans, refuse, where } from '../../rule-kit/sabotage.testing.ts';
import { rules } from './relations.ts';

const encoded = (calldata: string) => plans((body) => Object.assign(body, { calldata }));
/** Settles another trade for some requests. */
const other = (isMeant: (asked: Asked) => boolean) => where(isMeant, encoded('0x3593564c00'));
const isEncoded = ({ raw }: Asked) => raw?.includes('%') === true;
const isKeyFirst = ({ params }: Asked) => params[0]?.[0] === 'apiKey';
const random = createRandom(1);
/** Calldata that has a number of its own each time. */
const salted: Sabotage = (given) =>
  encoded(
    `0x3593564c${Math.floor(random() * 1e12)
      .toString(16)
      .padStart(10, '0')}`,
  )(given);

testProbes(rules, {
  'relation/calldata': {
    ...RELATION,
    cases: [
      [other(has('recipientAddress', /[A-F]/)), 'fails'],
      [other(has('recipientAddress', /^0x[a-f0-9]*$/)), 'fails'],
      [other(isEncoded), 'fails'],
      [other(has('useRfq', 'false')), 'fails'],
      [other(has('router', 'default-router')), 'fails'],
      [where(isKeyFirst, refuse), 'fails'],
      [salted],
      [movingMarket],
    ],
  },
});
