import { type Static, Type } from '../../conformance/contract/schema.ts';
import { MeasuredTradeSchema } from './measured-trade.ts';
import { DuelSchema, ServiceMetricsSchema } from './metrics.ts';
import { StudySettingsSchema } from './settings.ts';

const count = Type.Integer({ minimum: 0 });

/** JSON report of a study. */
export const StudyReportSchema = Type.Object({
  kind: Type.Literal('study'),
  version: Type.String(),
  /** A study does not judge: it is complete or incomplete. */
  verdict: Type.Enum(['complete', 'incomplete']),
  reason: Type.String(),
  startedAt: Type.String(),
  durationMs: Type.Number({ minimum: 0 }),
  settings: StudySettingsSchema,
  services: Type.Array(
    Type.Object({
      /** Host of the service, with a number if several services have the same host. */
      name: Type.String(),
      url: Type.String(),
      requests: count,
    }),
  ),
  notes: Type.Array(Type.String()),
  metrics: Type.Array(ServiceMetricsSchema),
  duels: Type.Array(DuelSchema),
  /** Ids of the worst trades, by service. */
  worst: Type.Array(Type.Array(count)),
  trades: Type.Array(MeasuredTradeSchema),
});
export type StudyReport = Static<typeof StudyReportSchema>;
