import { mine } from '../settle/mine.ts';
import { type Settle, simulate } from '../settle/simulate.ts';
import { traceCall } from '../settle/trace-call.ts';
import type { Fork } from './fork.ts';

/**
 * Returns the function that confirms a failure: in a transaction or, if the fork cannot mine, by
 * another simulation that includes all calls.
 */
export function settlingAgain({ canMine }: Pick<Fork, 'canMine'>): Settle {
  return canMine ? mine : simulateWithCalls;
}

const simulateWithCalls: Settle = async (source, scenario) => {
  const settlement = await simulate(source, scenario);
  const calls = await traceCall(source, scenario);
  return { ...settlement, ...(calls !== undefined && { calls }) };
};
