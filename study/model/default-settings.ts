import type { StudySettings } from './settings.ts';

/** What a study measures unless told otherwise; apart from the schema, which takes long to load. */
export const DEFAULT_SETTINGS: Omit<StudySettings, 'chains'> = {
  seed: 1,
  trades: 120,
  sizes: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
  blocks: [0, 1, 2, 5, 10, 25],
  // It protects nothing, so that what is received is seen however far the market went.
  toleranceBps: 10_000,
};
