import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChainInfo } from '../contract/resources.ts';
import type { SettlementEvidence } from '../model/evidence.ts';
import { formatStatement } from '../model/format-statement.ts';
import type { Session } from '../model/session.ts';
import type { Address } from '../model/trade-request.ts';
import type { Verdict } from '../model/verdict.testing.ts';
import { readEvidence } from '../report/evidence-document.ts';
import type { ForkSource } from '../service/fork-option.ts';
import { createExecutor } from './executor.ts';
import { OtherChainError, replayEvidence } from './explain/evidence.ts';
import { openFork } from './fork/fork.ts';
import type { Rpc } from './node/json-rpc.ts';
import { startNodeProxy } from './node/node-proxy.testing.ts';
import { settle, untilEnd } from './node/until-end.testing.ts';
import {
  encodeCall,
  findingsOf,
  judgeSettlements,
  type OddChain,
  oddSession,
  startOddChain,
} from './odd-chain.testing.ts';
import { ampleScenario } from './scenario/circumstances.ts';
import { Funding } from './scenario/funding.ts';
import { balanceRead, readWords } from './scenario/token-reads.ts';
import { isImpossible } from './settle/impossible.ts';
import { combine } from './settle/provision.ts';
import { simulate } from './settle/simulate.ts';

const CHAIN = 4242;
const TOKENS = [
  ...['PlainToken', 'FeeToken', 'RebasingToken', 'SplitToken', 'NoReturnToken'],
  ...['ReflectionToken', 'AccruingToken', 'BonusToken', 'RareBonusToken', 'PackedToken'],
] as const;
/** Tokens whose balances no storage slot can set, or only up to a limit. */
const LIMITED = ['LimitToken', 'CheckpointToken'] as const;
const ROUTERS = ['Counter', 'Proportional', 'Skimmer'] as const;
const HOLDER = '0x00000000000000000000000000000000c0ffee55';
const UNUSED_ACCOUNT: Address = '0x00000000000000000000000000000000000000aa';

let chain: OddChain;
let rpc: Rpc;
const deployed = new Map<string, Address>();

function at(contract: string): Address {
  return deployed.get(contract) as Address;
}

beforeAll(async () => {
  chain = await startOddChain(CHAIN);
  rpc = chain.rpc;
  const contracts = [...TOKENS, ...LIMITED, 'CappedToken', 'FormulaToken', 'SilentToken'];
  for (const name of [...contracts, ...ROUTERS]) deployed.set(name, await chain.deploy(name));
  for (const router of ROUTERS) {
    const pool = await chain.read(at(router), router, 'pool');
    deployed.set(`pool of ${router}`, pool);
    for (const name of [...TOKENS, ...LIMITED]) {
      await chain.send(at(name), encodeCall('PlainToken', 'transfer', [pool, 10n ** 24n]));
    }
  }
});

afterAll(() => chain.node.stop());

describe('Funding', () => {
  async function transferAll(name: string, amount: bigint) {
    const fork = await untilEnd(openFork(source()));
    const funding = new Funding(fork.rpc);
    const given = await funding.give(at(name), UNUSED_ACCOUNT, amount);
    if (isImpossible(given)) return given.why;
    const data = encodeCall('PlainToken', 'transfer', [HOLDER, amount]);
    const native = { overrides: { [UNUSED_ACCOUNT]: { balance: 10n ** 18n } }, before: [] };
    const scenario = ampleScenario(fork, {
      ...{ chainId: CHAIN, ...combine(given, native) },
      trade: { from: UNUSED_ACCOUNT, to: at(name), value: 0n, data },
      measured: { tokens: [at(name)], holders: [UNUSED_ACCOUNT] },
    });
    const settlement = await simulate(fork, scenario);
    const [change] = settlement.changes;
    return { outcome: settlement.outcome, sent: -(change?.amount ?? 0n), before: given.before };
  }

  test.each([...TOKENS, ...LIMITED])(
    '%s -> the account can send all that it was given',
    async (name) => {
      const sent = await transferAll(name, 12_345n);
      expect(sent).toMatchObject({ outcome: 'settled' });
      expect(Math.abs(Number((sent as { sent: bigint }).sent) - 12_345)).toBeLessThanOrEqual(1);
    },
  );

  test('balances in lists of checkpoints -> taken from an account with recent transfers', async () => {
    const { rpc } = await untilEnd(openFork(source()));
    const parties = new Set([at('pool of Counter')]);
    const given = await new Funding(rpc).give(at('CheckpointToken'), UNUSED_ACCOUNT, 7n, parties);
    expect(given).toMatchObject({ overrides: {}, before: [{ from: chain.deployer, value: 0n }] });
  });

  test.each([
    ['balances from a formula', 'FormulaToken'],
    ['no contract at all', 'no contract'],
  ])('%s -> the reason', async (_, name) => {
    deployed.set('no contract', UNUSED_ACCOUNT);
    expect(await transferAll(name, 12_345n)).toMatch(/^no storage slot is a balance of 0x/);
  });

  test('a balance that shares its word with other fields -> they keep their values', async () => {
    await chain.send(at('PackedToken'), encodeCall('PackedToken', 'admit', [UNUSED_ACCOUNT]));
    const { rpc } = await untilEnd(openFork(source()));
    const given = await new Funding(rpc).give(at('PackedToken'), UNUSED_ACCOUNT, 12_345n);
    if (isImpossible(given)) throw new Error(given.why);
    const read = (name: string) => {
      const data = encodeCall('PackedToken', name, [UNUSED_ACCOUNT]);
      return readWords(rpc, { to: at('PackedToken'), data }, given.overrides);
    };
    expect(await read('balanceOf')).toEqual([12_345n]);
    expect(await read('memberSince')).toEqual([expect.any(BigInt)]);
    expect(await read('memberSince')).not.toEqual([0n]);
  });

  test('a first amount of 0 -> the next amount is in the right slot', async () => {
    const { rpc } = await untilEnd(openFork(source()));
    const funding = new Funding(rpc);
    await funding.give(at('BonusToken'), UNUSED_ACCOUNT, 0n);
    const given = await funding.give(at('BonusToken'), UNUSED_ACCOUNT, 12_345n);
    if (isImpossible(given)) throw new Error(given.why);
    const read = balanceRead(at('BonusToken'), UNUSED_ACCOUNT);
    expect(await readWords(rpc, read, given.overrides)).toEqual([12_345n]);
  });

  test('a bonus of less than twice the amount, but of more than there is -> no balance', async () => {
    const amount = 6n * 10n ** 23n + 1n;
    const { rpc } = await untilEnd(openFork(source()));
    const given = await new Funding(rpc).give(at('RareBonusToken'), UNUSED_ACCOUNT, amount);
    if (isImpossible(given)) throw new Error(given.why);
    const read = balanceRead(at('RareBonusToken'), UNUSED_ACCOUNT);
    expect(await readWords(rpc, read, given.overrides)).toEqual([amount]);
  });

  test('a smaller amount, and another account -> no further requests to find a mapping', async () => {
    const fork = await untilEnd(openFork(source()));
    let requests = 0;
    const funding = new Funding((...call) => {
      requests += 1;
      return fork.rpc(...call);
    });
    const approval = { router: HOLDER, spender: HOLDER, viaPermit2: false } as const;
    const giveAll = async (account: Address, amount: bigint) => {
      const given = await funding.give(at('PlainToken'), account, amount);
      return [given, await funding.approve(at('PlainToken'), account, approval, amount)];
    };
    const given = await giveAll(UNUSED_ACCOUNT, 7n);
    expect(given).toEqual([
      expect.objectContaining({ before: [] }),
      expect.objectContaining({ before: [] }),
    ]);
    expect(requests).toBe(5);
    await giveAll(HOLDER, 5n);
    expect(requests).toBe(5);
    // A larger amount is read back, once for all accounts.
    await giveAll(HOLDER, 9n);
    await giveAll(UNUSED_ACCOUNT, 8n);
    expect(requests).toBe(6);
  });
});

function sessionFor(
  pairs: readonly (readonly [sell: string, buy: string])[],
  amount = 1_000_000n,
  router: (typeof ROUTERS)[number] = 'Counter',
): Session {
  return oddSession({
    ...{ chainId: CHAIN, wrappedNative: at('PlainToken'), amount },
    pairs: pairs.map(
      ([sell, buy]) =>
        [
          [at(sell), sell],
          [at(buy), buy],
        ] as const,
    ),
    routers: [{ name: 'default-router', deployedAddress: at(router) }],
    planFor: (asked) => {
      const [sell, buy] = ['sellToken', 'buyToken'].map((name) => {
        const amount = BigInt(asked.get('sellAmount') ?? asked.get('buyAmount') ?? 0);
        return [asked.get(name) as Address, amount] as const;
      }) as [readonly [Address, bigint], readonly [Address, bigint]];
      const to = asked.get('recipientAddress') ?? asked.get('userAddress') ?? UNUSED_ACCOUNT;
      const calldata = encodeCall('Counter', 'trade', [...sell, ...buy, to]);
      const pool = at(`pool of ${router}`);
      return { router: at(router), sell, buy, routes: [[pool, sell, buy]], calldata };
    },
  });
}

const source = () => ({ chainId: CHAIN, rpcUrl: chain.node.url });
const executorOn = (fork: ForkSource, session: Session) =>
  createExecutor({ forks: [fork], plans: 6 }, session);

/** Draws the same balances in each run of the tests, because rounding hides a few units of some. */
const judge = (session: Session, rpcUrl = chain.node.url) => {
  const forks = [{ ...source(), rpcUrl }];
  return judgeSettlements(chain, session, { forks, plans: 6, salt: 'odd tokens' });
};

function findingOf(verdict: Verdict | undefined): string {
  if (verdict?.kind !== 'judged') return `${verdict?.kind}`;
  return formatStatement(verdict.findings[0]?.actual ?? []);
}

describe('judging trades of odd tokens', () => {
  test.each([
    ['PlainToken', 'NoReturnToken'],
    ['NoReturnToken', 'PlainToken'],
    ['SplitToken', 'PlainToken'],
    ['BonusToken', 'PackedToken'],
    ['PackedToken', 'BonusToken'],
  ])('%s to %s, settled as quoted -> no finding', async (sell, buy) => {
    const verdicts = await judge(sessionFor([[sell, buy]]));
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', findings: [] });
    // The router pays the wallet in the calldata, whoever sends the calldata.
    expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^pays-sender: /)]);
  });

  test('a token that limits the balance of a wallet -> bought by a user who holds none', async () => {
    const session = sessionFor([
      ['PlainToken', 'LimitToken'],
      ['LimitToken', 'PlainToken'],
    ]);
    const verdicts = await judge(session);
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', findings: [] });
    expect(verdicts.get('quote-exact')).toMatchObject({ kind: 'judged', findings: [] });
  });

  test('a token that fails for balances above its supply -> no user is given more', async () => {
    const session = sessionFor([['CappedToken', 'PlainToken']], 4n * 10n ** 21n);
    const execution = await settle(source(), session, 120);
    if (execution.kind !== 'executed') throw new Error(execution.why);
    expect(execution.items).toHaveLength(120);
    expect(new Set(execution.items.map(({ effects }) => effects.kind))).toEqual(
      new Set(['settled']),
    );
  });

  test('balances in lists of checkpoints -> sold by a user to whom another account gave them', async () => {
    const verdicts = await judge(sessionFor([['CheckpointToken', 'PlainToken']]));
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 6, findings: [] });
    expect(verdicts.get('sells-exactly')).toMatchObject({ kind: 'judged', findings: [] });
  });

  test('a fee on transfer, sold -> a finding with the share that the token keeps', async () => {
    const verdicts = await judge(sessionFor([['FeeToken', 'PlainToken']]));
    expect(findingOf(verdicts.get('settles'))).toMatch(/keeps 3% of a transfer/);
  });

  describe.each([
    ['shares, which lose a unit in a transfer', 'RebasingToken'],
    ['balances that grow every second', 'AccruingToken'],
  ])('%s', (_, token) => {
    const pairs = [
      [token, 'PlainToken'],
      ['PlainToken', token],
    ] as const;

    test.each([1_000_000n, 10n ** 18n])(
      'sold and bought, %d units -> no finding',
      async (amount) => {
        const verdicts = await judge(sessionFor(pairs, amount));
        expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', findings: [] });
        expect(verdicts.get('sells-exactly')).toMatchObject({ kind: 'judged' });
        expect(verdicts.get('quote-exact')).toMatchObject({ kind: 'judged' });
        // The router pays the wallet in the calldata, whoever sends the calldata.
        expect(findingsOf(verdicts)).toEqual([expect.stringMatching(/^pays-sender: /)]);
      },
    );

    test.each([1_000_000n, 10n ** 18n])(
      'a router that keeps a few of %d units -> found when selling and when buying',
      async (amount) => {
        const [sold, bought] = pairs;
        const selling = await judge(sessionFor([sold], amount, 'Skimmer'));
        expect(findingOf(selling.get('sells-exactly'))).toMatch(/paid/);
        const buying = await judge(sessionFor([bought], amount, 'Skimmer'));
        expect(findingOf(buying.get('quote-exact'))).toMatch(/from the quote/);
        expect(findingOf(buying.get('buys-at-least'))).toMatch(/received/);
      },
    );
  });

  test('shares that lose a unit in each of two transfers, sold -> as quoted', async () => {
    const session = sessionFor([['RebasingToken', 'PlainToken']], 999_983n, 'Proportional');
    const verdicts = await judge(session);
    for (const rule of ['settles', 'sells-exactly', 'quote-exact']) {
      expect([rule, verdicts.get(rule)]).toMatchObject([rule, { kind: 'judged', findings: [] }]);
    }
  });

  test('a fee on transfer, bought -> received less than quoted', async () => {
    const verdicts = await judge(sessionFor([['PlainToken', 'FeeToken']]));
    expect(verdicts.get('settles')).toMatchObject({ findings: [] });
    expect(findingOf(verdicts.get('quote-exact'))).toMatch(/-300 bps from the quote/);
    expect(verdicts.get('converts-all')).toMatchObject({ kind: 'judged', findings: [] });
  });

  test('a pool without liquidity -> a finding with the revert data', async () => {
    const verdicts = await judge(sessionFor([['PlainToken', 'NoReturnToken']], 10n ** 27n));
    expect(findingOf(verdicts.get('settles'))).toMatch(/reverted with 0x[0-9a-f]{8}/);
  });

  test('a token that uses all gas instead of returning a balance -> its trades fail, all others settle', async () => {
    const session = sessionFor([
      ['PlainToken', 'SilentToken'],
      ['PlainToken', 'NoReturnToken'],
    ]);
    const execution = await settle(source(), session);
    if (execution.kind !== 'executed') throw new Error(execution.why);
    const outcomes = execution.items.map(({ plan, effects }) => [plan.buy.token, effects.kind]);
    expect(new Set(outcomes.map((outcome) => outcome.join()))).toEqual(
      new Set([`${at('SilentToken')},reverted`, `${at('NoReturnToken')},settled`]),
    );
  });

  test('a token that cannot be given to any account -> not applicable, with the reason', async () => {
    const verdicts = await judge(sessionFor([['FormulaToken', 'PlainToken']]));
    expect(verdicts.get('settles')).toMatchObject({
      kind: 'not-applicable',
      why: expect.stringMatching(/no storage slot is a balance of 0x\w+, and no account/),
    });
  });
});

describe('evidence', () => {
  const rule = { kind: 'settlement-evidence', rule: 'execution/settles' } as const;

  async function evidenceOf(session: Session): Promise<SettlementEvidence> {
    const executor = await untilEnd(executorOn(source(), session));
    const execution = await executor.execute('as-returned');
    if (execution.kind !== 'executed') throw new Error(execution.why);
    const [item] = execution.items.filter(({ request }) => request.swapKind === 'exact-input');
    const explanation = item && (await executor.explain(item));
    if (explanation === undefined) throw new Error('nothing is explained');
    const text = { expected: 'e', actual: 'a', request: '/swap' };
    // Converts the evidence to JSON and back, as when it is written to a file.
    return readEvidence(JSON.stringify({ ...rule, ...text, ...explanation.explained }), 'evidence');
  }

  test('a trade that pays less -> expected and actual changes, shares, limit, transfers and calls', async () => {
    const evidence = await evidenceOf(sessionFor([['PlainToken', 'FeeToken']]));
    const { changes, limit, outcome, transfers, trace, block, approvals, scenario } = evidence;
    expect(outcome.kind).toBe('settled');
    const [sold] = changes.filter(({ token }) => token === at('PlainToken'));
    const bought = changes.find(({ token }) => token === at('FeeToken'));
    expect(sold).toMatchObject({ name: 'the sender', share: 1 });
    expect(sold?.actual).toBe(sold?.expected);
    expect(bought).toMatchObject({ share: 0.97 });
    expect(limit).toMatchObject({ mostSold: String(-BigInt(sold?.expected ?? 0)) });
    expect(transfers[0]).toMatchObject({ fromName: 'the sender', toName: 'a pool of Pool' });
    expect(trace[0]).toMatchObject({ depth: 0, name: 'default-router' });
    expect(trace.some(({ depth, call }) => depth === 1 && /^transferFrom\(/.test(call ?? ''))).toBe(
      true,
    );
    expect(block.hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(approvals).toContainEqual(
      expect.objectContaining({ token: at('PlainToken'), spenderName: 'default-router' }),
    );
    expect(Object.keys(scenario.overrides)).toContain(at('PlainToken'));
  });

  test('a replay -> the same to the base unit; a replay with other calldata -> not the same', async () => {
    const evidence = await evidenceOf(sessionFor([['PlainToken', 'FeeToken']]));
    const again = await replayEvidence(source(), evidence, 60_000);
    expect(again).toMatchObject({ isSame: true, isGone: false });
    expect(again.evidence.transfers).toEqual(evidence.transfers);
    const { scenario } = evidence;
    const data = encodeCall('Counter', 'trade', [
      at('PlainToken'),
      1n,
      at('NoReturnToken'),
      1n,
      UNUSED_ACCOUNT,
    ]);
    const trade = { ...scenario.trade, data };
    const other = { ...evidence, scenario: { ...scenario, trade } };
    expect((await replayEvidence(source(), other, 60_000)).isSame).toBe(false);
  });

  test('a spender that is not approved -> the approvals, also in a replay', async () => {
    const session = sessionFor([['PlainToken', 'NoReturnToken']]);
    const info = session.facts.chainInfo.get(CHAIN) as ChainInfo;
    const routers = info.routers.map((each) => ({
      ...each,
      deployedAddress: at('pool of Counter'),
    }));
    const chainInfo = new Map([[CHAIN, { ...info, routers }]]);
    const evidence = await evidenceOf({ ...session, facts: { ...session.facts, chainInfo } });
    expect(evidence.outcome).toMatchObject({
      kind: 'reverted',
      reason: expect.stringMatching(
        /the transfer of \d+ base units of 0x.* from the sender to .* by 0x.*; the sender approved default-router for (any amount|\d+) of 0x\w+, but not 0x/,
      ),
    });
    const again = await replayEvidence(source(), evidence, 60_000);
    expect(again).toMatchObject({ isSame: true, isGone: false });
    expect(again.evidence.outcome).toEqual(evidence.outcome);
  });

  test('too little time -> an error that names the limit', async () => {
    const evidence = await evidenceOf(sessionFor([['PlainToken', 'FeeToken']]));
    await expect(replayEvidence(source(), evidence, 1)).rejects.toThrow(/within 0.001 s/);
  });

  test('another block with that number -> OtherChainError', async () => {
    const evidence = await evidenceOf(sessionFor([['PlainToken', 'FeeToken']]));
    const block = { ...evidence.block, hash: `0x${'0'.repeat(64)}` };
    await expect(replayEvidence(source(), { ...evidence, block }, 60_000)).rejects.toThrow(
      OtherChainError,
    );
  });
});

describe('a node that does not return all state that is read', () => {
  const proxied = async (faultOf: Parameters<typeof startNodeProxy>[1]) =>
    (await untilEnd(startNodeProxy(chain.node.url, faultOf))).url;
  const pruned = {
    code: -32000,
    message: 'missing trie node 5f (path ) state 0x5f is not available',
  };

  test('pruned state of one token -> its plans are skipped, all others judged, and one remark explains it', async () => {
    const rpcUrl = await proxied(({ params }) =>
      JSON.stringify([params[0], params[2]]).includes(`"${at('NoReturnToken')}"`)
        ? pruned
        : undefined,
    );
    const session = sessionFor([
      ['PlainToken', 'FeeToken'],
      ['PlainToken', 'NoReturnToken'],
    ]);
    const executor = await untilEnd(executorOn({ ...source(), rpcUrl }, session));
    const execution = await executor.execute('as-returned');
    if (execution.kind !== 'executed') throw new Error(execution.why);
    expect(execution.items.length).toBeGreaterThanOrEqual(2);
    for (const { request, effects } of execution.items) {
      expect([request.buy.symbol, effects.kind]).toEqual(['FeeToken', 'settled']);
    }
    expect(execution.skipped).toEqual(
      Array(6 - execution.items.length).fill({
        trade: expect.stringMatching(/"PlainToken" to "NoReturnToken"/),
        kind: 'not-read',
        reason: expect.stringMatching(/^the node at .* failed, even after every retry: /),
      }),
    );
    expect(execution.skipped.length).toBeGreaterThanOrEqual(2);
    expect(executor.remarks()).toEqual([
      expect.stringMatching(
        /^the node at http:\/\/127\.0\.0\.1:\d+ failed, even after every retry: .*; use a node that keeps the state of more blocks$/,
      ),
    ]);
  });

  test('three calls that fail with 429 or pruned state, then succeed -> nothing is lost', async () => {
    let faults = 0;
    const rpcUrl = await proxied(({ method }) => {
      if (method !== 'eth_getStorageAt' || faults === 3) return undefined;
      faults += 1;
      return faults === 2 ? pruned : { status: 429 };
    });
    const verdicts = await judge(sessionFor([['PlainToken', 'SplitToken']]), rpcUrl);
    expect(faults).toBe(3);
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 6, findings: [] });
  });

  test('an unknown block gas limit -> gas limits are not compared with it', async () => {
    const block = await rpc<object>('eth_getBlockByNumber', ['latest', false]);
    const rpcUrl = await proxied(({ method }) =>
      method === 'eth_getBlockByNumber' ? { result: { ...block, gasLimit: '0x0' } } : undefined,
    );
    const verdicts = await judge(sessionFor([['PlainToken', 'SplitToken']]), rpcUrl);
    expect(verdicts.get('gas-limit-fits')?.kind).toBe('not-applicable');
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', findings: [] });
  });

  test('a token whose code Anvil cannot run -> its plans are skipped, and one remark explains it', async () => {
    const rpcUrl = await proxied(({ method, params }) =>
      method === 'eth_getCode' && String(params[0]).toLowerCase() === at('NoReturnToken')
        ? { result: '0xfe' }
        : undefined,
    );
    const session = sessionFor([
      ['PlainToken', 'SplitToken'],
      ['PlainToken', 'NoReturnToken'],
    ]);
    const executor = await untilEnd(executorOn({ ...source(), rpcUrl }, session));
    const execution = await executor.execute('as-returned');
    if (execution.kind !== 'executed') throw new Error(execution.why);
    expect(execution.items.map(({ effects }) => effects.kind)).toEqual(
      Array(execution.items.length).fill('settled'),
    );
    expect(execution.items.length * execution.skipped.length).toBeGreaterThan(0);
    expect(executor.remarks()).toEqual([
      expect.stringMatching(/whose contracts Anvil does not run/),
    ]);
  });

  test('null as the code of accounts without code -> nothing is lost', async () => {
    const withCode = new Set<string>([...deployed.values()]);
    const rpcUrl = await proxied(({ method, params }) =>
      method === 'eth_getCode' && !withCode.has(String(params[0]).toLowerCase())
        ? { result: null }
        : undefined,
    );
    const verdicts = await judge(sessionFor([['PlainToken', 'NoReturnToken']]), rpcUrl);
    expect(verdicts.get('settles')).toMatchObject({ kind: 'judged', checks: 6, findings: [] });
  });

  test('no state at all -> could not run, with the reason', async () => {
    const rpcUrl = await proxied(({ method }) => (method === 'eth_getCode' ? pruned : undefined));
    const verdicts = await judge(sessionFor([['PlainToken', 'SplitToken']]), rpcUrl);
    expect(verdicts.get('settles')).toMatchObject({
      kind: 'could-not-run',
      why: expect.stringMatching(
        /no plan could be settled: the node at .* failed, even after every retry: |^the node at .* failed, even/,
      ),
    });
  });
});
