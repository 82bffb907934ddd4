import { findClause } from './clauses.ts';
import { QUERY_SCHEMAS } from './parameters.ts';
import { ENDPOINTS, type Endpoint, PATHS } from './paths.ts';
import { AmountSchema, ErrorSchema, RESOURCES } from './resources.ts';
import type { TSchema } from './schema.ts';
import { BODY_SCHEMAS } from './validators.ts';

/** Schemas that have a name in the document, with the section whose clauses tell what their fields mean. */
const NAMED: readonly (readonly [name: string, schema: TSchema, section: string])[] = [
  ...RESOURCES,
  ['Amount', AmountSchema, '8'],
];

/** What each operation does, and the section that says so. */
const OPERATIONS: Readonly<
  Record<Endpoint, { readonly summary: string; readonly section: string }>
> = {
  swap: { summary: 'Returns a routing plan', section: '4.1' },
  tokens: { summary: 'Returns a curated list of example tokens for a chain', section: '4.2' },
  chains: { summary: 'Returns the supported chains', section: '4.3' },
  chainInfo: {
    summary:
      'Returns details of one chain: supported routers, liquidity sources, key token addresses',
    section: '4.4',
  },
};

const TITLE = 'Swap aggregation service';
const ABOUT =
  'A read-only interface that returns graph-based swap routing plans, optionally with ready-to-submit transaction calldata, and three lookups. Amounts are decimal strings in base units of the token.';

/**
 * Returns the OpenAPI 3.1 document of the interface, made of the schemas by
 * which the judge reads bodies and of the table of parameters. Services add
 * fields of their own, so no schema closes its object. The key is a parameter
 * like any other: "No other credential, header or signature is described."
 */
export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: TITLE,
      version: '1.0.0',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: [{ name: 'swap', description: 'The four operations' }],
    paths: Object.fromEntries(
      ENDPOINTS.map((endpoint) => [PATHS[endpoint], { get: operationOf(endpoint) }]),
    ),
    components: {
      schemas: Object.fromEntries(
        NAMED.map(([name, schema, section]) => [name, describeFields(schema, section)]),
      ),
      responses: {
        InvalidParameters: errorResponse('Invalid parameters'),
        InternalError: errorResponse('Internal server error'),
      },
    },
  };
}

function operationOf(endpoint: Endpoint) {
  const { summary, section } = OPERATIONS[endpoint];
  const rules = [1, 2, 3, 4, 5, 6].flatMap((n) => findClause(`${section} rule ${n}`)?.words ?? []);
  return {
    operationId: endpoint,
    tags: ['swap'],
    summary,
    ...(rules.length > 0 && {
      description: rules.map((words, index) => `${index + 1}. ${words}`).join('\n'),
    }),
    parameters: parametersOf(endpoint),
    responses: {
      200: {
        description: findClause(`${section} response`)?.words ?? summary,
        content: { 'application/json': { schema: toReference(BODY_SCHEMAS[endpoint]) } },
      },
      400: { $ref: '#/components/responses/InvalidParameters' },
      500: { $ref: '#/components/responses/InternalError' },
    },
  };
}

function parametersOf(endpoint: Endpoint): readonly object[] {
  const { properties, required } = QUERY_SCHEMAS[endpoint] as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required?.includes(name) ?? false,
    description: meaningOf(`4.1 ${name}`),
    schema: toReference(schema),
  }));
}

function errorResponse(description: string) {
  return {
    description,
    content: { 'application/json': { schema: toReference(ErrorSchema) } },
  };
}

type ObjectSchema = TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
};

/** Returns a named schema, each field with what the clause of its section says it means. */
function describeFields(schema: TSchema, section: string): object {
  if (!('properties' in schema)) return toPlain(schema);
  const { properties, ...rest } = schema as ObjectSchema;
  return {
    ...toPlain(rest),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const description = meaningOf(`${section} ${name}`);
        return [name, { ...toReference(field), ...(description && { description }) }];
      }),
    ),
  };
}

/** The last cell of the row of a table that a clause quotes: `address | string | yes | Pool address`. */
function meaningOf(clause: string): string | undefined {
  return findClause(clause)?.words.split(' | ').at(-1);
}

/** Returns a reference to a schema that has a name, and any other schema with such references in it. */
function toReference(schema: unknown): object {
  const named = NAMED.find(([, each]) => each === schema)?.[0];
  return named === undefined ? toPlain(schema) : { $ref: `#/components/schemas/${named}` };
}

/** Says what generators of clients look for: that any key is an additional property, and that names are texts. */
function toPlain(schema: unknown): object {
  const { patternProperties, ...plain } = schema as Readonly<Record<string, unknown>>;
  const told = {
    ...(patternProperties !== undefined && { additionalProperties: true }),
    ...('enum' in plain && { type: 'string' }),
  };
  return Object.fromEntries(
    Object.entries({ ...told, ...plain }).map(([key, value]) => [key, plainValue(key, value)]),
  );
}

function plainValue(key: string, value: unknown): unknown {
  if (key === 'items') return toReference(value);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, field]) => [name, toReference(field)]),
  );
}
