import { type Static, Type } from '../../conformance/contract/schema.ts';
import { ServiceErrorsSchema } from './errors.ts';
import { MeasuredTradeSchema } from './measured-trade.ts';
import { DuelSchema, ServiceMetricsSchema } from './metrics.ts';
import { StudySettingsSchema } from './settings.ts';

const count = Type.Integer({ minimum: 0 });

/** The JSON report of a study, and what `--resume` reads. */
export const StudyReportSchema = Type.Object({
  kind: Type.Literal('study'),
  version: Type.String(),
  /** A study judges nobody: it is complete, or it is not. */
  verdict: Type.Enum(['complete', 'incomplete']),
  reason: Type.String(),
  startedAt: Type.String(),
  durationMs: Type.Number({ minimum: 0 }),
  settings: StudySettingsSchema,
  services: Type.Array(
    Type.Object({
      /** Its host, and a number where there are several of one host. */
      name: Type.String(),
      url: Type.String(),
      requests: count,
    }),
  ),
  notes: Type.Array(Type.String()),
  figures: Type.Array(ServiceMetricsSchema),
  duels: Type.Array(DuelSchema),
  /** What the errors of each service tell a client. */
  errors: Type.Array(ServiceErrorsSchema),
  /** Ids of the trades that came out worst, by service. */
  worst: Type.Array(Type.Array(count)),
  trades: Type.Array(MeasuredTradeSchema),
});
export type StudyReport = Static<typeof StudyReportSchema>;
