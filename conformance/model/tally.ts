import type { Exchange } from '../client/exchange.ts';
import { shorten } from '../contract/cut-text.ts';
import type { Check, Fault, Observation, Obstacle, Rule } from './rule.ts';

/** An observation, and how often it was made. */
export type Observed = Observation & { readonly times: number };

/** Receives each fault. `exchange` is unset if the fault is in the exchange that is judged. */
export type FaultListener = (fault: Fault, exchange: Exchange | undefined) => void;

const MAX_OBSERVATIONS = 200;
const MAX_OBSERVATION_CHARACTERS = 1_000;

/** Results of one rule so far. */
export class Tally implements Check {
  readonly rule: Rule;
  /** Number of assertions. */
  checks = 0;
  durationMs = 0;
  /** Observations by their keys. */
  readonly observed = new Map<string, Observed>();
  readonly #onFault: FaultListener;
  #block: Obstacle | undefined;
  #excuse: Obstacle | undefined;

  constructor(rule: Rule, onFault: FaultListener) {
    this.rule = rule;
    this.#onFault = onFault;
  }

  check(faults?: Fault | readonly Fault[], exchange?: Exchange): void {
    if (this.#block !== undefined) return;
    this.checks++;
    if (faults === undefined) return;
    if (!isList(faults)) this.#onFault(faults, exchange);
    else for (const fault of faults) this.#onFault(fault, exchange);
  }

  observe(text: string, key = text): void {
    if (this.#block !== undefined) return;
    const known = this.observed.get(key);
    if (known === undefined && this.observed.size >= MAX_OBSERVATIONS) return;
    this.observed.set(key, {
      text: shorten(text, MAX_OBSERVATION_CHARACTERS),
      ...(key !== text && { key }),
      times: (known?.times ?? 0) + 1,
    });
  }

  skip(why: string): void {
    this.#excuse ??= { kind: 'not-applicable', why };
  }

  stuck(why: string): void {
    if (this.#excuse?.kind !== 'could-not-run') this.excuse({ kind: 'could-not-run', why });
  }

  /** Records why the rule asserts nothing, and replaces an earlier reason. */
  excuse(obstacle: Obstacle): void {
    this.#excuse = obstacle;
  }

  /** Adds a detail to the reason why the rule could not judge, if it has given one. */
  explainStuck(detail: string): void {
    const { kind, why } = this.#excuse ?? {};
    if (kind === 'could-not-run') this.excuse({ kind, why: `${why}; ${detail}` });
  }

  /** Records why the rule could not judge everything. It then asserts nothing more. */
  block(obstacle: Obstacle): void {
    this.#block = obstacle;
  }

  /**
   * Reason why the rule did not pass, unless it found a fault. An `observe` rule without anything
   * to observe does not apply, which is not an error.
   */
  get obstacle(): Obstacle | undefined {
    if (this.#block !== undefined) return this.#block;
    if (this.checks > 0 || this.#excuse === undefined) return undefined;
    return this.rule.level === 'observe'
      ? { ...this.#excuse, kind: 'not-applicable' }
      : this.#excuse;
  }

  /** Clears assertions and observations, but not the reasons why the rule did not judge. */
  forget(): void {
    this.checks = 0;
    this.observed.clear();
  }
}

/** The result of a rule outside of a run. */
export type Reported = {
  readonly tally: Tally;
  readonly faults: readonly (Fault & { readonly exchange?: Exchange })[];
};

/** Opens a tally that collects the faults of one rule. */
export function openTally(rule: Rule): Reported {
  const faults: (Fault & { readonly exchange?: Exchange })[] = [];
  const tally = new Tally(rule, (fault, exchange) =>
    faults.push(exchange === undefined ? fault : { ...fault, exchange }),
  );
  return { tally, faults };
}

function isList(faults: Fault | readonly Fault[]): faults is readonly Fault[] {
  return Array.isArray(faults);
}
