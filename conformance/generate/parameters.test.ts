import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { pairsIn, type Query } from '../client/request.ts';
import { QUERY_SCHEMAS } from '../contract/parameters.ts';
import { type Endpoint, endpointOf } from '../contract/paths.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import { PARAMETERS } from './parameters.ts';
import { setParameter } from './trades.ts';
import { coverMarket } from './traffic.ts';

const ajv = new Ajv2020({ strict: true, multipleOfPrecision: 9 });
const [trade] = [...coverMarket(modelFacts, 1)].filter(({ path }) => path.endsWith('/swap'));
const keyed = (query: Query) => [...query, ['apiKey', 'k'] as const];

/** Returns the parameters of a query; values that are not strings are JSON. */
function read(endpoint: Endpoint, query: Query): Record<string, unknown> {
  const properties: Record<string, object> = QUERY_SCHEMAS[endpoint].properties;
  return Object.fromEntries(
    query.map(([name, value]) => {
      const { type = 'string' } = (properties[name] ?? {}) as { type?: string };
      return [name, type === 'string' ? value : fromJson(value)];
    }),
  );
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function fits(endpoint: Endpoint, query: Query): boolean {
  return ajv.validate(QUERY_SCHEMAS[endpoint], read(endpoint, keyed(query)));
}

describe('the schemas of queries and the table of parameter rules', () => {
  test('every request of the traffic -> fits its schema', () => {
    for (const target of coverMarket(modelFacts, 7)) {
      const pairs = pairsIn(target);
      expect(fits(endpointOf(target.path) ?? 'chains', pairs), JSON.stringify(pairs)).toBe(true);
    }
  });

  const ofOne = PARAMETERS.filter(({ clause, onHexChainsOnly }) => {
    return /^4\.\d [a-zA-Z]+$/.test(clause) && onHexChainsOnly !== true;
  });
  test.each(ofOne)('$slug: values that must be rejected -> do not fit the schema', (parameter) => {
    const [, name = ''] = parameter.clause.split(' ');
    const endpoint = endpointOf(`/api/v1.0/${parameter.base}`) ?? 'swap';
    const { query = [] } = trade ?? {};
    const valid = setParameter(query as Query, name, ['1']);
    const broken = parameter.violations.filter(
      ({ level, expected }) => level !== 'observe' && expected === 'rejected',
    );
    expect(broken).not.toEqual([]);
    for (const { what, change } of broken) {
      expect(fits(endpoint, change(valid)), what).toBe(false);
    }
  });
});
