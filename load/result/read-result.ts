import { jsonReader } from '../../conformance/output/json-reader.ts';
import { LoadResultSchema } from '../model/load-result.ts';

/** Returns whether a text is the JSON of a load run, well formed or not. */
export function isLoadResult(text: string): boolean {
  try {
    return Object(JSON.parse(text))['kind'] === 'load';
  } catch {
    return false;
  }
}

/** Returns the load result that a JSON text holds. */
export const readLoadResult = jsonReader(LoadResultSchema, 'a load result');
