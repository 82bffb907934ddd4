import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createEvidenceFiles } from '../../conformance/commands/evidence-files.ts';
import { type BuiltInChain, replayFile } from '../../conformance/commands/replay-command.ts';
import { createExecutor } from '../../conformance/execution/executor.ts';
import type { Replayed } from '../../conformance/execution/explain/evidence.ts';
import type { SettlementEvidence } from '../../conformance/model/evidence.ts';
import type { ReportRequest } from '../../conformance/output/report-formats.ts';
import { readChainState, readEvidence } from '../../conformance/report/evidence-document.ts';
import { builtInChain } from '../../fixtures/chains/built-in-chain.ts';
import { startReferenceBench } from '../../fixtures/testing/reference-bench.testing.ts';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';

const { folder, write } = useFolder();
const chainId = 31337;
let evidence: SettlementEvidence;
let savedFile: string;
let nodeUrl: string;

/**
 * The reference's trade gets too little gas, so its settlement fails. The evidence is saved next to
 * a report.
 */
beforeAll(async () => {
  const bench = await startReferenceBench([chainId]);
  const service = await bench.session();
  const get: typeof service.get = async (target) => {
    const exchange = await service.get(target);
    const { outcome } = exchange;
    if (outcome.kind !== 'reply') return exchange;
    const text = outcome.text.replace(/"gasLimit":"\d+"/, '"gasLimit":"60000"');
    const document = { kind: 'json', value: JSON.parse(text), duplicateKeys: [] } as const;
    return { ...exchange, outcome: { ...outcome, text, document } };
  };
  const executor = createExecutor({ forks: bench.sources, plans: 6 }, { ...service, get });
  const execution = await executor.execute('as-returned');
  if (execution.kind !== 'executed') throw new Error(execution.why);
  const [item] = execution.items;
  const explanation = item && (await executor.explain(item));
  if (explanation === undefined) throw new Error('nothing is explained');
  const { explained, state } = explanation;
  const rule = 'execution/gas-limit';
  const text = { expected: 'it settles', actual: 'it does not', request: '/swap' };
  const files = createEvidenceFiles([{ path: `${folder}/report.json` }, { path: '-' }]);
  const file = files.save?.({ kind: 'settlement-evidence', rule, ...text, ...explained }, state);
  await files.write();
  await executor.close();
  await bench.stop();
  nodeUrl = bench.sources[0]?.rpcUrl ?? '';
  savedFile = `${folder}/${file}`;
  evidence = readEvidence(readFileSync(savedFile, 'utf8'), savedFile);
});

let written = '';

/** Replays a settlement, on a built-in chain if one is given. */
function replay(
  changed: SettlementEvidence,
  file = 'evidence.json',
  chain: BuiltInChain = builtInChain,
): Promise<number> {
  const report: ReportRequest<Replayed> = {
    format: 'json',
    path: `${folder}/again.json`,
    load: async () => ({ write: (replayed) => JSON.stringify(replayed) }),
  };
  const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  return replayFile(write(file, JSON.stringify(changed)), { report: [report] }, chain)
    .then((code) => {
      written = readFileSync(`${folder}/again.json`, 'utf8');
      return code;
    })
    .finally(() => output.mockRestore());
}

/**
 * Replays a settlement without a node: the chain has stopped, but the file contains the state that
 * the settlement read.
 */
const replayOffline = (changed: SettlementEvidence) =>
  replay(changed, 'evidence/changed.json', () => undefined);

describe('swapcheck replay with saved state', () => {
  const stateFile = () => `${folder}/evidence/${evidence.state}`;

  test('the saved file -> fails as before, to the base unit', async () => {
    expect(await replayOffline(evidence)).toBe(1);
    expect(JSON.parse(written)).toMatchObject({ isSame: true, evidence });
  });

  test('enough gas -> settles with the same state', async () => {
    const scenario = { ...evidence.scenario, gas: '3000000' };
    expect(await replayOffline({ ...evidence, scenario })).toBe(0);
  });

  test('a trade that reads other state -> an error that names the missing state and the fix', async () => {
    const to = `0x${'77'.repeat(20)}` as const;
    const { scenario } = evidence;
    const changed = { ...scenario, trade: { ...scenario.trade, to } };
    await expect(replayOffline({ ...evidence, scenario: changed })).rejects.toThrow(
      new RegExp(
        `lacks state that this settlement reads, such as eth_get\\w+ ${to}.*--fork 31337=RPC`,
      ),
    );
  });

  test('the saved state -> describes only the chain at that block, not the node', () => {
    const text = readFileSync(stateFile(), 'utf8');
    const { chainId: of, blocks, accounts } = readChainState(text, stateFile());
    expect(of).toBe(chainId);
    expect(Object.keys(blocks).map(Number)).toEqual([evidence.block.number]);
    expect(Object.keys(accounts)).toContain(evidence.scenario.trade.to);
    expect(text).not.toMatch(new RegExp(`:${new URL(nodeUrl).port}|127\\.0\\.0\\.1|http`));
  });

  test('a corrupt state -> an error that names its file', async () => {
    const text = readFileSync(stateFile(), 'utf8');
    write(`evidence/${evidence.state}`, '{"kind":"chain-state"}');
    await expect(replayOffline(evidence)).rejects.toThrow(
      /chain-31337-block-\d+\.json is not the state of a chain: it must have required property/,
    );
    write(`evidence/${evidence.state}`, text);
  });

  test.each<[what: string, block: number, create: (path: string) => void]>([
    ['a pipe', 1, (path: string) => execFileSync('mkfifo', [path])],
    ['a link to a device', 2, (path: string) => symlinkSync('/dev/zero', path)],
    ['a folder', 3, (path: string) => mkdirSync(path)],
  ])(
    '%s instead of the state -> an error that names its file, at once',
    async (_, block, create) => {
      const state = `chain-31337-block-${block}.json`;
      create(`${folder}/evidence/${state}`);
      await expect(replayOffline({ ...evidence, state })).rejects.toThrow(
        new RegExp(`${state} is not a regular file`),
      );
    },
  );

  test('more state than the maximum -> evidence is saved without state', async () => {
    const files = createEvidenceFiles([{ path: `${folder}/small/report.json` }], 1_000);
    const state = readChainState(readFileSync(stateFile(), 'utf8'), stateFile());
    const { state: _, ...stateless } = evidence;
    const file = files.save?.(stateless, state);
    await files.write();
    const text = readFileSync(`${folder}/small/${file}`, 'utf8');
    expect(readEvidence(text, '').state).toBeUndefined();
    expect(readdirSync(`${folder}/small/evidence`)).toHaveLength(1);
  });
});

describe('swapcheck replay on a built-in chain', () => {
  test('too little gas -> fails as before: exit 1', async () => {
    expect(evidence.scenario.gas).toBe('60000');
    expect(evidence.outcome).toMatchObject({ kind: 'reverted', reason: 'it ran out of gas' });
    expect(await replay(evidence)).toBe(1);
    expect(JSON.parse(written)).toMatchObject({ isSame: true, evidence });
  });

  test('enough gas -> settles within its limit: exit 0', async () => {
    const scenario = { ...evidence.scenario, gas: '3000000' };
    expect(await replay({ ...evidence, scenario })).toBe(0);
    expect(JSON.parse(written).evidence.changes[0].share).toBe(1);
  });

  test('a chain that is not built in, and no node -> usage error that names the missing option', async () => {
    const scenario = { ...evidence.scenario, chainId: 1 };
    const path = write('mainnet.json', JSON.stringify({ ...evidence, scenario }));
    await expect(replayFile(path, { report: [] }, builtInChain)).rejects.toThrow(
      /mainnet\.json is for chain 1: pass --fork 1=RPC or set SWAPCHECK_RPC_1/,
    );
  });

  test('a run without a report file -> no evidence is saved', () => {
    expect(createEvidenceFiles([{ path: '-' }]).save).toBeUndefined();
  });
});
