import { ROUTER_NAMES } from './names.ts';
import { type Static, Type } from './schema.ts';

/*
 * Every resource of section 2 as a JSON Schema (draft 2020-12), from which its TypeScript type is
 * derived. No schema forbids additional properties, since services add fields.
 */

/** An amount in base units, as text on the wire. */
export const AmountSchema = Type.String({ pattern: '^[0-9]+$' });

/** @see Specification 2.2 */
export const TradeTokenSchema = Type.Object({
  referenceId: Type.Integer(),
  amount: AmountSchema,
  wrapFromNative: Type.Optional(Type.Boolean()),
  unwrapToNative: Type.Optional(Type.Boolean()),
});
export type TradeToken = Static<typeof TradeTokenSchema>;

/** @see Specification 2.3 */
export const TokenSchema = Type.Object({
  referenceId: Type.Integer(),
  address: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer({ minimum: 0, maximum: 18 }),
  usdPrice: Type.Number(),
});
export type Token = Static<typeof TokenSchema>;

/** @see Specification 2.5 */
export const RouteTokenSchema = Type.Object({
  referenceId: Type.Integer(),
  amount: AmountSchema,
});
export type RouteToken = Static<typeof RouteTokenSchema>;

/** @see Specification 2.4 */
export const RouteSchema = Type.Object({
  address: Type.String(),
  name: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  fromTokens: Type.Array(RouteTokenSchema),
  toTokens: Type.Array(RouteTokenSchema),
});
export type Route = Static<typeof RouteSchema>;

/** @see Specification 2.1 */
export const SwapResponseSchema = Type.Object({
  aggregator: Type.String(),
  router: Type.String(),
  sell: TradeTokenSchema,
  buy: TradeTokenSchema,
  nativeTokenUsdPrice: Type.Number(),
  tokens: Type.Array(TokenSchema),
  routes: Type.Array(RouteSchema),
  routerAddress: Type.Optional(Type.String()),
  calldata: Type.Optional(Type.String()),
  gasLimit: Type.Optional(Type.String()),
});
export type SwapResponse = Static<typeof SwapResponseSchema>;

/** @see Specification 2.6 */
export const TokenInfoSchema = Type.Object({
  address: Type.String(),
  name: Type.String(),
  symbol: Type.String(),
  decimals: Type.Integer({ minimum: 0, maximum: 18 }),
  metadata: Type.Object({ logoURI: Type.String() }),
});
export type TokenInfo = Static<typeof TokenInfoSchema>;

/** @see Specification 4.2 */
export const TokensSchema = Type.Array(TokenInfoSchema);

/** @see Specification 2.7 */
export const ChainSchema = Type.Object({
  chainId: Type.Integer(),
  name: Type.String(),
});
export type Chain = Static<typeof ChainSchema>;

/** @see Specification 4.3 */
export const ChainsSchema = Type.Array(ChainSchema);

export type RouterName = (typeof ROUTER_NAMES)[number];

/** @see Specification 2.9 */
export const RouterInfoSchema = Type.Object({
  name: Type.Enum(ROUTER_NAMES),
  liquiditySources: Type.Array(Type.String()),
  deployedAddress: Type.String(),
  tokenProxyAddress: Type.Optional(Type.String()),
  hasEncoder: Type.Boolean(),
});
export type RouterInfo = Static<typeof RouterInfoSchema>;

/** @see Specification 2.8 */
export const ChainInfoSchema = Type.Object({
  chainId: Type.Integer(),
  name: Type.String(),
  usdTokenAddress: Type.String(),
  wrappedNativeTokenAddress: Type.String(),
  routers: Type.Array(RouterInfoSchema),
});
export type ChainInfo = Static<typeof ChainInfoSchema>;

/** @see Specification 2.10 */
export const ErrorSchema = Type.Object({
  error: Type.String(),
  message: Type.String(),
  details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type ErrorBody = Static<typeof ErrorSchema>;

/** The resources by name, each with its section. */
export const RESOURCES = [
  ['SwapResponse', SwapResponseSchema, '2.1'],
  ['TradeToken', TradeTokenSchema, '2.2'],
  ['Token', TokenSchema, '2.3'],
  ['Route', RouteSchema, '2.4'],
  ['RouteToken', RouteTokenSchema, '2.5'],
  ['TokenInfo', TokenInfoSchema, '2.6'],
  ['Chain', ChainSchema, '2.7'],
  ['ChainInfo', ChainInfoSchema, '2.8'],
  ['RouterInfo', RouterInfoSchema, '2.9'],
  ['Error', ErrorSchema, '2.10'],
] as const;

/** The names of all fields in section 2. */
export const FIELD_NAMES: ReadonlySet<string> = new Set(
  [...RESOURCES.map(([, schema]) => schema), TokenInfoSchema.properties.metadata].flatMap(
    ({ properties }) => Object.keys(properties),
  ),
);
