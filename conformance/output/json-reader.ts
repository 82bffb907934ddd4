import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from '../contract/schema.ts';
import { UsageError } from './usage-error.ts';

/**
 * Returns a function that reads JSON text and checks it against a schema. Errors name the `source`
 * of the text and end with the hint from `hintAt`.
 *
 * @param what - The kind of text, with its article: `a conformance report`.
 */
export function jsonReader<Schema extends TSchema>(
  schema: Schema,
  what: string,
  hintAt: (value: unknown) => string = () => '',
): (text: string, source: string) => Static<Schema> {
  const validate = new Ajv2020().compile<Static<Schema>>(schema);
  return (text, source) => {
    const value = parseJson(text, source);
    if (validate(value)) return value;
    const [error] = validate.errors ?? [];
    const where = error?.instancePath || 'it';
    throw new UsageError(`${source} is not ${what}: ${where} ${error?.message}${hintAt(value)}`);
  };
}

/**
 * Returns the value of JSON text. Errors name the `source` of the text.
 *
 * @throws {UsageError} for any other text.
 */
export function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${source} is not JSON`, { cause });
  }
}
