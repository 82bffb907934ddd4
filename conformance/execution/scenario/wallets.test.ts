import { describe, expect, test } from 'vitest';
import type { Hex, Scenario } from '../../model/scenario.ts';
import { NATIVE_TOKEN } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import { useEmptyFork } from '../fork/empty-fork.testing.ts';
import { mine } from '../settle/mine.testing.ts';
import { simulate } from '../settle/simulate.ts';
import { ampleScenario } from './circumstances.ts';
import { asContract, asDelegated, sentByOwner } from './wallets.ts';

const CHAIN = 31337;
const ROUTER: Address = `0x${'c'.repeat(40)}`;
const USER: Address = `0x${'a'.repeat(40)}`;
const OWNER: Address = `0x${'b'.repeat(40)}`;
const EARLIER: Address = `0x${'e'.repeat(40)}`;

const emptyFork = useEmptyFork(CHAIN);

const paying = (account: string, gas: string) =>
  `0x5f5f5f5f34${account}${gas}f16030575f5ffd`.padEnd(2 + 2 * 0x30, '0').concat('5b00') as Hex;
const [CALLER, ORIGIN] = ['33', '32'];
const [ALL_GAS, NO_GAS] = ['5a', '5f'];

function paying5To(code: Hex): Scenario {
  return ampleScenario(emptyFork(), {
    chainId: CHAIN,
    gas: 100_000n,
    overrides: { [USER]: { balance: 10n ** 18n }, [ROUTER]: { code } },
    before: [{ from: USER, to: EARLIER, value: 3n, data: '0x' }],
    trade: { from: USER, to: ROUTER, value: 5n, data: '0x1234' },
    measured: { tokens: [NATIVE_TOKEN], holders: [USER, OWNER, ROUTER] },
  });
}

const CIRCUMSTANCES = [
  ['a contract', (scenario: Scenario) => asContract(scenario, USER)],
  ['an account that delegates', (scenario: Scenario) => asDelegated(scenario, USER)],
  ['a contract, for its owner', (scenario: Scenario) => sentByOwner(scenario, OWNER)],
] as const;

describe.each([
  ['simulate', simulate],
  ['mine', mine],
] as const)('%s', (_, settle) => {
  describe.each(CIRCUMSTANCES)('the user is %s', (_, change) => {
    test('a router that pays with enough gas -> settles', async () => {
      const settled = await settle(emptyFork(), change(paying5To(paying(CALLER, ALL_GAS))));
      expect(settled).toMatchObject({ outcome: 'settled', changes: [] });
      expect(settled.payments.map(({ from, to, amount }) => ({ from, to, amount }))).toEqual([
        { from: USER, to: ROUTER, amount: 5n },
        { from: ROUTER, to: USER, amount: 5n },
      ]);
    });

    test('a router that pays with 2,300 gas -> reverts', async () => {
      const code = paying(CALLER, NO_GAS);
      const plain = paying5To(code);
      expect((await settle(emptyFork(), plain)).outcome).toBe('settled');
      expect((await settle(emptyFork(), change(plain))).outcome).toBe('reverted');
    });
  });

  test('a trade that the owner sends -> the owner is tx.origin, and the user pays the router', async () => {
    const code = paying(ORIGIN, ALL_GAS);
    const { outcome, changes } = await settle(emptyFork(), sentByOwner(paying5To(code), OWNER));
    expect(outcome).toBe('settled');
    expect(changes).toEqual([
      { token: NATIVE_TOKEN, holder: USER, amount: -5n },
      { token: NATIVE_TOKEN, holder: OWNER, amount: 5n },
    ]);
  });
});
