import { type TString, Type } from 'typebox';
import { ROUTER_NAMES } from '../../conformance/contract/names.ts';
import { closed, source } from '../pools/pool-schema.ts';

/** Returns the schema of a router whose addresses are written as `address` says. */
export function routerWith(address: TString) {
  return closed({
    name: Type.Enum(ROUTER_NAMES),
    address,
    tokenProxy: Type.Optional(address),
    sources: Type.Array(source),
  });
}
