import type { Report } from '../model/report.ts';
import { printable } from '../output/printable.ts';
import { KEY_NOTE, type Regression, regressionsOf } from './regressions.ts';

/**
 * Returns a script for a POSIX shell that looks for each failure again by
 * `swapcheck test`, tells which are there, and exits 1 where one is.
 */
export function write(report: Report): string {
  const { regressions, leftOut, url } = regressionsOf(report);
  const { version, startedAt, seed } = report;
  return [
    '#!/bin/sh',
    `# Written by swapcheck ${version} of a run of ${startedAt}: a line for each failure.`,
    `# ${KEY_NOTE} SWAPCHECK_BASE_URL names another service,`,
    '# SWAPCHECK how swapcheck is called here, and SWAPCHECK_RPC_1, say, a node of chain 1 to settle plans on.',
    ...leftOut.map((id) => `# Left out, since no request shows it by itself: ${printable(id)}`),
    `url=\${SWAPCHECK_BASE_URL:-${quote(printable(url))}}`,
    ...(regressions.some(({ settles }) => settles) ? [FORKS] : []),
    'failed=0',
    '',
    'check() {',
    '  rule=$1',
    '  shift',
    `  if said=$(\${SWAPCHECK:-swapcheck} test "$url" --seed ${seed} --level should --only "$rule" "$@" 2>&1); then`,
    '    echo "kept    $rule"',
    '  else',
    '    failed=1',
    '    echo "BROKEN  $rule"',
    '    echo "$said"',
    '  fi',
    '}',
    '',
    ...regressions.flatMap(linesOf),
    'exit "$failed"',
    '',
  ].join('\n');
}

/** Options that take the nodes which the environment names. */
const FORKS = "forks=$(env | sed -n 's/^SWAPCHECK_RPC_\\([0-9]*\\)=.*/--fork \\1/p')";

function linesOf({
  rule,
  expected,
  actual,
  request,
  chain,
  settles,
}: Regression): readonly string[] {
  const options = [
    ...(chain === undefined ? [] : ['--chain', String(chain)]),
    ...(request === undefined ? [] : ['--request', request]),
  ];
  return [
    `# Expected ${printable(expected, 300)}; was ${printable(actual, 300)}`,
    `check ${[rule, ...options].map(quote).join(' ')}${settles ? ' $forks' : ''}`,
    '',
  ];
}

function quote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
