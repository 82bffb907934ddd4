import type { ChecksumTest } from '../checks/checksum.ts';
import { type Balance, balancePlan } from '../checks/conservation.ts';
import { addressKey } from '../checks/hex.ts';
import {
  type BodyToken,
  type Plan,
  plainSwapBodyIn,
  planIn,
  type ReferenceId,
  type SwapBody,
  withExactIds,
} from '../checks/plan.ts';
import { type GraphFaults, inspectGraph } from '../checks/plan-graph.ts';
import { type DanglingIds, findDanglingIds } from '../checks/references.ts';
import { isObject } from '../checks/reply-body.ts';
import type { Exchange, Reply } from '../client/exchange.ts';
import type { Facts } from '../discovery/facts.ts';
import type { KnownChain, KnownService } from '../discovery/known-chain.ts';

/** A reply, the facts about it, and the parts of it that several rules read. */
export type JudgedReply = {
  readonly exchange: Exchange;
  readonly reply: Reply;
  /** Facts that discovery learned; undefined for captured replies without them. */
  readonly facts: Facts | undefined;
  /**
   * The requested chain; undefined if the request names none, or discovery learned nothing about
   * it.
   */
  readonly chain: KnownChain | undefined;
  /** Conservation tolerance at intermediate tokens, in parts per million. */
  readonly tolerancePpm: number;
  /** The body of a 200 reply to `/swap`, if it is an object. Ids are as `JSON.parse` reads them. */
  readonly swapBody: SwapBody | undefined;
  /** Addresses of the tokens in `swapBody`. Tokens without an address are omitted. */
  readonly tokenAddresses: readonly TokenAddress[];
  /** The plan; undefined if the body is too malformed to be read as one. */
  readonly plan: PlanView | undefined;
  /** True if the same request returned 200 when it was repeated. */
  readonly isServedLater: boolean;
  readonly hasChecksum: ChecksumTest;
};

/** The address of a token in a plan, and its place in the body. */
export type TokenAddress = {
  readonly pointer: string;
  readonly value: string;
  readonly token: { readonly pointer: string; readonly value: Readonly<Record<string, unknown>> };
  /** Normalized address. Equal addresses have equal keys. */
  readonly addressKey: string;
};

/** A plan with the results of the checks that several rules use. */
export type PlanView = {
  readonly plan: Plan;
  readonly graph: GraphFaults;
  readonly dangling: DanglingIds;
  readonly balance: Balance;
};

/** Circumstances in which a reply is judged. */
export type JudgingContext = {
  readonly known: KnownService;
  readonly tolerancePpm: number;
  /** @see JudgedReply */
  readonly isServedLater?: boolean | undefined;
};

/** Reads a reply once for all rules that judge it. */
export function readJudgedReply(
  exchange: Exchange,
  reply: Reply,
  { known, tolerancePpm, isServedLater = false }: JudgingContext,
): JudgedReply {
  const swapBody = plainSwapBodyIn(reply);
  const plan = planIn(withExactIds(swapBody, reply.text));
  const chainId = requestedChain(exchange);
  return {
    ...{ exchange, reply, facts: known.facts, hasChecksum: known.hasChecksum },
    ...{ tolerancePpm, swapBody, isServedLater },
    tokenAddresses: addressesIn(swapBody),
    chain: chainId === undefined ? undefined : known.chains.get(chainId),
    plan: plan && {
      plan,
      graph: inspectGraph(plan),
      dangling: findDanglingIds(plan),
      balance: balancePlan(plan, tolerancePpm),
    },
  };
}

function addressesIn(body: SwapBody | undefined): readonly TokenAddress[] {
  const found: TokenAddress[] = [];
  for (const { pointer, value: token, address } of body?.tokens ?? []) {
    if (address === undefined || !isObject(token)) continue;
    found.push({
      pointer: `${pointer}/address`,
      value: address,
      token: { pointer, value: token },
      addressKey: addressKey(address),
    });
  }
  return found;
}

/**
 * Returns the requested chain; undefined unless the request contains exactly one chain id, in plain
 * digits.
 */
export function requestedChain({ query }: Exchange): number | undefined {
  const ids = query.filter(([name]) => name === 'chainId');
  const text = ids.length === 1 ? ids[0]?.[1] : undefined;
  return text !== undefined && /^(0|[1-9][0-9]{0,15})$/.test(text) ? Number(text) : undefined;
}

/** Returns the first token entry with the given reference id. */
export function tokenAt(
  { tokens }: Pick<Plan, 'tokens'>,
  referenceId: ReferenceId,
): BodyToken | undefined {
  return tokens.find((token) => token.referenceId === referenceId);
}
