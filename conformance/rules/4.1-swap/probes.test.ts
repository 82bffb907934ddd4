import { BOUGHT } from '../../model/golden-replies.testing.ts';
import { modelMarket } from '../../model/model-market.testing.ts';
import type { Asked } from '../../model/model-service.testing.ts';
import { ACCEPTED, keyRequired, refused } from '../../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../../rule-kit/probes.testing.ts';
import {
  answer,
  both,
  either,
  has,
  isRepeat,
  not,
  refuse,
  where,
} from '../../rule-kit/sabotage.testing.ts';
import { rules } from './probes.ts';

const USER = '0x00000000000000000000000000000000c0ffee01';
const RECIPIENT = '0x00000000000000000000000000000000c0ffee02';
const ZEROS = `0x${'0'.repeat(40)}`;
const ES = `0x${'e'.repeat(40)}`;
const native = new RegExp(`^(${ZEROS}|${ES})$`);
const encoded = has('includeCalldata', 'true');
const plain = not(encoded);
const unused = `\`userAddress=${USER}\`, \`recipientAddress=${RECIPIENT}\`, \`slippageTolerance=0.01\``;
const unusedTogether = [`200 for ${unused}`, `200 for \`includeCalldata=false\`, ${unused}`];
/** Now and then, whatever was asked. */
const isNow = ({ count }: Asked) => count % 5 === 3;
const twoWays = { 'could not run': 'unknown untraded silent large 404 501 500 401 200' };

testProbes(rules, {
  'swap/key-required': {
    ...keyRequired('swap', 'unknown untraded silent'),
    // In each form, with calldata too.
    asks: [
      'swap -apiKey',
      'swap apiKey=',
      'swap -sellAmount -apiKey buyToken=0xb*40 buyAmount=10*8',
      'swap -sellAmount buyToken=0xb*40 buyAmount=10*8 apiKey=',
      'swap -apiKey buyToken=0xd*40 router=default-router includeCalldata=true userAddress=0x0*32c0ffee01 slippageTolerance=0.01',
      '...',
    ],
  },
  'swap/flags-accepted': {
    ...ACCEPTED,
    cases: [
      [where(has('useRfq', 'true'), refuse), ...refused('useRfq=true')],
      [where(both(has('useRfq', 'true'), encoded), refuse), ...refused('useRfq=true')],
      [where(has('useRfq', 'false'), refuse), ...refused('useRfq=false')],
      [where(has('includeCalldata', 'false'), answer(500)), '`includeCalldata=false`, as for'],
      [
        where(not(has('useRfq', 'true')), refuse),
        {
          markets: new Map([[31337, { ...modelMarket, requiredParameters: [['useRfq', 'true']] }]]),
        },
      ],
      // A quote that fails now and then, and a bound of the service's own, say nothing of the value.
      [where(both(isNow, has('useRfq', 'true')), refuse)],
      [where(both(has('useRfq', 'true'), has('sellAmount', /0$/)), refuse)],
      // Where the whole request fails the second time, nothing is known of the value.
      [where(either(has('useRfq'), isRepeat), refuse), 'could-not-run'],
    ],
  },
  'swap/recipient-accepted': {
    ...ACCEPTED,
    cases: [
      [
        where(has('recipientAddress'), refuse),
        ...refused(`recipientAddress=${RECIPIENT}`, `recipientAddress=${USER}`),
      ],
      [where(has('recipientAddress', USER), refuse), ...refused(`recipientAddress=${USER}`)],
    ],
  },
  'swap/lost-recipients-observed': {
    'could not run': 'unknown untraded',
    asks: [
      '',
      ' recipientAddress=0xe*40',
      ' recipientAddress=0xf*40',
      ' recipientAddress=0xa*40',
      ' recipientAddress=0xb*40',
      ' recipientAddress=0x1*40',
    ].map(
      (paid) =>
        `swap router=default-router includeCalldata=true userAddress=0x0*32c0ffee01 slippageTolerance=0.01${paid}`,
    ),
  },
  'swap/user-accepted': {
    ...ACCEPTED,
    cases: [
      [
        where(has('userAddress', /C0FFEE/), refuse),
        ...refused('userAddress=0x00000000000000000000000000000000C0FFEE01'),
      ],
    ],
  },
  'swap/unused-accepted': {
    ...ACCEPTED,
    cases: [
      [
        where(both(has('userAddress'), plain), refuse),
        ...refused(`userAddress=${USER}`),
        ...unusedTogether,
      ],
      [
        where(both(has('recipientAddress'), plain), refuse),
        ...refused(`recipientAddress=${RECIPIENT}`),
        ...unusedTogether,
      ],
      [
        where(both(has('slippageTolerance'), plain), refuse),
        ...refused('slippageTolerance=0.01'),
        ...unusedTogether,
      ],
      [where(both(has('userAddress'), has('slippageTolerance'), plain), refuse), ...unusedTogether],
    ],
  },
  'swap/native-accepted': {
    ...ACCEPTED,
    cases: [
      [
        where(has('sellToken', native), refuse),
        ...refused(`sellToken=${ZEROS}`, `sellToken=${ES}`),
      ],
      [where(both(has('buyToken', native), encoded), refuse), ...refused(`buyToken=${ZEROS}`)],
    ],
  },
  'swap/native-aliases-accepted': {
    'does not apply': 'unknown untraded',
    'could not run': 'silent 404 501 500 401',
    cases: [
      [where(has('sellToken', ZEROS), refuse), '200, as for the other spelling'],
      [where(has('buyToken', ES), refuse), '200, as for the other spelling'],
      [where(either(has('sellToken', native), has('buyToken', native)), refuse), 'not-applicable'],
      // Now and then is a market that lost its plan.
      [where(both(has('sellToken', ES), not(isRepeat)), refuse)],
    ],
  },
  'swap/wrapping-observed': {
    'could not run': 'unknown',
    asks: ['swap buyToken=0xa*40 sellAmount=10*15'],
  },
  'swap/exact-output-answered': {
    ...twoWays,
    cases: [
      [where(has('buyAmount'), refuse), 'fails'],
      [
        where(both(has('buyAmount'), has('router', 'service-router')), refuse),
        'a plan for some purchase through service-router on chain 31337',
      ],
      [
        where(has('buyAmount', /^[0-9]{20,}$/), refuse),
        '18446744073709551616 base units and more',
        'of "SLD"',
        'of "BGT"',
      ],
    ],
  },
  'swap/bought-can-be-sold': {
    ...twoWays,
    cases: [
      [where(has('sellToken', BOUGHT), refuse), 'sale of "BGT" on chain 31337'],
      // What closes in mid-run is not held against the sale.
      [where(({ count }) => count > 20, refuse), 'could-not-run'],
    ],
  },
});
