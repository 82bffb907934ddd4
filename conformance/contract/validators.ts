import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { shorten } from './cut-text.ts';
import {
  ChainInfoSchema,
  ChainsSchema,
  ErrorSchema,
  SwapResponseSchema,
  TokensSchema,
} from './resources.ts';
import type { Static } from './schema.ts';

/** JSON Schemas (draft 2020-12) of the response bodies, by name. */
export const BODY_SCHEMAS = {
  swap: SwapResponseSchema,
  tokens: TokensSchema,
  chains: ChainsSchema,
  chainInfo: ChainInfoSchema,
  error: ErrorSchema,
} as const;

/** Types of the response bodies, by name. */
export type Bodies = {
  readonly [Name in keyof typeof BODY_SCHEMAS]: Static<(typeof BODY_SCHEMAS)[Name]>;
};

/** One place where a body violates its schema. */
export type SchemaFault = {
  /** JSON pointer into the body. */
  readonly pointer: string;
  readonly expected: string;
  /** The value found, as JSON, cut at 80 characters. */
  readonly actual: string;
};

// Skips the draft's own schema, which is slow to compile. A test already validates our schemas
// against it.
const ajv = new Ajv2020({ strict: true, allErrors: true, verbose: true, validateSchema: false });
const validators: Partial<Record<keyof Bodies, ValidateFunction>> = {};

function cachedValidator(name: keyof Bodies): ValidateFunction {
  validators[name] ??= ajv.compile(BODY_SCHEMAS[name]);
  return validators[name];
}

/** Returns whether a value has every field of a body, each with the right type. */
export function isBody<Name extends keyof Bodies>(
  name: Name,
  value: unknown,
): value is Bodies[Name] {
  return cachedValidator(name)(value);
}

/**
 * Returns at most 20 violations of a body's schema.
 *
 * @example
 * findSchemaFaults('chains', [{ chainId: '1', name: 'Ethereum' }])
 * // [{ pointer: '/0/chainId', expected: 'must be integer', actual: '"1"' }]
 */
export function findSchemaFaults(name: keyof Bodies, value: unknown): readonly SchemaFault[] {
  const validate = cachedValidator(name);
  if (validate(value)) return [];
  return (validate.errors ?? []).slice(0, 20).map(describeError);
}

function describeError(error: ErrorObject): SchemaFault {
  const { instancePath: pointer, keyword, message = 'is not valid' } = error;
  if (keyword === 'required') {
    return {
      pointer,
      expected: message,
      actual: `\`${error.params['missingProperty']}\` is missing`,
    };
  }
  const values = keyword === 'enum' ? `: ${JSON.stringify(error.params['allowedValues'])}` : '';
  return { pointer, expected: `${message}${values}`, actual: excerptOf(error.data) };
}

function excerptOf(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing', 80);
}
