import type { StudySettings } from './settings.ts';

/**
 * Default settings of a study. They are in a separate file, because the schema takes long to load.
 */
export const DEFAULT_SETTINGS: Omit<StudySettings, 'chains'> = {
  seed: 1,
  trades: 120,
  sizes: [10, 100, 1_000, 10_000, 100_000, 1_000_000],
  blocks: [0, 1, 2, 5, 10, 25],
  // No protection, so that the received amount is measured even if the market moved far.
  toleranceBps: 10_000,
};
