import { readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';

test('Dockerfile -> passes a linter and runs as an unprivileged user', () => {
  const text = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
  expect(validate(text)).toEqual([]);
  expect(text).toMatch(/^USER node$/m);
});
