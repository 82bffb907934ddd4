import type { Report } from '../model/report.ts';
import { printable } from '../output/printable.ts';
import { KEY_NOTE, type Regression, regressionsOf } from './regressions.ts';

/**
 * Returns a file of vitest tests, one a failure: each sends the request again, or
 * lets the rule send its own, and fails until the rule is kept.
 */
export function write(report: Report): string {
  const { regressions, leftOut, url } = regressionsOf(report);
  const { version, startedAt, seed } = report;
  const tests =
    regressions.length === 0 ? ["test.todo('no failure to look for');"] : regressions.map(testOf);
  return [
    `// Written by swapcheck ${version} of a run of ${startedAt}: a test for each failure.`,
    `// ${KEY_NOTE} SWAPCHECK_BASE_URL names another service.`,
    ...(regressions.some(({ settles }) => settles)
      ? ['// Plans are settled on forks: name a node of chain 1, say, by SWAPCHECK_RPC_1.']
      : []),
    ...leftOut.map((id) => `// Left out, since no request shows it by itself: ${printable(id)}`),
    ...PREAMBLE(printable(url), seed),
    ...tests,
    '',
  ].join('\n');
}

const PREAMBLE = (url: string, seed: number) => [
  "import { runConformance } from 'swapcheck';",
  "import { expect, test } from 'vitest';",
  '',
  `const url = process.env['SWAPCHECK_BASE_URL'] ?? ${JSON.stringify(url)};`,
  "const apiKey = process.env['SWAPCHECK_API_KEY'] ?? '';",
  "const forks = Object.entries(process.env).flatMap(([name, rpcUrl = '']) =>",
  '  /^SWAPCHECK_RPC_\\d+$/.test(name) ? [{ chainId: Number(name.slice(14)), rpcUrl }] : [],',
  ');',
  '',
  '/** Judges a service by one rule, and returns its outcome with the reasons. */',
  'async function judge(rule: string, asked: { chains?: number[]; requests?: string[] } = {}) {',
  "  const options = { service: { url }, apiKey, forks, only: [rule], level: 'should' } as const;",
  `  const { rules, reason } = await runConformance({ ...options, ...asked, seed: ${seed} });`,
  '  const { outcome, why = reason, failures = [] } = rules.find(({ id }) => id === rule) ?? {};',
  "  const broken = failures.map(({ expected, actual }) => ['expected', expected, 'was', actual].join(' '));",
  "  return { outcome, words: [outcome, ...(broken.length > 0 ? broken : [why])].join('\\n') };",
  '}',
  '',
];

function testOf({ rule, title, expected, actual, request, chain }: Regression): string {
  const asked = [
    ...(chain === undefined ? [] : [`chains: [${chain}]`]),
    ...(request === undefined ? [] : [`requests: [${JSON.stringify(request)}]`]),
  ];
  const options = asked.length === 0 ? '' : `, { ${asked.join(', ')} }`;
  return [
    `// Expected ${printable(expected, 300)}; was ${printable(actual, 300)}`,
    `test(${JSON.stringify(`${rule}: ${printable(title)}`)}, { timeout: 600_000 }, async () => {`,
    `  const { outcome, words } = await judge(${JSON.stringify(rule)}${options});`,
    "  expect(outcome, words).toBe('pass');",
    '});',
    '',
  ].join('\n');
}
