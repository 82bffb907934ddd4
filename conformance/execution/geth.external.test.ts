import type { Middleware } from 'koa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type ReferenceBench,
  startReferenceBench,
} from '../../fixtures/testing/reference-bench.testing.ts';
import { runCommand } from '../../fixtures/testing/run-command.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { startReference } from '../../reference/server/app.ts';
import { createProgram } from '../../scripts/cli/program.ts';
import { middlewareOf } from '../../scripts/tests/mutants/faults/middleware.ts';
import type { Fault } from '../../scripts/tests/mutants/faults/mutant.ts';
import { causeKey } from '../model/cause.ts';
import type { Report } from '../model/report.ts';
import type { SettlementRule } from '../model/rule.ts';
import type { Hex, Scenario } from '../model/scenario.ts';
import { CATALOG } from '../rules/catalog.ts';
import { verdictOnExecution } from '../runner/judge-execution.testing.ts';
import type { ForkSource } from '../service/fork-option.ts';
import { createExecutor } from './executor.ts';
import { type Fork, openFork } from './fork/fork.ts';
import { GETH, startGeth } from './node/geth.testing.ts';
import { createRpc } from './node/json-rpc.ts';
import {
  COINBASE,
  CONTRACT,
  callingOn,
  PREVRANDAO,
  returning,
  SENDER,
} from './settle/calling.testing.ts';
import { mine } from './settle/mine.testing.ts';
import { simulateWithCalls, traceTrade } from './settle/trace-call.ts';

const CHAIN = 31337;
const PLANS = 242;
const FEW_PLANS = 12;
const NODE_KEY = 'k3y-0f-a-node';

/*
 * The chain of the reference on a real geth. There, settlement must be the same as in a transaction
 * that Anvil mines on a fork of that geth, field by field.
 */
describe.skipIf(GETH === undefined)('geth', { timeout: 900_000 }, () => {
  let bench: ReferenceBench;
  let geth: Awaited<ReturnType<typeof startGeth>>;
  let onGeth: Fork;
  let fork: Fork;
  const sourceOn = (settleOn: 'anvil' | 'node'): ForkSource => ({
    ...{ chainId: CHAIN, rpcUrl: geth.url, settleOn },
  });

  beforeAll(async () => {
    bench = await startReferenceBench([CHAIN]);
    geth = await startGeth(createRpc(bench.sources[0]?.rpcUrl ?? ''));
    const source = { chainId: CHAIN, rpcUrl: geth.url };
    onGeth = await openFork({ ...source, settleOn: 'node' });
    fork = await openFork(source);
  });
  afterAll(async () => {
    await Promise.all([onGeth?.stop(), fork?.stop()]);
    await geth?.stop();
    await bench?.stop();
  });

  const calling = (code: Hex, change?: Partial<Scenario>, blocks?: number) =>
    callingOn(onGeth.block, code, change, blocks);
  const blocksBetween = [2, 3, 7];

  describe.each(blocksBetween)('a trade %i blocks after the forked block', (blocks) => {
    test.each([
      ['NUMBER', '43'],
      ['TIMESTAMP', '42'],
      ['BASEFEE', '48'],
      ['GASPRICE', '3a'],
      ['COINBASE', '41'],
      ['GASLIMIT', '45'],
      ['a payment', '5f5f5f5f6005335af1'],
    ])('%s -> as in a transaction', async (_, instructions) => {
      const earlier = { from: COINBASE, to: CONTRACT, value: 0n, data: '0x' } as const;
      const scenario = calling(returning(instructions), { before: [earlier, earlier] }, blocks);
      const settled = await simulateWithCalls(onGeth, scenario);
      expect(settled.outcome).toBe('settled');
      const { calls, ...mined } = await mine(fork, scenario);
      expect(settled).toMatchObject(mined);
      expect(settled.calls).toMatchObject({ output: settled.returned, to: CONTRACT });
    });
  });

  test.each<[string, Hex, Partial<Scenario>]>([
    ['a revert with data', '0x63deadbeef5f5260205ffd', {}],
    ['a revert without data', '0x5f5ffd', {}],
    ['an endless loop', '0x5b5f56', {}],
    [
      'an inner call that runs out of gas',
      `0x5f5f5f5f5f73${CONTRACT.slice(2)}5af1601e575f5ffd${'00'.repeat(2)}5b00`,
      {},
    ],
    ['gas below the minimum of any transaction', '0x00', { gas: 20_000n }],
    [
      'gas below the floor for data',
      '0x00',
      {
        gas: 24_000n,
        trade: { from: SENDER, to: CONTRACT, value: 0n, data: `0x${'ff'.repeat(100)}` },
      },
    ],
  ])('%s -> the same outcome as in a transaction', async (_, code, change) => {
    const scenario = calling(code, change);
    const settled = await simulateWithCalls(onGeth, scenario);
    const { calls, reason, ...mined } = await mine(fork, scenario);
    expect(settled.outcome).not.toBe('settled');
    expect(settled).toMatchObject(mined);
    // Nodes describe a rejection in their own words.
    if (settled.outcome === 'reverted') expect(settled.reason).toBe(reason);
  });

  test.each([
    ['COINBASE', '41', COINBASE],
    ['PREVRANDAO', '44', PREVRANDAO],
    ['BASEFEE', '48', '0x7'],
  ])('%s in a trace -> as in the scenario', async (_, instruction, value) => {
    const { output = '0x' } = await traceTrade(onGeth, calling(returning(instruction)));
    expect(BigInt(output)).toBe(BigInt(value));
  });

  const rules = CATALOG.filter((rule): rule is SettlementRule => rule.kind === 'settlement');

  async function judge(source: ForkSource, plans: number, middleware?: Middleware) {
    // Geth's latest block is young, but its market does not move.
    const service = { ...(await bench.session(middleware)), frozen: true };
    const executor = createExecutor({ forks: [source], plans, salt: 'geth' }, service);
    const causes = new Set<string>();
    const checks = new Map<string, number>();
    const notJudged: string[] = [];
    try {
      for (const rule of rules) {
        const execution = await executor.execute(rule.evidence);
        const verdict = verdictOnExecution(rule, execution, service);
        if (verdict.kind !== 'judged') {
          notJudged.push(`${rule.id}: ${verdict.why}`);
          continue;
        }
        checks.set(rule.id, verdict.checks);
        for (const { exchange, ...finding } of verdict.findings) {
          causes.add(causeKey(rule.id, { ...finding, endpoint: exchange?.endpoint }));
        }
      }
      return { causes: [...causes].sort(), checks, notJudged, remarks: executor.remarks() };
    } finally {
      await executor.close();
    }
  }

  test('the reference -> conforms on the node, with as many checks as in Anvil', async () => {
    const onNode = await judge(sourceOn('node'), PLANS);
    expect(onNode).toMatchObject({ causes: [], notJudged: [], remarks: [] });
    expect(onNode.checks.get('execution/settles')).toBeGreaterThanOrEqual(PLANS);
    const inAnvil = await judge(sourceOn('anvil'), PLANS);
    expect(inAnvil).toMatchObject({ causes: [], notJudged: [], remarks: [] });
    // The search for moved prices finds fewer markets within the gas limit of a node.
    for (const rule of ['execution/protects', 'execution/tolerates']) {
      const [found = 0, most = 0] = [onNode.checks.get(rule), inAnvil.checks.get(rule)];
      expect(found / most).toBeGreaterThan(0.9);
      inAnvil.checks.set(rule, found);
    }
    expect(inAnvil.checks).toEqual(onNode.checks);
  });

  test('plans of the reference -> settled on the node as in transactions, field by field', async () => {
    const service = await bench.session();
    const executor = createExecutor({ forks: [sourceOn('node')], plans: 36 }, service);
    const execution = await executor.execute('as-returned');
    const items = execution.kind === 'executed' ? execution.items : [];
    expect(items.length).toBeGreaterThanOrEqual(36);
    for (const { now, later } of items) {
      for (const { scenario, settlement } of [now, later]) {
        const { calls, ...mined } = await mine(fork, scenario);
        expect(settlement).toEqual(mined);
      }
    }
    await executor.close();
  });

  const swapOf = (change: (query: URLSearchParams) => void): Fault => ({ query: change });
  test.each<[string, Fault]>([
    [
      'a pool that does not exist',
      {
        plan: ({ routes: [first] }) => {
          if (first) first.address = SENDER;
        },
      },
    ],
    [
      'a recipient other than the requested one',
      swapOf((query) => query.delete('recipientAddress')),
    ],
    ['an ignored slippage tolerance', swapOf((query) => query.set('slippageTolerance', '1'))],
    [
      'corrupt calldata',
      {
        plan: (plan) => {
          if (plan.calldata !== undefined)
            plan.calldata = plan.calldata.replace(/.{8}$/, 'deadbeef');
        },
      },
    ],
    [
      'half the gas',
      {
        plan: (plan) => {
          if (plan.gasLimit !== undefined) plan.gasLimit = String(BigInt(plan.gasLimit) / 2n);
        },
      },
    ],
  ])('%s -> found with the same causes as in Anvil', async (_, fault) => {
    const onNode = await judge(sourceOn('node'), FEW_PLANS, middlewareOf(fault));
    expect(onNode.causes).not.toEqual([]);
    expect((await judge(sourceOn('anvil'), FEW_PLANS, middlewareOf(fault))).causes).toEqual(
      onNode.causes,
    );
  });

  describe.each([
    ['forked from geth', []],
    ['settled on geth', ['--settle-on', 'node']],
  ])('the command line, %s', (_, options) => {
    /** Judges a service with `execute`, and returns its exit code and its report. */
    async function execute(...middleware: readonly Middleware[]) {
      const markets = loadEmbeddedMarkets().filter(({ chainId }) => chainId === CHAIN);
      const service = await startReference({ markets, middleware });
      onTestFinished(service.close);
      const { at, read, readJson } = useFolder(onTestFinished);
      const reports = ['json', 'text', 'html'].map((format) => [
        '--report',
        `${format}=${at(format)}`,
      ]);
      const fork = ['--fork', `${CHAIN}=${geth.url}/?key=${NODE_KEY}`, '--require-fork'];
      const how = ['--profile', 'quick', '--frozen', '--api-key', 'demo', ...fork, ...options];
      const args = ['execute', service.url, ...how, ...reports.flat()];
      const { code, text } = await runCommand(await createProgram(args), args);
      const printed = [text, read('json'), read('text'), read('html')].join('\n');
      expect(printed).not.toContain(NODE_KEY);
      expect(printed).not.toContain(geth.url);
      return { code, text: read('text'), report: readJson('json') as Report };
    }

    test('the reference -> exit code 0, and every plan is settled', async () => {
      const { code, text, report } = await execute();
      expect(report).toMatchObject({ verdict: 'conforming', notJudged: [] });
      expect(report.rules.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
      expect(text).toMatch(/^ *Plans settled on forks: ([1-9]\d*) of \1$/m);
      // A rule also observes how many of its plans were not judged.
      expect(JSON.stringify(report)).not.toContain('not judged');
      expect(code).toBe(0);
    });

    test('a recipient other than the requested one -> exit code 1, and the rule is named', async () => {
      const { code, text, report } = await execute(
        middlewareOf(swapOf((query) => query.delete('recipientAddress'))),
      );
      expect(report.verdict).toBe('nonconforming');
      expect(report.rules).toContainEqual(
        expect.objectContaining({ id: 'execution/pays-recipient', outcome: 'fail' }),
      );
      expect(text).toContain('execution/pays-recipient');
      expect(code).toBe(1);
    });
  });
});
