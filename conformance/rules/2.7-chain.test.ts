import { goldenChains } from '../model/golden-replies.testing.ts';
import { asItIs, fieldRows, testReplyRules } from '../rule-kit/reply-table.testing.ts';
import { rules } from './2.7-chain.ts';

testReplyRules(rules, [
  [
    goldenChains,
    { endpoint: 'chains' },
    [
      [asItIs, []],
      [asItIs, ['nothing applies'], { status: 400 }],
      [(b) => b.splice(0), ['nothing applies']],
      ...fieldRows('chain', '/0', { chainId: '31337x', name: 5 }),
      [(b) => (b[1].chainId = 31337), ['chain/chain-id-unique at /1/chainId: 31337 once more']],
      [(b) => (b[0].name = ' '), ['chain/name-not-blank at /0/name: " "']],
      [asItIs, ['chain/name at /0', 'chain/name-not-blank n/a'], { body: [{ chainId: 1 }] }],
    ],
  ],
]);
