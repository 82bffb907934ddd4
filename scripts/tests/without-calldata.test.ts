import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEvidenceFiles } from '../../conformance/commands/evidence-files.ts';
import { replayFile } from '../../conformance/commands/replay-command.ts';
import type { SwapResponse } from '../../conformance/contract/resources.ts';
import { runConformance } from '../../conformance/library/run-conformance.ts';
import type { Report } from '../../conformance/model/report.ts';
import type { Rule } from '../../conformance/model/rule.ts';
import { readEvidence } from '../../conformance/report/read-evidence.ts';
import { startFixtureChain } from '../../fixtures/chains/fixture-chain.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { startReference } from '../../reference/server/app.ts';
import { middlewareOf } from './mutants/faults/middleware.ts';
import type { Change } from './mutants/faults/mutant.ts';

const CHAIN = 31337;
const KINDS: readonly Rule['kind'][] = ['settlement'];

let rpcUrl: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  const node = await startFixtureChain(CHAIN);
  rpcUrl = node.url;
  stop = node.stop;
});

afterAll(() => stop());

const { folder, write } = useFolder();
const TRADER = '0x00000000000000000000000000000000c0ffee04';

/** Repeats a saved settlement without a node, and returns the exit code. */
const replay = (path: string) => replayFile(path, { report: [] }, () => undefined);

async function judge(change: Change<SwapResponse>): Promise<Report> {
  const reference = await startReference({
    markets: loadEmbeddedMarkets().filter(({ chainId }) => chainId === CHAIN),
    middleware: [
      middlewareOf({
        plan: (plan, query) => {
          delete plan.routerAddress;
          delete plan.calldata;
          delete plan.gasLimit;
          change(plan, query);
        },
        chainInfo: (info) => {
          for (const router of info.routers) router.hasEncoder = false;
        },
      }),
    ],
  });
  const files = createEvidenceFiles([{ path: `${folder}/report.json` }]);
  try {
    return await runConformance({
      saveEvidence: files.save,
      service: { url: reference.url },
      apiKey: 'demo',
      kinds: KINDS,
      forks: [{ chainId: CHAIN, rpcUrl }],
    });
  } finally {
    await files.write();
    await reference.close();
  }
}

const outcomeOf = (report: Report, id: string) =>
  report.rules.find((rule) => rule.id === `execution/${id}`);

describe('a service without an encoder, on a fork', () => {
  test('correct plans -> judged through their pools, and the verdict lists what was not settled', async () => {
    const report = await judge(() => undefined);
    for (const id of ['through-pools', 'token-decimals', 'pools-are-contracts']) {
      expect(outcomeOf(report, id), id).toMatchObject({ outcome: 'pass' });
    }
    expect(report.verdict).toBe('conforming');
    const notJudged = report.notJudged.map(({ why }) => why);
    expect(notJudged).toContainEqual(
      expect.stringMatching(/^chain 31337 returned no calldata for the requested routers, /),
    );
    expect(notJudged).toContainEqual(
      expect.stringMatching(
        /^\d+ of \d+ trades were not settled, such as exact-\w+ .*"(UniswapV4|BalancerV2)" is neither V2-like nor V3-like$/,
      ),
    );
  });

  test('decimals that contradict the contract -> not conforming', async () => {
    const report = await judge((plan) => {
      for (const token of plan.tokens) if (token.symbol === 'USDC') token.decimals = 18;
    });
    expect(outcomeOf(report, 'token-decimals')).toMatchObject({ outcome: 'fail', level: 'must' });
    expect(report.verdict).toBe('nonconforming');
  });

  test('routes that quote more than their pools pay -> fails, and names the step', async () => {
    const pools = new Set<string>();
    const report = await judge(({ buy, routes }) => {
      // One in 10,000 more, at the last pool only.
      for (const { address, toTokens } of routes) {
        const [leg] = toTokens;
        if (leg === undefined || leg.referenceId !== buy.referenceId) continue;
        pools.add(address.toLowerCase());
        leg.amount = String((BigInt(leg.amount) * 10_001n) / 10_000n + 1n);
      }
    });
    const { outcome, failures = [] } = outcomeOf(report, 'through-pools') ?? {};
    expect(outcome).toBe('fail');
    const named = failures.map(({ expected }) => /0x[0-9a-f]{40}(?= of ")/.exec(expected)?.[0]);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((pool) => pool === undefined || !pools.has(pool))).toEqual([]);

    const path = `${folder}/${failures[0]?.evidence}`;
    const evidence = readEvidence(readFileSync(path, 'utf8'), path);
    const { scenario, changes, transfers } = evidence;
    expect(evidence.outcome.kind).toBe('settled');
    expect(transfers).toEqual(failures[0]?.money);
    expect(scenario.trade.to).toBe(TRADER);
    // The pool paid less than planned, and everything else was as planned.
    const short = changes.find(({ account }) => account === named[0] && pools.has(account));
    expect(short?.name).toMatch(/^a pool of /);
    const paid = changes.filter(
      ({ account, token }) => account !== TRADER || token !== short?.token,
    );
    const less = paid.filter(({ expected, actual }) => expected !== actual);
    expect(less.map(({ account }) => account)).toContain(named[0]);
    expect(less.filter(({ expected, actual }) => BigInt(expected) >= BigInt(actual))).toEqual([]);
    expect(await replay(path)).toBe(1);
    // On a market that pays the quoted amounts, the failure is gone.
    const unpaid = changes.map((each) => ({ ...each, expected: each.actual, actual: '0' }));
    const gone = write('evidence/gone.json', JSON.stringify({ ...evidence, changes: unpaid }));
    expect(await replay(gone)).toBe(0);
  });

  test('a route that names an account without code -> fails', async () => {
    const nowhere = '0x00000000000000000000000000000000c0ffee99';
    const report = await judge(({ routes: [first] }) => {
      if (first !== undefined) first.address = nowhere;
    });
    const { outcome, failures = [] } = outcomeOf(report, 'pools-are-contracts') ?? {};
    expect(outcome).toBe('fail');
    const path = `${folder}/${failures[0]?.evidence}`;
    expect(readEvidence(readFileSync(path, 'utf8'), path)).toMatchObject({
      outcome: { kind: 'reverted' },
    });
    expect(await replay(path)).toBe(1);
  });
});
