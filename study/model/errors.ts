import { type Static, Type } from '../../conformance/contract/schema.ts';

/** Causes of a rejection; a client reacts differently to each. */
export const ERROR_CAUSES = [
  'no liquidity',
  'unknown token',
  'unknown chain',
  'own mistake',
] as const;

const cause = Type.Enum([...ERROR_CAUSES]);

/** A request that must be rejected for a known cause, and the reply. */
const ErrorProbeSchema = Type.Object({
  chainId: Type.Integer({ minimum: 0 }),
  cause,
  situation: Type.String(),
  /** Absent without a reply. */
  status: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The field `error`, or empty. */
  error: Type.String(),
  message: Type.String(),
});
export type ErrorProbe = Static<typeof ErrorProbeSchema>;

/** How a client can reliably distinguish two causes: `nothing` if some replies are alike. */
const ToldApartSchema = Type.Object({
  one: cause,
  other: cause,
  by: Type.Enum(['status', 'error', 'message', 'nothing']),
});

/** Error replies of one service. */
export const ServiceErrorsSchema = Type.Object({
  name: Type.String(),
  probes: Type.Array(ErrorProbeSchema),
  told: Type.Array(ToldApartSchema),
});
export type ServiceErrors = Static<typeof ServiceErrorsSchema>;
