import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useFolder } from '../../scripts/tests/helpers/use-folder.testing.ts';
import type { Report, RuleResult } from '../model/report.ts';
import { sampleReport } from './sample-report.testing.ts';
import { write as writeShell } from './shell.ts';
import { write as writeVitest } from './vitest.ts';

const [sample] = sampleReport().rules.flatMap(({ failures }) => failures);
if (sample === undefined) throw new Error('the sample has no failure');
const failed = (id: string, target: string, changes: Partial<RuleResult> = {}): RuleResult => ({
  ...{ id, clause: '2.7 chainId', level: 'must', title: 'is kept', outcome: 'fail', checks: 1 },
  failures: [{ ...sample, exchange: { ...sample.exchange, target } }],
  ...changes,
});
const report = (...rules: RuleResult[]): Report => ({
  ...sampleReport(),
  target: 'http://a.example/root',
  seed: 7,
  rules,
});
const REPLY = 'chain/chain-id-unique';
const PROBE = 'swap/exactly-one-amount';
const TARGET = "/api/v1.0/swap?chainId=31337&a='b'&apiKey=$SWAPCHECK_API_KEY";

describe('a report as vitest tests', () => {
  test('a rule on replies -> the request again; one that asks -> the rule alone', () => {
    const text = writeVitest(report(failed(REPLY, TARGET), failed(PROBE, TARGET)));
    expect(text).toContain('process.env[\'SWAPCHECK_BASE_URL\'] ?? "http://a.example/root"');
    expect(text).toContain(
      `judge("${REPLY}", { chains: [31337], requests: [${JSON.stringify(TARGET)}] })`,
    );
    expect(text).toContain(`judge("${PROBE}");`);
    expect(text).toContain('seed: 7');
    expect(text).not.toContain('SWAPCHECK_RPC_1,');
  });

  test('no failure -> a file without a failing test', () => {
    expect(writeVitest(report())).toContain("test.todo('no failure to look for');");
  });

  test('what no request shows, and what passed -> left out', () => {
    const own = failed('own/mine', TARGET, { clause: 'own' });
    const body = failed(REPLY, 'replies.json');
    const passed = failed(PROBE, TARGET, { outcome: 'pass', failures: [] });
    const text = writeVitest(report(own, body, passed));
    expect(text.match(/^\/\/ Left out.*: (.+)$/gm)).toHaveLength(2);
    expect(text).toContain('test.todo(');
  });
});

describe('a report as a shell script', () => {
  test('each failure -> a line, quoted for the shell', () => {
    const text = writeShell(report(failed(REPLY, TARGET), failed(PROBE, TARGET)));
    expect(text).toMatch(/^#!\/bin\/sh\n/);
    expect(text).toContain(
      `check ${REPLY} --chain 31337 --request '/api/v1.0/swap?chainId=31337&a='\\''b'\\''&apiKey=$SWAPCHECK_API_KEY'`,
    );
    expect(text).toMatch(new RegExp(`^check ${PROBE}$`, 'm'));
    expect(text).not.toContain('$forks');
    expect(text).toMatch(/^url=\$\{SWAPCHECK_BASE_URL:-http:\/\/a\.example\/root\}$/m);
  });

  test('a rule that settles plans -> asked with the nodes that the environment names', () => {
    const { folder, write } = useFolder(onTestFinished);
    const script = write('x.sh', writeShell(report(failed('execution/settles', TARGET))));
    const program = write('said.sh', `echo "$@" > ${folder}/said`);
    const env = { SWAPCHECK_RPC_1: 'http://a?k=b', SWAPCHECK_RPC_56: '@f' };
    execFileSync('sh', [script], { env: { ...process.env, ...env, SWAPCHECK: `sh ${program}` } });
    const said = readFileSync(join(folder, 'said'), 'utf8').trim();
    expect(said.slice(0, said.indexOf(' --fork'))).toBe(
      'test http://a.example/root --seed 7 --level should --only execution/settles',
    );
    expect(said.match(/--fork \d+/g)?.sort()).toEqual(['--fork 1', '--fork 56']);
  });
});
