import type { Exchange } from '../../client/exchange.ts';
import type { SettledPlan } from '../../model/settlement.ts';
import { settlesInBlock } from '../settle/trace-call.ts';
import type { Fork } from './fork.ts';

/** Clocks agree if they differ by at most this many seconds. */
const MAX_SKEW_S = 60;

/** The clock of a service, read from the `date` headers of its replies. */
export class ServiceClock {
  #aheadMs: number | undefined;

  /** Reads the clock in a reply. A cached reply has an old date, so the latest clock counts. */
  read({ outcome, startedAtMs, durationMs }: Exchange): void {
    if (outcome.kind === 'no-reply') return;
    const dateMs = Date.parse(outcome.headers['date']?.[0] ?? '');
    if (Number.isNaN(dateMs)) return;
    const aheadMs = dateMs - (startedAtMs + durationMs);
    this.#aheadMs = Math.max(aheadMs, this.#aheadMs ?? aheadMs);
  }

  /** Seconds by which the service's clock is ahead of this machine's; 0 if no reply has a date. */
  get aheadS(): number {
    return Math.round((this.#aheadMs ?? 0) / 1000);
  }
}

/**
 * Returns the reason why a plan fails if that is a difference between the clocks of the chain and
 * the service: the plan settles at the time of the clock that its deadline is derived from.
 * Otherwise returns undefined.
 */
export async function clockFaultIn(
  fork: Fork,
  { now, later }: SettledPlan,
): Promise<string | undefined> {
  const failed = [now, later].find(({ settlement }) => settlement.outcome === 'reverted');
  if (failed === undefined) return undefined;
  const { scenario } = failed;
  const {
    chainId,
    block: { timestamp },
  } = fork;
  const aheadS = timestamp - fork.serviceTime();
  if (Math.abs(aheadS) <= MAX_SKEW_S) return undefined;
  const settlesAt = (time: number) =>
    settlesInBlock(fork, { ...scenario, time }, failed.settlement);
  const skew = `the latest block of chain ${chainId} is ${formatSeconds(Math.abs(aheadS))}`;
  if (aheadS > 0) {
    return (await settlesAt(scenario.time - aheadS))
      ? `${skew} ahead of the service's clock, so calldata with a deadline has expired there`
      : undefined;
  }
  // Expired calldata also settles at an early time, but then it settles halfway to the present,
  // too.
  const [atBlock, halfway] = await Promise.all([
    settlesAt(timestamp + 1),
    settlesAt(Math.round(timestamp - aheadS / 2)),
  ]);
  return atBlock && !halfway
    ? `${skew} behind the service's clock, and the calldata expires soon after that block`
    : undefined;
}

/** Formats a duration in its largest whole unit. */
export function formatSeconds(seconds: number): string {
  const units = [
    [86_400, 'days'],
    [3_600, 'hours'],
    [60, 'minutes'],
  ] as const;
  const [length, unit] = units.find(([each]) => seconds >= 2 * each) ?? [1, 'seconds'];
  return `${Math.round(seconds / length)} ${unit}`;
}
