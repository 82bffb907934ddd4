import { mine } from '../settle/mine.ts';
import { type Settle, simulate } from '../settle/simulate.ts';
import { traceCall } from '../settle/trace-call.ts';
import type { Fork } from './fork.ts';

/**
 * Returns how to confirm a failure: in a transaction, or by another simulation with all its calls
 * if the fork cannot mine.
 */
export function settlingAgain({ canMine }: Pick<Fork, 'canMine'>): Settle {
  return canMine ? mine : simulateWithCalls;
}

const simulateWithCalls: Settle = async (source, scenario) => {
  const settlement = await simulate(source, scenario);
  const calls = await traceCall(source, scenario);
  return { ...settlement, ...(calls !== undefined && { calls }) };
};
