import type { Exchange } from '../client/exchange.ts';
import type { ChainState } from './chain-state.ts';
import type { ExplainedSettlement, SettlementEvidence } from './evidence.ts';
import type { Obstacle } from './rule.ts';
import type { Session } from './session.ts';
import type { Evidence, EvidenceKind } from './settlement.ts';

/** Executes a service's plans on forked chains. Nothing is forked until evidence is requested. */
export type Executor = {
  /**
   * Executes plans for one kind of evidence, on every chain that allows it. Must not be called
   * concurrently. `kinds` are all kinds that will be requested: each plan is then requested once
   * and settled for all of them. Default: only this kind.
   */
  readonly execute: <Kind extends EvidenceKind>(
    kind: Kind,
    kinds?: readonly EvidenceKind[],
  ) => Promise<Execution<Evidence[Kind]>>;
  /**
   * Settles an item again, and returns the item with the new results; undefined if that is not
   * possible. A failure is reported only if it persists.
   */
  readonly confirm: <Item extends Evidence[EvidenceKind]>(item: Item) => Promise<Item | undefined>;
  /**
   * Settles an item repeatedly, with one changed circumstance each time, such as the block or the
   * user.
   */
  readonly vary: <Item extends Evidence[EvidenceKind]>(
    item: Item,
  ) => Promise<readonly Variation<Item>[]>;
  /** Executes a trade again and returns all its effects; undefined if that is not possible. */
  readonly explain: (item: Evidence[EvidenceKind]) => Promise<Explanation | undefined>;
  /** One sentence for each fault of each node so far. */
  readonly remarks: () => readonly string[];
  /** Closes every fork. */
  readonly close: () => Promise<void>;
};

/** An item that was settled again with one circumstance changed. */
export type Variation<Item> = {
  /** The circumstance as it was, as a phrase: 'block 17'. */
  readonly changed: string;
  readonly item: Item;
};

/** Effects of a settlement. If it could be repeated, also the chain state that it read. */
export type Explanation = {
  readonly explained: ExplainedSettlement;
  readonly state: ChainState | undefined;
};

/**
 * Saves a failed settlement with the chain state that it read. Returns the name of the evidence
 * file, which is next to the report.
 */
export type SaveEvidence = (evidence: SettlementEvidence, state?: ChainState) => string;

/** Opens an executor for a service's plans. */
export type OpenExecutor = (
  service: Pick<Session, 'facts' | 'get' | 'frozen' | 'seed'> & {
    /** Aborts with a `RunStopped`. Plans that were settled by then are still judged. */
    readonly ending?: AbortSignal;
  },
) => Promise<Executor>;

export type Executed<Item> = {
  readonly items: readonly Item[];
  readonly skipped: readonly SkippedPlan[];
  /** Kinds of trade that each rule on these items must judge, each with the obstacle to report. */
  readonly wanted?: ReadonlyMap<string, string>;
};

/** A plan that could not be executed. */
export type SkippedPlan = {
  /** A description of the trade. */
  readonly trade: string;
  /**
   * `not-funded`: the user could not be funded. `not-traded`: our trader cannot trade with the
   * pools. `not-read`: the node did not return the state. `wrong-time`: it failed only because the
   * clocks of the chain and the service differ. `wrong-token`: the plan trades tokens that were
   * not requested.
   */
  readonly kind: 'not-funded' | 'not-traded' | 'not-read' | 'wrong-time' | 'wrong-token';
  readonly reason: string;
  /** The reply with the plan, if the plan itself is wrong. */
  readonly exchange?: Exchange;
};

/** The executed plans, or the reason why there are none. */
export type Execution<Item> = (Executed<Item> & { readonly kind: 'executed' }) | Obstacle;
