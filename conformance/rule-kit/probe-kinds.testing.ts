import { PATHS } from '../contract/paths.ts';
import type { Expected } from './probes.testing.ts';
import { answer, at, both, has, not, where } from './sabotage.testing.ts';

/* What is expected of all probes of a kind. */

/** Of probes that vary what is valid. */
export const ACCEPTED: Expected = {
  'does not apply': 'unknown untraded',
  'could not run': 'silent 404 501 500 401',
};

/** What they say of values that are refused. */
export const refused = (...values: readonly string[]): readonly string[] =>
  values.map((value) => `200 for \`${value}\`, as for the same request without it | 400 "NO"`);

/** Of relations between plans. */
export const RELATION: Expected = {
  'does not apply': 'unknown untraded',
  'could not run': 'silent large 404 501 500 401 200',
};

/** Of the probe that an operation needs a key. */
export function keyRequired(operation: keyof typeof PATHS, unrun: string): Expected {
  const isMeant = at(PATHS[operation]);
  const said = ['any status but 200 without a key | 200'];
  return {
    'could not run': unrun,
    fails: '200',
    cases: [
      [where(both(isMeant, not(has('apiKey'))), answer(200, {})), ...said],
      [where(both(isMeant, has('apiKey', '')), answer(200, {})), ...said],
      [where(not(isMeant), answer(200, {}))],
    ],
    asks: [`${operation} -apiKey`, `${operation} apiKey=`],
  };
}
