import { describe, expect, test } from 'vitest';
import type { Service } from '../client/in-process.testing.ts';
import type { Endpoint } from '../contract/paths.ts';
import { judgeService, NO_TRAFFIC } from './judge-service.testing.ts';
import { tinyAnswer } from './tiny-service.testing.ts';

/** Exceeds the maximum size for a probe. Blanks around JSON do not change its meaning. */
const BLANKS = ' '.repeat(600_000);

async function judge(padded: Endpoint, only: readonly string[]) {
  let isDiscovered = false;
  const service: Service = (url) => {
    const isPadded = isDiscovered && url.pathname.endsWith(`/${padded}`);
    return {
      status: url.searchParams.get('apiKey') === 'key' ? 200 : 403,
      body: JSON.stringify(tinyAnswer(url).body) + (isPadded ? BLANKS : ''),
    };
  };
  const { report } = await judgeService(service, { only, generator: NO_TRAFFIC }, ({ type }) => {
    isDiscovered ||= type === 'discovery-finished';
  });
  return report.rules;
}

describe('replies that are too large to read', () => {
  test.each([
    ['swap', 'relation/repeats', 'endpoint/answers', ['plan/acyclic']],
    ['tokens', 'lookups/every-chain', 'endpoint/answers', ['token-info/decimals']],
  ] as const)(
    'to /%s -> no rule fails the service: rules that need these replies could not run',
    async (operation, ...ids) => {
      const service: Service = (url) =>
        url.pathname.endsWith(`/${operation}`)
          ? { kind: 'no-reply', cause: 'too-large', message: 'the body is larger than 9 bytes' }
          : tinyAnswer(url);
      const { report } = await judgeService(service, { only: ids.flat(), maxRequests: 200 });
      expect(report.verdict).toBe('incomplete');
      const [answers] = report.rules.filter(({ id }) => id === 'endpoint/answers');
      expect(answers).toMatchObject({
        outcome: 'could-not-run',
        why: expect.stringMatching(/larger than 9 bytes/),
      });
      expect(report.rules.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    },
  );
});

describe('replies that are too large to store', () => {
  test('a probe that judges their status -> judges it', async () => {
    expect(await judge('tokens', ['lookups/every-chain', 'tokens/key-required'])).toMatchObject([
      { id: 'lookups/every-chain', outcome: 'pass', checks: 2 },
      { id: 'tokens/key-required', outcome: 'pass', checks: 16 },
    ]);
  });

  test('a probe that rejects their status -> shows it, and the beginning of the body', async () => {
    const [rule] = await judge('swap', ['swap/smallest-amounts']);
    expect(rule?.failures[0]).toMatchObject({
      actual: '200',
      exchange: { status: 200, excerpt: expect.stringMatching(/^\{"aggregator":"tiny"/) },
    });
  });

  test('an observation that needs their plan -> not applicable, with the reason', async () => {
    const [rule] = await judge('swap', ['relation/repeats']);
    expect(rule?.outcome).toBe('not-applicable');
    expect(rule?.why).toMatch(/; a reply of 600\d{3} characters was too large to store$/);
  });
});
