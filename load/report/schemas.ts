import { LoadComparisonSchema } from '../compare/comparison.ts';
import { LoadResultSchema } from '../model/load-result.ts';
import { ProfileSchema } from '../model/profile.ts';

/** Returns the JSON Schema (2020-12) of a load profile, as published in `docs/load-profile.schema.json`. */
export function loadProfileSchema(): object {
  return publish('load-profile', 'A load profile of swapcheck', ProfileSchema);
}

/** Returns the JSON Schema (2020-12) of a load result, as published in `docs/load-result.schema.json`. */
export function loadResultSchema(): object {
  return publish('load-result', 'A load result of swapcheck', LoadResultSchema);
}

/** Returns the JSON Schema (2020-12) of a comparison of load, as published in `docs/comparison.schema.json`. */
export function comparisonSchema(): object {
  return publish('comparison', 'A comparison of load of swapcheck', LoadComparisonSchema);
}

function publish(name: string, title: string, schema: object): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:swapcheck:${name}`,
    title,
    ...JSON.parse(JSON.stringify(schema)),
  };
}
