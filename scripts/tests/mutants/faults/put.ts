import type { Change } from './mutant.ts';

type JsonObject = Record<string, unknown>;

/**
 * Type of the objects at a path. In a path, `tokens.*` is every token, `routes.0` is the first
 * route, and `routes.-1` is the last route.
 */
type At<Body, Path> = Path extends `${infer Step}.${infer Rest}`
  ? At<In<Body, Step>, Rest>
  : In<Body, Path>;
type In<Body, Step> = Body extends readonly (infer Item)[]
  ? Item
  : Step extends keyof Body
    ? Body[Step]
    : never;

/**
 * Returns a change to objects in a body, given new values for their fields. `undefined` removes a
 * field. `false` leaves an object unchanged.
 * @example put('routes.*.fromTokens.0', ({ amount }) => ({ amount: `+${amount}` }))
 */
export function put<Body, const Path extends string>(
  path: Path,
  values: object | ((object: At<Body, Path>, body: Body, query: URLSearchParams) => object | false),
): Change<Body> {
  return (body, query) => {
    for (const object of objectsAt(body, path.split('.'))) {
      const given =
        typeof values === 'function' ? values(object as At<Body, Path>, body, query) : values;
      Object.assign(object, given);
    }
  };
}

function objectsAt(value: unknown, path: readonly string[]): readonly JsonObject[] {
  const [step, ...rest] = path;
  if (typeof value !== 'object' || value === null) return [];
  if (step === undefined) return [value as JsonObject];
  if (step === '*') return Object.values(value).flatMap((each) => objectsAt(each, rest));
  const index = Array.isArray(value) && step.startsWith('-') ? value.length + Number(step) : step;
  return objectsAt((value as JsonObject)[index], rest);
}
