import type { ErrorObject } from 'ajv/dist/2020.js';

/** Thrown for a market or pools file that does not fit its schema or contradicts itself. */
export class MarketFileError extends Error {
  override readonly name = 'MarketFileError';
  /** JSON pointer to the invalid value; empty for the whole file. */
  readonly pointer: string;

  /** @param file - Kind of file, for the message. */
  constructor(pointer: string, value: unknown, must: string, file = 'market file') {
    const text = typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? 'nothing');
    const cut = text.length > 100 ? `${text.slice(0, 100)}...` : text;
    super(`${file} at '${pointer}': ${must}, got ${cut}`);
    this.pointer = pointer;
  }
}

/**
 * Returns the first error of a schema check, as a {@link MarketFileError}. Requires ajv's
 * `verbose`.
 */
export function schemaError(error: ErrorObject | undefined, file?: string): MarketFileError {
  const { instancePath = '', message = 'must be a market file', params = {} } = error ?? {};
  const { additionalProperty, allowedValues, allowedValue } = params;
  const named = additionalProperty ?? allowedValues ?? allowedValue;
  const must = named === undefined ? message : `${message}: ${JSON.stringify(named)}`;
  return new MarketFileError(instancePath, error?.data, must, file);
}
