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

/** Returns the load result in a JSON text. */
export const readLoadResult = jsonReader(LoadResultSchema, 'a load result', (value) =>
  Object(value)['kind'] === 'load' ? '. Run the profile again with this version' : '',
);
