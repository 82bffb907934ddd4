import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forAll } from '../../fixtures/testing/for-all.testing.ts';
import { RequestError } from './errors.ts';
import { KEY_PARAMETER, PARAMETERS, type ParameterTable, readParameters } from './parameters.ts';

const ADDRESS = `0x${'aB'.repeat(20)}`;
const MAX_UINT256 = 2n ** 256n - 1n;

const GOOD: Record<string, string> = {
  chainId: '31337',
  sellToken: ADDRESS,
  buyToken: ADDRESS,
  sellAmount: '1',
  buyAmount: '1',
  useRfq: 'true',
  router: 'universal-router',
  includeCalldata: 'false',
  userAddress: ADDRESS,
  recipientAddress: ADDRESS,
  slippageTolerance: '0.01',
};

function read(operation: keyof typeof PARAMETERS, changes: Record<string, string | undefined>) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...GOOD, ...changes })) {
    if (value !== undefined) query.set(name, value);
  }
  const table: ParameterTable = PARAMETERS[operation];
  return readParameters(table, query);
}

function rejection(action: () => unknown) {
  try {
    action();
  } catch (error) {
    if (error instanceof RequestError) return error.body;
    throw error;
  }
  throw new Error('accepted');
}

const rejected = (name: string, error: string) => ({ error, details: { parameter: name } });

describe('readParameters', () => {
  test('valid values -> typed values, with addresses in lower case', () => {
    expect(read('swap', {})).toEqual({
      chainId: 31337,
      sellToken: ADDRESS.toLowerCase(),
      buyToken: ADDRESS.toLowerCase(),
      sellAmount: 1n,
      buyAmount: 1n,
      useRfq: true,
      router: 'universal-router',
      includeCalldata: false,
      userAddress: ADDRESS.toLowerCase(),
      recipientAddress: ADDRESS.toLowerCase(),
      slippageTolerance: 100,
    });
  });

  test('missing optional parameters -> their defaults', () => {
    const none = Object.fromEntries(Object.keys(PARAMETERS.swap).map((name) => [name, undefined]));
    const { chainId, sellToken, buyToken } = GOOD;
    expect(read('swap', { ...none, chainId, sellToken, buyToken })).toMatchObject({
      useRfq: false,
      router: 'default-router',
      includeCalldata: false,
    });
  });

  const required = [
    ['swap', 'chainId'],
    ['swap', 'sellToken'],
    ['swap', 'buyToken'],
    ['tokens', 'chainId'],
    ['chainInfo', 'chainId'],
  ] as const;
  test.each(required)('%s without %s -> rejected', (operation, name) => {
    expect(rejection(() => read(operation, { [name]: undefined }))).toMatchObject({
      ...rejected(name, 'MISSING_PARAMETER'),
      message: expect.stringContaining(`'${name}'`),
    });
  });

  test.each(Object.keys(PARAMETERS.swap))('%s empty -> rejected', (name) => {
    expect(rejection(() => read('swap', { [name]: '' }))).toMatchObject(
      rejected(name, 'INVALID_PARAMETER'),
    );
  });

  test.each(Object.keys(PARAMETERS.swap))(
    '%s repeated, even with equal values -> rejected',
    (name) => {
      const query = new URLSearchParams([...Object.entries(GOOD), [name, `${GOOD[name]}`]]);
      expect(rejection(() => readParameters(PARAMETERS.swap, query))).toMatchObject(
        rejected(name, 'REPEATED_PARAMETER'),
      );
    },
  );

  const padded = (good: string) => [` ${good}`, `${good} `, `${good}\n`, `\t${good}`, `${good}\0`];
  const numbers = [
    ...'abc -1 +1 01 0x1 1e3 1.0 1.5 1,000 1_0 １ ١ NaN Infinity'.split(' '),
    ...padded('1'),
  ];
  const fractions =
    '1.0001 1.1 2 -0.1 -0 +0.1 0.00001 0.00015 0.12345 1e-2 1E0 .5 1. 0. 00.5 01 0,5 50% 0x0 NaN Infinity ٠.٥';
  const bad: Record<string, string[]> = {
    chainId: [...numbers, '0', '9007199254740992', '9'.repeat(400)],
    sellAmount: [...numbers, '0', '00', String(MAX_UINT256 + 1n), '9'.repeat(400)],
    buyAmount: [...numbers, '0', '00', String(MAX_UINT256 + 1n)],
    useRfq: ['TRUE', 'False', '1', '0', 'yes', 'null', ...padded('true')],
    includeCalldata: ['TRUE', 'False', '1', '0', 'on', ...padded('true')],
    router: ['Default-Router', 'default_router', 'default', 'null', ...padded('default-router')],
    slippageTolerance: [...fractions.split(' '), ...padded('0.1')],
  };
  const badAddresses = [
    '0x',
    '0x1',
    ADDRESS.slice(0, -1),
    `${ADDRESS}0`,
    ADDRESS.slice(2),
    `0X${ADDRESS.slice(2)}`,
    `0x${'g'.repeat(40)}`,
    ...padded(ADDRESS),
  ];
  for (const name of ['sellToken', 'buyToken', 'userAddress', 'recipientAddress']) {
    bad[name] = badAddresses;
  }
  const violations = Object.entries(bad).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );

  test.each(violations)('%s = %j -> rejected with name and value', (name, value) => {
    const body = rejection(() => read('swap', { [name]: value }));
    expect(body).toMatchObject(rejected(name, 'INVALID_PARAMETER'));
    expect(body.message).toContain(`'${name}' is '${value.slice(0, 80)}`);
    expect(body.message).toMatch(/: expected .+\.$/s);
    expect(body.message.length).toBeLessThan(300);
  });

  const bounds: [string, string, unknown][] = [
    ['chainId', '9007199254740991', 9007199254740991],
    ['sellAmount', '1', 1n],
    ['sellAmount', String(MAX_UINT256), MAX_UINT256],
    ['buyAmount', String(MAX_UINT256), MAX_UINT256],
    ['slippageTolerance', '0', 0],
    ['slippageTolerance', '0.0', 0],
    ['slippageTolerance', '0.0001', 1],
    ['slippageTolerance', '0.0003', 3],
    ['slippageTolerance', '0.00010', 1],
    ['slippageTolerance', '0.9999', 9999],
    ['slippageTolerance', '1', 10_000],
    ['slippageTolerance', '1.0000', 10_000],
    ['userAddress', `0x${'F'.repeat(40)}`, `0x${'f'.repeat(40)}`],
    ['useRfq', 'false', false],
    ['router', 'service-router', 'service-router'],
  ];
  test.each(bounds)('%s = %s -> accepted', (name, value, expected) => {
    expect(read('swap', { [name]: value })).toMatchObject({ [name]: expected });
  });

  test('every step of slippage in any notation -> the number of steps', () => {
    forAll(
      [fc.integer({ min: 0, max: 10_000 }), fc.integer({ min: 0, max: 9 })],
      { seed: 1 },
      (steps, zeros) => {
        const text = `${(steps / 10_000).toFixed(4)}${'0'.repeat(zeros)}`;
        expect(read('swap', { slippageTolerance: text })).toMatchObject({
          slippageTolerance: steps,
        });
      },
    );
  });

  test('any text as amount -> accepted only if ^[1-9][0-9]*$ and a uint256', () => {
    forAll([fc.oneof(fc.string(), fc.bigInt({ min: -9n }).map(String))], { seed: 1 }, (text) => {
      const isAmount = /^[1-9][0-9]*$/.test(text) && BigInt(text) <= MAX_UINT256;
      const reads = () => read('swap', { sellAmount: text });
      if (isAmount) expect(reads()).toMatchObject({ sellAmount: BigInt(text) });
      else expect(rejection(reads)).toMatchObject(rejected('sellAmount', 'INVALID_PARAMETER'));
    });
  });

  test("the request's key in an invalid value -> redacted before the value is cut", () => {
    const query = new URLSearchParams({ chainId: `${'x'.repeat(78)}secret`, apiKey: 'secret' });
    const body = rejection(() => readParameters(PARAMETERS.tokens, query));
    expect(JSON.stringify(body)).not.toContain('secr');
  });

  test('two keys, one of which contains the other -> the longer key is redacted first', () => {
    const query = new URLSearchParams('chainId=a-secret-b&apiKey=secret&apiKey=a-secret');
    const body = rejection(() => readParameters(PARAMETERS.tokens, query));
    expect(body).toMatchObject({ details: { value: '[redacted]-b' } });
  });

  test('a long value -> cut between characters, never inside one', () => {
    const { message } = rejection(() => read('tokens', { chainId: `${'x'.repeat(79)}😀😀` }));
    expect(message).toContain(`'${'x'.repeat(79)}😀... (81)'`);
  });

  test('an empty key -> rejected, without quoting a value', () => {
    const query = new URLSearchParams({ apiKey: '' });
    expect(rejection(() => readParameters(KEY_PARAMETER, query))).toMatchObject({
      error: 'INVALID_PARAMETER',
      details: { value: '' },
    });
  });
});
