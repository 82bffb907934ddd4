import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS, RequestError } from './errors.ts';

describe('ERRORS', () => {
  test('docs/errors.md -> lists every value with its status and condition, in order', () => {
    const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const table = Object.entries(ERRORS).map(
      ([code, { status, when }]) => `| \`${code}\` | ${status} | ${when} |`,
    );
    expect(rows).toEqual(table);
  });

  test('every value -> upper snake case, with status 400, 404, 405 or 500', () => {
    for (const [code, { status }] of Object.entries(ERRORS)) {
      expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
      expect([400, 404, 405, 500]).toContain(status);
    }
  });
});

test('RequestError -> the Error body of 2.10; details only if it has any', () => {
  const bare = new RequestError('NO_ROUTE', 'No path.');
  expect([bare.status, bare.body]).toEqual([400, { error: 'NO_ROUTE', message: 'No path.' }]);
  const detailed = new RequestError('OVERLOADED', 'Later.', { details: { retryAfterMs: 5 } });
  expect([detailed.status, detailed.body.details]).toEqual([500, { retryAfterMs: 5 }]);
});
