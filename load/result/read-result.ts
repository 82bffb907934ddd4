import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { UsageError } from '../../conformance/output/usage-error.ts';
import { type LoadResult, LoadResultSchema } from '../model/load-result.ts';

/**
 * Returns what a file holds.
 *
 * @throws {UsageError} for one that cannot be read
 */
export function readResultText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(
      `${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`,
    );
  }
}

const validate = new Ajv2020().compile<LoadResult>(LoadResultSchema);

/** Returns whether a text is the JSON of a load run, well formed or not. */
export function isLoadResult(text: string): boolean {
  const value = parse(text);
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'load';
}

/**
 * Returns the load result that a JSON text holds; `source` names it in errors.
 *
 * @throws {NotALoadResultError} naming the place that is wrong
 */
export function readLoadResult(text: string, source: string): LoadResult {
  const value = parse(text);
  if (validate(value)) return value;
  const [error] = validate.errors ?? [];
  const where = error?.instancePath || 'it';
  throw new NotALoadResultError(`${source} is not a load result: ${where} ${error?.message}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

class NotALoadResultError extends UsageError {}
