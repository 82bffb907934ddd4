import type { Hex, Overrides, Scenario, Settlement, TracedFrame } from '../../model/scenario.ts';
import type { Settled } from '../../model/settlement.ts';
import type { Address } from '../../model/trade-request.ts';
import {
  JsonRpcError,
  NodeUnreachableError,
  quantity,
  undefinedIfRejected,
} from '../node/json-rpc.ts';
import { UnsettledError } from '../node/node-losses.ts';
import { hashesIn, storedAtBlockStart } from './block-history.ts';
import { whyFailed } from './call-trace.ts';
import { combine } from './provision.ts';
import {
  blockOf,
  gasOfEach,
  type Settle,
  type StateSource,
  simulate,
  stateOf,
  transactionOf,
} from './simulate.ts';

/** Options that make a node return the calls of a transaction with their events. */
export const CALL_TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } } as const;
/** Options that make a node return only the transaction itself. */
const TOP_CALL_TRACER = { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } } as const;

/** The format of `prestateTracer` with `diffMode`. */
type StateDiff = Readonly<Record<'pre' | 'post', Readonly<Record<Address, TracedAccount>>>>;
type TracedAccount = {
  readonly balance?: Hex;
  readonly nonce?: number;
  readonly code?: Hex;
  readonly storage?: Readonly<Record<Hex, Hex>>;
};

/**
 * Maximum gas of a traced trade. The trace of a trade that uses more could exhaust the node's
 * memory. Ordinary trades use a tenth of this gas.
 */
const MAX_TRACED_GAS = 10_000_000n;

/** Simulates a scenario, and adds the calls of the trade if the node can trace them. */
export const simulateWithCalls: Settle = async (source, scenario) => {
  const settlement = await simulate(source, scenario);
  const calls = await callsOf(source, { scenario, settlement });
  if (typeof calls === 'string') return settlement;
  // Only the calls show that an inner call ran out of gas.
  return settlement.outcome === 'reverted'
    ? { ...settlement, ...whyFailed(calls), calls }
    : { ...settlement, calls };
};

/** Returns the calls of a trade, or the reason why they are unknown. */
export async function callsOf(
  source: StateSource,
  { scenario, settlement }: Settled,
): Promise<TracedFrame | string> {
  if (settlement.calls !== undefined) return settlement.calls;
  if (isTooLargeToTrace(settlement)) return `it uses more than ${MAX_TRACED_GAS} gas`;
  try {
    return await traceTrade(source, scenario);
  } catch (error) {
    if (TRACE_ERRORS.some((kind) => error instanceof kind)) return (error as Error).message;
    throw error;
  }
}

/**
 * Returns whether the trace of a trade could exhaust a node's memory, so that it is not requested.
 */
export function isTooLargeToTrace({ gasUsed }: Pick<Settlement, 'gasUsed'>): boolean {
  return gasUsed > MAX_TRACED_GAS;
}

const TRACE_ERRORS = [JsonRpcError, NodeUnreachableError, UnsettledError];

/**
 * Returns whether a trade that used little gas settles in another block. Unlike a simulation, a
 * trace accepts a time before the forked block's.
 */
export async function settlesInBlock(
  source: StateSource,
  scenario: Scenario,
  settlement: Pick<Settlement, 'gasUsed'>,
): Promise<boolean> {
  if (isTooLargeToTrace(settlement)) return false;
  const calls = await undefinedIfRejected(traceTrade(source, scenario, TOP_CALL_TRACER));
  return calls !== undefined && calls.error === undefined;
}

/** Returns the calls of a trade. Changes nothing on the node. */
export async function traceTrade(
  source: StateSource,
  scenario: Scenario,
  tracer: typeof CALL_TRACER | typeof TOP_CALL_TRACER = CALL_TRACER,
): Promise<TracedFrame> {
  const { fields, trade, gas } = scenario;
  const blockOverrides = { ...blockOf(scenario, fields), ...hashesIn(source, scenario) };
  const stateOverrides = stateOf({
    ...(await overridesAfterEarlierCalls(source, scenario)),
    ...storedAtBlockStart(source, scenario),
  });
  const options = { ...tracer, stateOverrides, blockOverrides };
  const transaction = transactionOf(trade, gas, fields);
  return trace<TracedFrame>(source, scenario, transaction, options);
}

/** Traces each earlier call on the state after the calls before it. */
async function overridesAfterEarlierCalls(
  source: StateSource,
  scenario: Scenario,
): Promise<Overrides> {
  const blockOverrides = blockOf(scenario, { number: scenario.block + 1, baseFee: 0n });
  let { overrides } = scenario;
  for (const call of scenario.before) {
    const options = {
      tracer: 'prestateTracer',
      tracerConfig: { diffMode: true },
      stateOverrides: stateOf(overrides),
      blockOverrides,
    };
    const transaction = transactionOf(call, gasOfEach(source, scenario.before.length));
    const diff = await trace<StateDiff>(source, scenario, transaction, options);
    const after = { overrides: overridesIn(diff), before: [] };
    overrides = combine({ overrides, before: [] }, after).overrides;
  }
  return overrides;
}

function overridesIn({ pre, post }: StateDiff): Overrides {
  const accounts = (Object.entries(post) as [Address, TracedAccount][]).map(
    ([account, { balance, storage, ...rest }]) => {
      // Slots that were set to zero appear only in `pre`.
      const cleared = Object.keys(pre[account]?.storage ?? {}).map((slot) => [slot, ZERO]);
      const slots = { ...Object.fromEntries(cleared), ...storage };
      return [
        account,
        {
          ...rest,
          ...(balance !== undefined && { balance: BigInt(balance) }),
          ...(Object.keys(slots).length > 0 && { storage: slots }),
        },
      ];
    },
  );
  return Object.fromEntries(accounts);
}

const ZERO: Hex = `0x${'0'.repeat(64)}`;

function trace<Result>(
  { rpc }: StateSource,
  { block }: Scenario,
  transaction: ReturnType<typeof transactionOf>,
  options: object,
): Promise<Result> {
  return rpc<Result>('debug_traceCall', [transaction, quantity(block), options]);
}
