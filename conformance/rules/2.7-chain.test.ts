import { fields, on, testReplies, wrong } from '../rule-kit/replies.testing.ts';
import { rules } from './2.7-chain.ts';

testReplies(
  rules,
  on('chains', [
    [(b) => b.splice(0), 'nothing applies'],
    ...fields('chain', '/0', { chainId: '31337x', name: 5 }),
    [(b) => (b[1].chainId = 31337), 'chain/chain-id-unique at /1/chainId: 31337 again'],
    wrong('/0/name', ' ', 'chain/name-not-blank'),
    [{ body: [{ chainId: 1 }] }, 'chain/name at /0', 'chain/name-not-blank n/a'],
  ]),
);
