import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from '../contract/schema.ts';
import { UsageError } from './usage-error.ts';

/**
 * Returns a reader of JSON texts that match a schema; `source` names the origin of a text in
 * errors, and `hintAt` adds to them. `upgrade` returns a field of an earlier version as this
 * version writes it.
 *
 * @param what - The kind of text, with its article: `a conformance report`.
 */
export function jsonReader<Schema extends TSchema>(
  schema: Schema,
  what: string,
  hintAt: (value: unknown) => string = () => '',
  upgrade: Upgrade = (name, value) => [name, value],
): (text: string, source: string) => Static<Schema> {
  const validate = new Ajv2020().compile<Static<Schema>>(schema);
  return (text, source) => {
    const value = mapFields(parseJson(text, source), upgrade);
    if (validate(value)) return value;
    const [error] = validate.errors ?? [];
    const where = error?.instancePath || 'it';
    throw new UsageError(`${source} is not ${what}: ${where} ${error?.message}${hintAt(value)}`);
  };
}

type Upgrade = (name: string, value: unknown) => readonly [name: string, value: unknown];

/** Returns a JSON value with each field of its objects replaced, the inner ones first. */
function mapFields(value: unknown, upgrade: Upgrade): unknown {
  if (Array.isArray(value)) return value.map((item) => mapFields(item, upgrade));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => upgrade(name, mapFields(item, upgrade))),
  );
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
