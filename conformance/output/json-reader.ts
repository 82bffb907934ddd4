import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from '../contract/schema.ts';
import { UsageError } from './usage-error.ts';

/**
 * Returns a reader of JSON texts that match a schema; `source` names the origin of a text in
 * errors, and `hintAt` adds to them.
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
 * Returns the value of a JSON text; `source` names its origin in errors.
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
