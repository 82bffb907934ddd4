import { describe, expect, test } from 'vitest';
import { causeKey, symptomKey } from './cause.ts';

const parts = {
  fault: 'wrong-type',
  data: { type: 'string' },
  pointer: '/tokens/3/decimals',
  endpoint: 'swap',
} as const;

describe('causeKey', () => {
  test('rule, fault, operation, place and data -> one line, whatever the order of the data', () => {
    expect(causeKey('token/decimals', parts)).toBe(
      'token/decimals#wrong-type swap /tokens/{}/decimals type=string',
    );
    const [one, other] = [
      { status: 400, body: 'html' },
      { body: 'html', status: 400 },
    ].map((data) => causeKey('a/b', { fault: 'f', data, endpoint: undefined }));
    expect(one).toBe('a/b#f body=html status=400');
    expect(other).toBe(one);
  });

  test('another position in a list -> the same cause', () => {
    const moved = { ...parts, pointer: '/tokens/12/decimals' };
    expect(causeKey('token/decimals', moved)).toBe(causeKey('token/decimals', parts));
    expect(causeKey('a/b', { ...parts, pointer: '/0/2nd' })).toContain(' /{}/2nd ');
  });

  test.each([
    ['fault', { fault: 'missing' }],
    ['data', { data: { type: 'null' } }],
    ['place', { pointer: '/tokens/3/symbol' }],
    ['operation', { endpoint: 'tokens' as const }],
  ])('another %s -> another cause', (_what, change) => {
    expect(causeKey('a/b', { ...parts, ...change })).not.toBe(causeKey('a/b', parts));
  });

  test('two errors of a contract, and two panics -> distinct causes', () => {
    const errors = ['V2TooLittleReceived', 'V3TooLittleReceived', '0x1234abcd', '0x1234abce'];
    const reverts = [...errors, 'Panic(17)', 'Panic(18)'].map((error) =>
      causeKey('execution/settles', { fault: 'reverted', data: { error }, endpoint: 'swap' }),
    );
    expect(new Set(reverts).size).toBe(6);
  });
});

describe('symptomKey', () => {
  const symptom = (ruleId: string, data: Readonly<Record<string, string | number>>, pointer = '') =>
    symptomKey(ruleId, { fault: 'f', data, pointer, endpoint: 'swap' });

  test('the same status or type at a place -> a symptom that rules share', () => {
    const data = { status: 400, body: 'html' };
    expect(symptom('a/b', { ...data, broken: 'zero' })).toBe(symptom('c/d', data));
    expect(symptom('a/b', { type: 'null' }, '/0/x')).toBe(symptom('c/d', { type: 'null' }, '/1/x'));
    expect(symptom('a/b', { type: 'null' }, '/0/x')).not.toBe(
      symptom('a/b', { type: 'null' }, '/0/y'),
    );
  });

  test('a status that the interface does not define -> one symptom, whatever the body', () => {
    expect(symptom('a/b', { status: 422, body: 'html' })).toBe('status=422');
    expect(symptom('c/d', { status: 422, body: 'object' }, '/x')).toBe('status=422');
  });

  test('neither a status nor a type -> a symptom that rules do not share', () => {
    expect(symptom('a/b', { field: 'x' })).not.toBe(symptom('c/d', { field: 'x' }));
  });
});
