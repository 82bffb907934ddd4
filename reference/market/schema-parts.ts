import { type TObjectOptions, type TProperties, type TString, Type } from 'typebox';
import { ROUTER_NAMES } from '../../conformance/contract/resources.ts';

/** Returns the schema of an object that has these properties and no others. */
export function closed<Properties extends TProperties>(
  properties: Properties,
  options: TObjectOptions = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const source = Type.String({
  minLength: 1,
  description: 'Name of the liquidity source, as it stands in routes[].name.',
});

/** Returns the schema of a router whose addresses are written as `address` says. */
export function routerWith(address: TString) {
  return closed({
    name: Type.Enum(ROUTER_NAMES),
    address,
    tokenProxy: Type.Optional(address),
    sources: Type.Array(source),
  });
}
