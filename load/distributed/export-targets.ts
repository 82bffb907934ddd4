import type { ExportTarget } from './export-target.ts';
import { K6 } from './k6.ts';
import { LOCUST } from './locust.ts';

/** The engines that a load is exported to, by what `--engine` calls them. */
export const EXPORT_TARGETS = {
  locust: LOCUST,
  k6: K6,
} as const satisfies Record<string, ExportTarget>;

/** A name that `--engine` takes. */
export type ExportEngine = keyof typeof EXPORT_TARGETS;
