import type { ChainState } from './chain-state.ts';
import type { Explained, SettlementEvidence } from './evidence.ts';
import type { Setback } from './rule.ts';
import type { Session } from './session.ts';
import type { Evidence, EvidenceKind, PriceMove, SettledPlan } from './settlement.ts';

/** Executes the plans of a service on forked chains. Nothing is forked before evidence is asked for. */
export type Executor = {
  /** Executes plans in one way, on every chain that it can. One call at a time. */
  readonly execute: <Kind extends EvidenceKind>(kind: Kind) => Promise<Execution<Evidence[Kind]>>;
  /** Makes a trade once more, and tells all that it did; undefined where that cannot be done. */
  readonly explain: (item: SettledPlan | PriceMove) => Promise<Explanation | undefined>;
  /** What the nodes failed to give so far, a sentence for each fault of each node. */
  readonly remarks: () => readonly string[];
  /** Ends every fork. */
  readonly close: () => Promise<void>;
};

/** What a settlement did, and what it read of the chain, where it could be made again. */
export type Explanation = {
  readonly explained: Explained;
  readonly state: ChainState | undefined;
};

/** Keeps a failed settlement with the state that it read, and returns the file that it will stand in, beside the report. */
export type KeepEvidence = (evidence: SettlementEvidence, state?: ChainState) => string;

/** Returns an executor of a service's plans. */
export type OpenExecutor = (
  service: Pick<Session, 'facts' | 'get' | 'frozen' | 'seed'>,
) => Promise<Executor>;

export type Executed<Item> = {
  readonly items: readonly Item[];
  readonly skipped: readonly SkippedPlan[];
  /** Kinds of trade that each rule on these items must judge, with what may have stood in its way. */
  readonly wanted?: ReadonlyMap<string, string>;
};

/** A plan that could not be tried. */
export type SkippedPlan = {
  /** The trade in words. */
  readonly trade: string;
  /** Whether its token could not be given to a user, no calldata could be made, or the node did not give its state. */
  readonly kind: 'not-funded' | 'not-encoded' | 'not-read';
  readonly reason: string;
};

/** Plans that were executed, or why none was. */
export type Execution<Item> = (Executed<Item> & { readonly kind: 'executed' }) | Setback;
