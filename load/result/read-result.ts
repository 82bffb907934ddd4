import { jsonReader } from '../../conformance/output/json-reader.ts';
import { LoadResultSchema } from '../model/load-result.ts';

/** Returns whether a text is the JSON of a load run, even if it is malformed. */
export function isLoadResult(text: string): boolean {
  try {
    return Object(JSON.parse(text))['kind'] === 'load';
  } catch {
    return false;
  }
}

/** Old and new names of fields that 0.1.0 renamed. */
const RENAMED = new Map([
  ['leftOut', 'omitted'],
  ['asked', 'requested'],
  ['answered', 'succeeded'],
  ['rateAsked', 'rateRequested'],
]);

/** Returns the load result in a JSON text. */
export const readLoadResult = jsonReader(
  LoadResultSchema,
  'a load result',
  undefined,
  (name, value) => [RENAMED.get(name) ?? name, value],
);
