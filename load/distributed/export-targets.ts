import type { ExportTarget } from './export-target.ts';
import { K6 } from './k6.ts';
import { LOCUST } from './locust.ts';

/** Engines to which a load is exported, by their name in `--engine`. */
export const EXPORT_TARGETS = {
  locust: LOCUST,
  k6: K6,
} as const satisfies Record<string, ExportTarget>;

/** A value of `--engine`. */
export type ExportEngine = keyof typeof EXPORT_TARGETS;
