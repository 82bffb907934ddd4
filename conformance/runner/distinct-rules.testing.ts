import { PARAMETERS } from '../generate/parameters.ts';
import { CATALOG } from '../rules/catalog.ts';

/**
 * About twenty rules each break one parameter and judge in the same way. Two parameters therefore
 * represent all of them.
 */
const ALIKE = PARAMETERS.slice(2).flatMap(({ slug }) => [
  slug,
  `${slug}-strict`,
  `${slug}-lenience`,
]);

/** The rules of the catalog, without the rules that judge further parameters in the same way. */
export const DISTINCT_RULES = CATALOG.filter(({ id }) => !ALIKE.includes(id));
