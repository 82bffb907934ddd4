import { type TString, Type } from '../../conformance/contract/schema.ts';
import { closed, source } from '../planner/pools/pool-schema.ts';
import { ROUTER_NAMES } from './router-names.ts';

/** Returns the schema of a router; `address` is the schema of an address. */
export function routerWith(address: TString) {
  return closed({
    name: Type.Enum(ROUTER_NAMES),
    address,
    tokenProxy: Type.Optional(address),
    sources: Type.Array(source),
  });
}

/**
 * Returns the schema of a list of tokens that are not traded; `address` is the schema of an
 * address.
 */
export function feeOnTransfer(address: TString) {
  return Type.Optional(
    Type.Array(address, {
      description: 'Tokens with a fee on transfer, which no plan uses.',
    }),
  );
}
