import { type Static, Type } from '../../conformance/contract/schema.ts';

/** What a refusal may be about; a client does something else in each. */
export const ERROR_CAUSES = [
  'no liquidity',
  'unknown token',
  'unknown chain',
  'own mistake',
] as const;

const cause = Type.Enum([...ERROR_CAUSES]);

/** A request that must be refused for a known cause, and the answer. */
const ErrorProbeSchema = Type.Object({
  chainId: Type.Integer({ minimum: 0 }),
  cause,
  situation: Type.String(),
  /** Absent without a reply. */
  status: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The field `error`, or nothing where there is none. */
  error: Type.String(),
  message: Type.String(),
});
export type ErrorProbe = Static<typeof ErrorProbeSchema>;

/** By what a client can tell two causes apart, for sure: `nothing` where some answers are alike. */
const ToldApartSchema = Type.Object({
  one: cause,
  other: cause,
  by: Type.Enum(['status', 'error', 'message', 'nothing']),
});

/** What the errors of one service tell. */
export const ServiceErrorsSchema = Type.Object({
  name: Type.String(),
  probes: Type.Array(ErrorProbeSchema),
  told: Type.Array(ToldApartSchema),
});
export type ServiceErrors = Static<typeof ServiceErrorsSchema>;
