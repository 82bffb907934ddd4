import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS, errorBody, refuse, statusOf } from './errors.ts';

describe('ERRORS', () => {
  test('docs/errors.md -> prints every value with its status and condition, in order', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const table = Object.entries(ERRORS).map(
      ([code, { status, when }]) => `| \`${code}\` | ${status} | ${when} |`,
    );
    expect(rows).toEqual(table);
  });

  test('every value -> upper snake case, status 400, 404, 405 or 500, of a limit 429', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect(code === 'RATE_LIMITED' ? [429] : [400, 404, 405, 500]).toContain(status);
    }
  });
});

describe('errorBody', () => {
  test('a refusal -> the Error body of 2.10; details only where there are some', () => {
    const bare = refuse('NO_ROUTE', 'No way.');
    expect([statusOf(bare), JSON.parse(errorBody(bare))]).toEqual([
      400,
      { error: 'NO_ROUTE', message: 'No way.' },
    ]);
    const detailed = refuse('OVERLOADED', 'Later.', { retryAfterMs: 5 });
    expect(JSON.parse(errorBody(detailed)).details).toEqual({ retryAfterMs: 5 });
  });
});
