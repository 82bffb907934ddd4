import { isObject, memoize, successBody, successObject } from '../checks/reply-body.ts';
import type { Reply } from '../client/exchange.ts';
import type { Place } from './field-rules.ts';

/** Returns the whole body as the one place to judge. */
export function wholeBody(reply: Reply): readonly Place[] {
  const object = successObject(reply);
  return object === undefined ? NOWHERE : [{ pointer: '', object }];
}

/** Returns the objects at properties of the body, such as `sell` and `buy`. */
export function placesAt(...names: readonly string[]): (reply: Reply) => readonly Place[] {
  return (reply) => {
    const body = successObject(reply);
    if (body === undefined) return NOWHERE;
    return names.flatMap((name) => objectAt(body[name], `/${name}`));
  };
}

/** Returns the objects in an array of the body: of the property named, or the body itself. */
export function placesIn(name?: string): (reply: Reply) => readonly Place[] {
  return memoize((reply) =>
    name === undefined
      ? elementsOf(successBody(reply), '')
      : elementsOf(successObject(reply)?.[name], `/${name}`),
  );
}

/** Returns the tokens at both ends of every route. */
export const routeTokens: (reply: Reply) => readonly Place[] = memoize((reply) =>
  elementsOf(successObject(reply)?.['routes'], '/routes').flatMap(({ pointer, object }) => [
    ...elementsOf(object['fromTokens'], `${pointer}/fromTokens`),
    ...elementsOf(object['toTokens'], `${pointer}/toTokens`),
  ]),
);

/** Returns a value as an object at its place, or nowhere. */
export function objectAt(value: unknown, pointer: string): readonly Place[] {
  return isObject(value) ? [{ pointer, object: value }] : NOWHERE;
}

const NOWHERE: readonly Place[] = [];

function elementsOf(value: unknown, pointer: string): readonly Place[] {
  if (!Array.isArray(value)) return NOWHERE;
  return value.flatMap((element, index) => objectAt(element, `${pointer}/${index}`));
}
