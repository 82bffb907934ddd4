import type { Exchange } from '../client/exchange.ts';
import type { Session } from '../model/session.ts';
import type { Ask } from './ask.ts';
import type { Mined } from './send.ts';
import type { Address, Settlement, SwapPlan } from './swap-plan.ts';

/** Settles a service's plans on forked chains, for the rules that judge what happened. */
export type Execution = {
  /** Plans that the service returned with calldata, settled as returned. The first call settles; others share it. */
  readonly settlements: (session: Session) => Promise<ExecutionRun<SettledPlan>>;
  /** Plans that were asked for another wallet than the one that sends them, and for no recipient. */
  readonly sentByOthers: (session: Session) => Promise<ExecutionRun<SettledPlan>>;
  /** Plans that are settled after the price has moved against the user. */
  readonly priceMoves: (session: Session) => Promise<ExecutionRun<PriceMove>>;
  /** Plans that the service returned without calldata, encoded here. */
  readonly ownEncodings: (session: Session) => Promise<ExecutionRun<SettledPlan>>;
  /** Ends every fork. */
  readonly close: () => Promise<void>;
};

/** What was executed, or why nothing was. */
export type ExecutionRun<Item> =
  | {
      readonly kind: 'executed';
      readonly items: readonly Item[];
      /** Plans that could not be tried, each with the reason. */
      readonly skipped: readonly string[];
    }
  | { readonly kind: 'not-applicable'; readonly why: string }
  | { readonly kind: 'could-not-run'; readonly why: string };

/** One plan, settled on a fork. */
export type SettledPlan = {
  readonly ask: Ask;
  readonly exchange: Exchange;
  readonly plan: SwapPlan;
  readonly settlement: Settlement;
  /** Whether the market stood still between the quote and the fork. */
  readonly unmoved: boolean;
  /** Whether there is a contract at the router's address. */
  readonly routerHasCode: boolean;
  /** Decimal places that tokens of the plan tell themselves. */
  readonly decimalsOnChain: ReadonlyMap<Address, number>;
  /** Addresses of pools of the plan where no contract is. */
  readonly poolsWithoutCode: readonly Address[];
  /** What it did with all the gas it wanted. */
  readonly effects: Effects;
  /** What it did a minute later. */
  readonly effectsLater: Effects;
  /** What it did as a real transaction within the gas limit; undefined where it was not sent. */
  readonly mined: Mined | undefined;
  /** Whose holdings were measured. */
  readonly holders: Holders;
  /** Other tokens that the user holds and has approved. */
  readonly bystanders: readonly Address[];
};

/** The accounts around a trade. */
export type Holders = {
  readonly user: Address;
  /** Who is to receive: the recipient asked for, or the user. */
  readonly receiver: Address;
  readonly router: Address;
  /** The token proxy, unless it is the router or Permit2. */
  readonly proxy: Address | undefined;
};

/** What a trade did to those around it, in base units. */
export type Effects =
  | {
      readonly kind: 'settled';
      readonly gasUsed: bigint;
      /** What the user has less of what is sold. */
      readonly spent: bigint;
      /** What the receiver has more of what is bought. */
      readonly received: bigint;
      /** How any measured balance changed; `NATIVE_TOKEN` is native; undefined where it cannot be read. */
      readonly change: (token: Address, holder: Address) => bigint | undefined;
    }
  | {
      readonly kind: 'reverted';
      /** What it reverted with, in words, and what is known of the tokens. */
      readonly reason: string;
    };

/** What stands for native where balances are measured. */
export const NATIVE_TOKEN: Address = '0x0000000000000000000000000000000000000000';

/** A plan that was settled after its own pools had been traded against the user. */
export type PriceMove = {
  readonly ask: Ask;
  readonly exchange: Exchange;
  /** Steps of 0.0001 by which the user would be worse off without protection. */
  readonly movedBps: number;
  /** The tolerance of the calldata, in the same steps. */
  readonly toleranceBps: number;
  readonly effects: Effects;
};
