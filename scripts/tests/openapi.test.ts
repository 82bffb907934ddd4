import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { pairsIn, type Query } from '../../conformance/client/request.ts';
import { CLAUSES, findClause } from '../../conformance/contract/clauses.ts';
import { ENDPOINTS, endpointOf, PATHS } from '../../conformance/contract/paths.ts';
import { AmountSchema, RESOURCES } from '../../conformance/contract/resources.ts';
import { BODY_SCHEMAS } from '../../conformance/contract/validators.ts';
import { PARAMETERS } from '../../conformance/generate/parameters.ts';
import { setParameter } from '../../conformance/generate/trades.ts';
import { coverMarket } from '../../conformance/generate/traffic.ts';
import { modelFacts } from '../../conformance/model/model-market.testing.ts';
import { formsMiddleware } from '../../reference/forms/apply-forms.ts';
import { createApp } from '../../reference/server/app.ts';

const document = JSON.parse(
  readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'),
);
const service = request(createApp().callback());

describe('the OpenAPI document', () => {
  test('the document -> valid by its schema', async () => {
    expect(await new Validator().validate(document)).toEqual({ valid: true });
  });

  test('every component -> is referenced', () => {
    const text = JSON.stringify(document);
    for (const [kind, named] of Object.entries<object>(document.components)) {
      for (const name of Object.keys(named)) {
        expect(text).toContain(`"#/components/${kind}/${name}"`);
      }
    }
  });

  test.each([...RESOURCES, ['Amount', AmountSchema, '8'] as const])(
    '%s -> the schema with which the judge validates bodies, described by the specification',
    (name, schema, section) => {
      const component = document.components.schemas[name];
      expect(bare(component)).toEqual(bare(schema));
      for (const [field, { description }] of Object.entries<{ description?: string }>(
        component.properties ?? {},
      )) {
        expect(description, field).toBe(meaningOf(`${section} ${field}`));
      }
    },
  );

  test.each(ENDPOINTS)(
    '%s -> its reply and its parameters are those of the specification',
    (of) => {
      const { parameters, responses } = document.paths[PATHS[of]].get;
      const { schema } = responses[200].content['application/json'];
      expect(bare(schema)).toEqual(bare(BODY_SCHEMAS[of]));
      const section = { swap: '4.1', tokens: '4.2', chains: '4.3', chainInfo: '4.4' }[of];
      const rows = CLAUSES.flatMap(({ id, quoted }) =>
        typeof quoted !== 'string' && id === `${section} ${quoted[0]}` ? [quoted] : [],
      );
      expect(parameters).toMatchObject(
        rows.map(([name, type = '', required]) => ({
          name,
          required: required === 'yes',
          description: meaningOf(`4.1 ${name}`),
          schema: { type: type.split(',')[0] },
        })),
      );
    },
  );

  function meaningOf(clause: string): string | undefined {
    return [findClause(clause)?.quoted].flat().at(-1);
  }

  /** Returns a schema without references, and without what only client generators need. */
  function bare(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(bare);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $ref, properties, ...rest } = schema as Record<string, unknown>;
    if (typeof $ref === 'string')
      return bare(document.components.schemas[$ref.split('/').at(-1) ?? '']);
    const dropped = [
      'description',
      'format',
      'minimum',
      'additionalProperties',
      'patternProperties',
    ];
    const kept = Object.entries(rest).filter(
      ([key]) => !dropped.includes(key) && !(key === 'type' && 'enum' in rest),
    );
    return {
      ...Object.fromEntries(kept.map(([key, value]) => [key, bare(value)])),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties as object).map(([name, field]) => [name, bare(field)]),
        ),
      }),
    };
  }
});

describe('the parameters of the document', () => {
  const ajv = new Ajv2020({
    strict: true,
    formats: { int64: true, double: true },
    multipleOfPrecision: 9,
  });
  const fits = Object.fromEntries(
    ENDPOINTS.map((endpoint) => {
      const { parameters } = document.paths[PATHS[endpoint]].get;
      const schema = {
        type: 'object',
        properties: Object.fromEntries(
          parameters.map(({ name, schema }: { name: string; schema: object }) => [name, schema]),
        ),
        required: parameters.flatMap(({ name, required }: { name: string; required: boolean }) =>
          required ? [name] : [],
        ),
        additionalProperties: false,
      };
      const validate = ajv.compile(schema);
      return [endpoint, (query: Query) => validate(parsed(schema.properties, query))];
    }),
  );

  /** Parses parameters: a value whose type is not string is JSON. */
  function parsed(properties: Record<string, { type?: string }>, query: Query) {
    return Object.fromEntries(
      [...query, ['apiKey', 'k'] as const].map(([name, value]) => [
        name,
        properties[name]?.type === 'string' ? value : fromJson(value),
      ]),
    );
  }

  function fromJson(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  test('every request of the traffic -> fits the schemas', () => {
    for (const target of coverMarket(modelFacts, 7)) {
      const query = pairsIn(target);
      expect(fits[endpointOf(target.path) ?? '']?.(query), JSON.stringify(query)).toBe(true);
    }
  });

  const [swap] = [...coverMarket(modelFacts, 1)].filter(({ path }) => path === PATHS.swap);
  const ofOne = PARAMETERS.filter(({ clause, onHexChainsOnly }) => {
    return /^4\.\d [a-zA-Z]+$/.test(clause) && onHexChainsOnly !== true;
  });
  test.each(ofOne)('$slug: values that must be rejected -> do not fit the schema', (parameter) => {
    const [, name = ''] = parameter.clause.split(' ');
    const endpoint = endpointOf(`/api/v1.0/${parameter.base}`) ?? 'swap';
    const valid = setParameter(swap?.query as Query, name, ['1']);
    const broken = parameter.violations.filter(
      ({ level, expected }) => level !== 'observe' && expected === 'rejected',
    );
    expect(broken).not.toEqual([]);
    for (const { what, change } of broken) {
      expect(fits[endpoint]?.(change(valid)), what).toBe(false);
    }
  });
});

describe('requirements of client generators', () => {
  test('operation ids -> distinct from the names of schemas, in any letter case', () => {
    const ids = ENDPOINTS.map((endpoint) => document.paths[PATHS[endpoint]].get.operationId);
    expect(ids).toEqual(['getSwap', 'getTokens', 'getChains', 'getChainInfo']);
    // Some generators name the reply of an operation by appending 'Response' to the operation's id.
    const named = Object.keys(document.components.schemas).map((name) => name.toLowerCase());
    for (const id of ids) expect(named).not.toContain(`${id}Response`.toLowerCase());
  });

  test('every number -> has a format; every chain id -> has a minimum of 1', () => {
    const schemas: Record<string, unknown>[] = [];
    const collect = (value: unknown, name = ''): void => {
      if (typeof value !== 'object' || value === null) return;
      const schema = value as Record<string, unknown>;
      if (schema['type'] === 'integer' || schema['type'] === 'number') schemas.push(schema);
      if (name === 'chainId') expect(schema['minimum'] ?? 1).toBe(1);
      for (const [key, each] of Object.entries(schema)) if (key !== 'example') collect(each, key);
    };
    collect(document);
    expect(schemas.length).toBeGreaterThan(10);
    for (const { type, format, maximum } of schemas) {
      const integer = maximum === undefined ? 'int64' : 'int32';
      expect(format).toBe(type === 'number' ? 'double' : integer);
    }
    expect(document.components.schemas.Chain.properties.chainId.minimum).toBe(1);
    expect(document.paths[PATHS.chainInfo].get.parameters[0].schema.minimum).toBe(1);
  });

  test('every example -> valid by its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi.json');
    for (const endpoint of ENDPOINTS) {
      const { parameters, responses } = document.paths[PATHS[endpoint]].get;
      for (const { name, schema, example } of parameters) {
        if (example === undefined) expect(name).toBe('buyAmount');
        else expect(ajv.validate(resolved(schema), example), name).toBe(true);
      }
      const { schema, example } = responses[200].content['application/json'];
      expect(ajv.validate(resolved(schema), example), ajv.errorsText()).toBe(true);
    }
  });

  function resolved(schema: object): object {
    return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/'));
  }
});

describe('the reference', () => {
  test('/openapi.json -> the document, without a key', async () => {
    const { status, type, body } = await service.get('/openapi.json');
    expect([status, type]).toEqual([200, 'application/openapi+json']);
    expect(body).toEqual(document);
  });

  test('/openapi.json of a service whose replies have other forms -> the same document', async () => {
    const middleware = [formsMiddleware(['more-fields', 'other-key-order', 'long-numbers'])];
    const { body } = await request(createApp({ middleware }).callback()).get('/openapi.json');
    expect(body).toEqual(document);
  });

  test('/openapi.json by another method -> 405', async () => {
    const { status, headers } = await service.post('/openapi.json');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  const key = 'apiKey=demo';
  const sale = `chainId=31337&${key}&sellAmount=1000000000000000000&sellToken=0x${'0'.repeat(40)}`;
  const wallet = `userAddress=0x${'1'.repeat(40)}&slippageTolerance=0.01`;
  test.each([
    ['chains', key, 200],
    ['tokens', `chainId=31337&${key}`, 200],
    ['chainInfo', `chainId=31337&${key}`, 200],
    ['swap', sale, 200],
    ['swap', `${sale}&includeCalldata=true&router=universal-router&${wallet}`, 200],
    ['swap', `${sale}&buyAmount=1`, 400],
    ['tokens', key, 400],
  ] as const)('/%s?%s -> %i, as documented', async (endpoint, query, wanted) => {
    const { body: info } = await service.get(`${PATHS.chainInfo}?chainId=31337&${key}`);
    const target = `${PATHS[endpoint]}?${query}&buyToken=${info.usdTokenAddress}`;
    const { status, body } = await service.get(target);
    expect(status).toBe(wanted);
    const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(
      document,
      'openapi.json',
    );
    const at = (...path: readonly (string | number)[]) =>
      path.map((part) => `/${String(part).replaceAll('/', '~1')}`).join('');
    const response = document.paths[PATHS[endpoint]].get.responses[status];
    const where =
      response.$ref?.slice(1) ?? at('paths', PATHS[endpoint], 'get', 'responses', status);
    const schema = `openapi.json#${where}${at('content', 'application/json', 'schema')}`;
    expect(ajv.validate(schema, body), ajv.errorsText()).toBe(true);
  });
});
