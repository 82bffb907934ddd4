import { CLAUSES, findClause } from '../../conformance/contract/clauses.ts';
import { ENDPOINTS, type Endpoint, PATHS } from '../../conformance/contract/paths.ts';
import { AmountSchema, ErrorSchema, RESOURCES } from '../../conformance/contract/resources.ts';
import type { TSchema } from '../../conformance/contract/schema.ts';
import { BODY_SCHEMAS } from '../../conformance/contract/validators.ts';

/** Schemas that have a name in the document. Clauses of the given section describe their fields. */
const NAMED: readonly (readonly [name: string, schema: TSchema, section: string])[] = [
  ...RESOURCES,
  ['Amount', AmountSchema, '8'],
];

const OPERATIONS: Readonly<
  Record<Endpoint, { readonly id: string; readonly summary: string; readonly section: string }>
> = {
  swap: { id: 'getSwap', summary: 'Returns a routing plan', section: '4.1' },
  tokens: {
    id: 'getTokens',
    summary: 'Returns a curated list of example tokens for a chain',
    section: '4.2',
  },
  chains: { id: 'getChains', summary: 'Returns the supported chains', section: '4.3' },
  chainInfo: {
    id: 'getChainInfo',
    summary:
      'Returns details of one chain: supported routers, liquidity sources, key token addresses',
    section: '4.4',
  },
};

const TITLE = 'Swap aggregation service';
const ABOUT =
  'A read-only interface that returns graph-based swap routing plans, optionally with ready-to-submit transaction calldata, and three lookups. Amounts are decimal strings in base units of the token.';

/**
 * Returns the OpenAPI 3.1 document of the interface. It contains the schemas with which the judge
 * validates bodies, and the parameters from the specification's tables. Client generators name
 * types after operation ids, so these ids differ from schema names. They choose number types by
 * format, so every number has a format. No schema forbids additional properties, because services
 * may add fields. The key is an ordinary parameter: "No other credential, header or signature is
 * described."
 */
export function openApiDocument() {
  return {
    openapi: '3.1.1',
    info: {
      title: TITLE,
      version: '1.0.0',
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'swapcheck' },
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
  const { id, summary, section } = OPERATIONS[endpoint];
  const rules = [1, 2, 3, 4, 5, 6].flatMap((n) => findClause(`${section} rule ${n}`)?.words ?? []);
  return {
    operationId: id,
    tags: ['swap'],
    summary,
    description:
      rules.length > 0
        ? rules.map((words, index) => `${index + 1}. ${words}`).join('\n')
        : `${summary}.`,
    parameters: parametersOf(endpoint),
    responses: {
      200: {
        description: findClause(`${section} response`)?.words ?? summary,
        content: {
          'application/json': {
            schema: toReference(BODY_SCHEMAS[endpoint]),
            example: BODY_EXAMPLES[endpoint],
          },
        },
      },
      400: { $ref: '#/components/responses/InvalidParameters' },
      500: { $ref: '#/components/responses/InternalError' },
    },
  };
}

function parametersOf(endpoint: Endpoint): readonly object[] {
  const { section } = OPERATIONS[endpoint];
  const rows = CLAUSES.flatMap(({ id, quoted }) =>
    typeof quoted !== 'string' && id === `${section} ${quoted[0]}` ? [quoted] : [],
  );
  return rows.map(([name = '', type = '', required, ...rest]) => ({
    name,
    in: 'query',
    required: required === 'yes',
    description: meaningOf(`4.1 ${name}`),
    schema: parameterSchema(name, type, rest.length > 1 ? rest[0] : undefined),
    // A request may not contain both amounts, so only one of them has an example.
    ...(name !== 'buyAmount' && { example: PARAMETER_EXAMPLES[name] }),
  }));
}

const CONSTRAINTS: Readonly<Record<string, object>> = {
  chainId: { minimum: 1 },
  sellAmount: { pattern: '^[1-9][0-9]*$' },
  buyAmount: { pattern: '^[1-9][0-9]*$' },
  slippageTolerance: { minimum: 0, maximum: 1, multipleOf: 0.0001 },
};

/** Returns the schema of a parameter, derived from the cells of its table row. */
function parameterSchema(name: string, type: string, byDefault: string | undefined): object {
  const [kind = ''] = type.split(',', 1);
  const names = Array.from(type.matchAll(/`(.+?)`/g), ([, each]) => each);
  const isBoolean = kind === 'boolean';
  // Chains that are not EVM-like have other address formats, so an address may be any text.
  const nonEmpty = kind === 'string' && names.length === 0 && { minLength: 1 };
  return {
    ...(kind === 'integer' && { format: 'int64' }),
    ...(kind === 'number' && { format: 'double' }),
    type: kind,
    ...(names.length > 0 && { enum: names }),
    ...(byDefault !== undefined && {
      default: isBoolean ? byDefault === 'true' : byDefault.replaceAll('`', ''),
    }),
    ...(CONSTRAINTS[name] ?? nonEmpty),
  };
}

function errorResponse(description: string) {
  return {
    description,
    content: {
      'application/json': { schema: toReference(ErrorSchema), example: ERROR_EXAMPLE },
    },
  };
}

type ObjectSchema = TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
};

function describeFields(schema: TSchema, section: string): object {
  if (!('properties' in schema)) return toPlain(schema);
  const { properties, ...rest } = schema as ObjectSchema;
  return {
    ...toPlain(rest),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const description = meaningOf(`${section} ${name}`);
        const bound = name === 'chainId' ? { minimum: 1 } : {};
        return [name, { ...toReference(field), ...bound, ...(description && { description }) }];
      }),
    ),
  };
}

function meaningOf(clause: string): string | undefined {
  return [findClause(clause)?.quoted].flat().at(-1);
}

/** Replaces a named schema by a reference. */
function toReference(schema: unknown): object {
  const named = NAMED.find(([, each]) => each === schema)?.[0];
  return named === undefined ? toPlain(schema) : { $ref: `#/components/schemas/${named}` };
}

/**
 * Adds keywords that client generators need: open objects, the type of names, and number formats.
 */
function toPlain(schema: unknown): object {
  const { patternProperties, ...plain } = schema as Readonly<Record<string, unknown>>;
  const added = {
    ...(patternProperties !== undefined && { additionalProperties: true }),
    ...('enum' in plain && { type: 'string' }),
    ...(plain['type'] === 'integer' && { format: 'maximum' in plain ? 'int32' : 'int64' }),
    ...(plain['type'] === 'number' && { format: 'double' }),
  };
  return Object.fromEntries(
    Object.entries({ ...added, ...plain }).map(([key, value]) => [key, plainValue(key, value)]),
  );
}

function plainValue(key: string, value: unknown): unknown {
  if (key === 'items') return toReference(value);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, field]) => [name, toReference(field)]),
  );
}

const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const USER = '0x1111111111111111111111111111111111111111';
const ROUTER = '0x2222222222222222222222222222222222222222';

const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  chainId: 1,
  sellToken: WETH,
  buyToken: USDC,
  sellAmount: '1000000000000000000',
  useRfq: false,
  router: 'default-router',
  includeCalldata: true,
  userAddress: USER,
  recipientAddress: USER,
  slippageTolerance: 0.005,
  apiKey: 'YOUR_API_KEY',
};

const ERROR_EXAMPLE = {
  error: 'MISSING_PARAMETER',
  message: "Parameter 'chainId' is missing.",
  details: { parameter: 'chainId' },
};

const BODY_EXAMPLES: Readonly<Record<Endpoint, unknown>> = {
  swap: {
    aggregator: 'example',
    router: 'default-router',
    sell: { referenceId: 0, amount: '1000000000000000000' },
    buy: { referenceId: 1, amount: '3000000000' },
    nativeTokenUsdPrice: 3001.5,
    tokens: [
      {
        referenceId: 0,
        address: WETH,
        name: 'Wrapped Ether',
        symbol: 'WETH',
        decimals: 18,
        usdPrice: 3001.5,
      },
      {
        referenceId: 1,
        address: USDC,
        name: 'USD Coin',
        symbol: 'USDC',
        decimals: 6,
        usdPrice: 1,
      },
    ],
    routes: [
      {
        address: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640',
        name: 'UniswapV3',
        details: { fee: 500 },
        fromTokens: [{ referenceId: 0, amount: '1000000000000000000' }],
        toTokens: [{ referenceId: 1, amount: '3000000000' }],
      },
    ],
    routerAddress: ROUTER,
    calldata: '0x12345678',
    gasLimit: '210000',
  },
  tokens: [
    {
      address: USDC,
      name: 'USD Coin',
      symbol: 'USDC',
      decimals: 6,
      metadata: { logoURI: 'https://example.com/usdc.svg' },
    },
  ],
  chains: [{ chainId: 1, name: 'Ethereum' }],
  chainInfo: {
    chainId: 1,
    name: 'Ethereum',
    usdTokenAddress: USDC,
    wrappedNativeTokenAddress: WETH,
    routers: [
      {
        name: 'default-router',
        liquiditySources: ['UniswapV2', 'UniswapV3'],
        deployedAddress: ROUTER,
        hasEncoder: true,
      },
    ],
  },
};
