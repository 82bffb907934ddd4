import { messageOf } from '../contract/message-of.ts';

/** The state of one requirement of a run. */
export type Diagnosis = {
  readonly what: string;
  /**
   * `missing`: a run cannot start. `doubtful`: a run may test less than it could, or reach wrong
   * verdicts.
   */
  readonly state: 'found' | 'doubtful' | 'missing';
  readonly words: string;
  /** How to meet the requirement; unset if there is nothing to do. */
  readonly fix?: string;
};

/** Maximum time for a reply of a program or service. */
export const MAX_REPLY_MS = 15_000;
/** Clocks must agree: deadlines in calldata and the ages of markets depend on them. */
export const MAX_SKEW_MS = 30_000;

/** Returns what a check found: the requirement is met, or `otherwise`. */
export function diagnosis(
  isFound: boolean,
  what: string,
  words: string,
  fix: string,
  otherwise: Diagnosis['state'] = 'missing',
): Diagnosis {
  return isFound ? { what, state: 'found', words } : { what, state: otherwise, words, fix };
}

/**
 * Runs a check and returns its text. If the check throws, returns the error message and the fix.
 */
export async function checkThat(
  what: string,
  fix: string,
  check: () => Promise<string>,
  otherwise?: Diagnosis['state'],
): Promise<Diagnosis> {
  try {
    return diagnosis(true, what, await check(), fix);
  } catch (cause) {
    return diagnosis(false, what, messageOf(cause), fix, otherwise);
  }
}
