import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { BODY_SCHEMAS, findSchemaFaults, isBody } from './validators.ts';

const chainInfo = {
  chainId: 1,
  name: 'Ethereum',
  usdTokenAddress: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  wrappedNativeTokenAddress: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  routers: [
    { name: 'default-router', liquiditySources: ['V2'], deployedAddress: '0x1', hasEncoder: true },
  ],
};

test.each(Object.entries(BODY_SCHEMAS))(
  'the schema of %s -> valid against the draft',
  (_, schema) => {
    expect(new Ajv2020().validateSchema(schema)).toBe(true);
  },
);

describe('isBody', () => {
  test('every field present, with additional fields -> true', () => {
    expect(isBody('chainInfo', { ...chainInfo, explorer: 'https://example.org' })).toBe(true);
  });

  test('an error body -> not a swap response', () => {
    const body = { error: 'NO_ROUTE', message: 'none' };
    expect(isBody('error', body)).toBe(true);
    expect(isBody('swap', body)).toBe(false);
  });
});

describe('findSchemaFaults', () => {
  test('a missing field, a wrong type and a wrong name -> one fault for each, with its pointer', () => {
    const { name: _, ...nameless } = chainInfo;
    const broken = {
      ...nameless,
      chainId: '1',
      routers: [{ ...chainInfo.routers[0], name: 'Default-Router' }],
    };
    expect(findSchemaFaults('chainInfo', broken)).toEqual([
      { pointer: '', expected: "must have required property 'name'", actual: '`name` is missing' },
      { pointer: '/chainId', expected: 'must be integer', actual: '"1"' },
      {
        pointer: '/routers/0/name',
        expected:
          'must be equal to one of the allowed values: ["service-router","universal-router","default-router"]',
        actual: '"Default-Router"',
      },
    ]);
  });

  test('nothing wrong -> no fault', () => {
    expect(findSchemaFaults('chainInfo', chainInfo)).toEqual([]);
  });
});
