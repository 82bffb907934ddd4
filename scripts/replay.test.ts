import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { createEvidenceFiles } from '../conformance/commands/evidence-files.ts';
import { replayFile } from '../conformance/commands/replay-command.ts';
import { createExecutor } from '../conformance/execution/executor.ts';
import type { Replayed } from '../conformance/execution/replay-evidence.ts';
import type { SettlementEvidence } from '../conformance/model/evidence.ts';
import type { ReportRequest } from '../conformance/output/report-formats.ts';
import { readEvidence } from '../conformance/report/read-evidence.ts';
import { builtInChain } from './built-in-chain.ts';
import { startReferenceBench } from './reference-bench.testing.ts';
import { useFolder } from './use-folder.testing.ts';

const { folder, write } = useFolder();
const chainId = 31337;
let evidence: SettlementEvidence;

/** Keeps a trade of the reference that has too little gas, in a file beside a report. */
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
  const explained = item && (await executor.explain(item));
  if (explained === undefined) throw new Error('nothing is explained');
  const rule = 'execution/gas-limit';
  const text = { expected: 'it settles', actual: 'it does not', request: '/swap' };
  const files = createEvidenceFiles([{ path: `${folder}/report.json` }, { path: '-' }]);
  const file = files.keep?.({ kind: 'settlement-evidence', rule, ...text, ...explained });
  await files.write();
  await executor.close();
  await bench.stop();
  const path = `${folder}/${file}`;
  evidence = readEvidence(readFileSync(path, 'utf8'), path);
});

let written = '';

/** Makes it again from a file, without a node, and returns the exit code. */
function replay(changed: SettlementEvidence): Promise<number> {
  const report: ReportRequest<Replayed> = {
    format: 'json',
    path: `${folder}/again.json`,
    load: async () => ({ write: (replayed) => JSON.stringify(replayed) }),
  };
  return replayFile(
    write('evidence.json', JSON.stringify(changed)),
    { report: [report] },
    builtInChain,
  ).finally(() => {
    written = readFileSync(`${folder}/again.json`, 'utf8');
  });
}

describe('swapcheck replay, on a chain of its own', () => {
  test('too little gas -> fails as it did then: 1', async () => {
    expect(evidence.transaction.gas).toBe('60000');
    expect(evidence.outcome).toMatchObject({ kind: 'reverted', reason: 'it ran out of gas' });
    expect(await replay(evidence)).toBe(1);
    expect(JSON.parse(written)).toMatchObject({ isSame: true, evidence });
  });

  test('the gas that it needs -> settles within its limit: 0', async () => {
    const transaction = { ...evidence.transaction, gas: '3000000' };
    expect(await replay({ ...evidence, transaction })).toBe(0);
    expect(JSON.parse(written).evidence.changes[0].share).toBe(1);
  });

  test('a chain that is not ours, and no node -> used wrongly, with what to name', async () => {
    const path = write('mainnet.json', JSON.stringify({ ...evidence, chainId: 1 }));
    await expect(replayFile(path, { report: [] }, builtInChain)).rejects.toThrow(
      /mainnet\.json is of chain 1: name a node of it by --fork 1=RPC or SWAPCHECK_RPC_1/,
    );
  });

  test('no report in a file -> nothing is kept', () => {
    expect(createEvidenceFiles([{ path: '-' }]).keep).toBeUndefined();
  });
});
