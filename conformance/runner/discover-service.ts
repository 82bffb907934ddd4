import { discover, NO_FACTS } from '../discovery/discover.ts';
import type { Facts } from '../discovery/facts.ts';
import { describeRefusedKey } from './refused-key.ts';
import { enterPhase, type Run, send, unlessStopped } from './run-state.ts';

/** Learns what the service offers, and whether there is anything to judge. */
export async function discoverService(run: Run): Promise<void> {
  enterPhase(run, 'discovery');
  const { chains } = run.options;
  const get = (target: Parameters<typeof send>[1]) => send(run, target);
  const facts = await unlessStopped(discover({ get, chains }), NO_FACTS);
  run.facts = facts;
  run.listener({ type: 'discovery-finished', facts });
  run.unreachable ??= describeUnlisted(chains, facts);
  if (run.unreachable === undefined && facts.chains.length === 0) {
    run.unreachable = await unlessStopped(describeRefusedKey(get), undefined);
  }
  if (run.unreachable === undefined) return;
  run.scheduler.stop(run.unreachable);
  // What answers another's key, say, tells nothing of what the service promises.
  run.ledger.forget();
}

/** Says which of the chains that the user named the service does not list, where it lists any. */
function describeUnlisted(wanted: readonly number[], { chains }: Facts): string | undefined {
  const ids = chains.map(({ chainId }) => chainId);
  const unlisted = wanted.filter((id) => !ids.includes(id));
  if (ids.length === 0 || unlisted.length === 0) return undefined;
  const listed = ids.slice(0, 20).join(', ');
  return `/chains does not list chain ${unlisted.join(', ')}, only ${listed}${ids.length > 20 ? ' and more' : ''}.`;
}
