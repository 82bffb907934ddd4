import type { Report } from '../model/report.ts';
import {
  sampleFailure,
  sampleReport,
  sampleRule,
  sketchOf,
  wireRoute,
} from './sample-report.testing.ts';

/** Text that tries to break out of every format, and to exceed the width of every page. */
const HOSTILE =
  '</script><script>window.pwned=1</script><img src=x onerror="window.pwned=1"> "\'`|]]> @octocat **b** ' +
  '[x](javascript:alert(1)) http://evil.example &amp; \u0000\u0007\u001b[31m\u2028\u202e\ud800 \ufffe\n# head\n```\n| a |' +
  'W'.repeat(120);

const SOMEONE = `0x${'a'.repeat(40)}`;

let built: Report | undefined;

/**
 * Returns a report in which every text that a service controls is hostile. The plan of 100,000
 * routes is parsed only once.
 */
export function hostileReport(): Report {
  built ??= buildReport();
  return built;
}

function buildReport(): Report {
  const side = { referenceId: HOSTILE, amount: HOSTILE };
  const plan = {
    sell: side,
    tokens: [{ referenceId: HOSTILE, symbol: HOSTILE, address: HOSTILE }],
    routes: [
      { name: HOSTILE, address: HOSTILE, fromTokens: [side], toTokens: [{}] },
      ...Array.from({ length: 100_000 }, (_, at) => wireRoute(at % 90, (at * 7) % 90, '5', '4')),
    ],
  };
  const failure = sampleFailure({
    expected: HOSTILE,
    actual: HOSTILE,
    pointer: `/routes/0/${HOSTILE}`,
    ...sketchOf(plan, '/routes/0'),
    money: Array.from({ length: 5_000 }, () => ({
      ...{ from: SOMEONE, fromName: HOSTILE, to: SOMEONE, toName: HOSTILE },
      ...{ token: SOMEONE, symbol: HOSTILE, amount: '1' },
    })),
    evidence: HOSTILE,
  });
  const excerpt = { ...failure.exchange, excerpt: HOSTILE };
  return sampleReport({
    reason: HOSTILE,
    target: HOSTILE,
    rules: [
      sampleRule('2.4 routes', 'plan/hostile', 'must', 'fail', HOSTILE, {
        clauseWords: HOSTILE,
        failures: [{ ...failure, exchange: excerpt }],
      }),
      sampleRule('7 values', 'errors/hostile', 'observe', 'observed', HOSTILE, {
        observed: [{ text: HOSTILE, times: 1 }],
      }),
      sampleRule('8 amounts', 'limits/hostile', 'must', 'could-not-run', HOSTILE, { why: HOSTILE }),
    ],
    largestDust: { baseUnits: '3', partsPerMillion: 1, token: HOSTILE, exchange: 1 },
    timings: [{ endpoint: HOSTILE, requests: 1, p50Ms: 1, p99Ms: 1, maxMs: 1 }],
    notJudged: [{ why: HOSTILE, needs: HOSTILE, rules: ['x'] }],
    staleWaivers: [{ rule: HOSTILE, why: HOSTILE }],
  });
}
