import type { ChainId } from '../client/chain-ids.ts';
import { createClient, NO_API_KEY } from '../client/client.ts';
import type { Reach } from '../client/reach.ts';
import { parseTarget } from '../client/request.ts';
import type { RouterNames } from '../client/router-names.ts';
import type { Transport } from '../client/transport.ts';
import type { ForkSource } from '../execution/fork.ts';
import { PROFILES } from '../generate/budget.ts';
import { MARKET_GENERATOR, type RequestGenerator } from '../generate/generator.ts';
import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { CATALOG } from '../rules/catalog.ts';
import { runRules } from '../runner/run.ts';
import type { RunOptions } from '../runner/run-options.ts';

/** How a service is judged, whoever asks for it: a command, a suite, or a program. */
export type JudgeOverOptions = Omit<
  RunOptions,
  'client' | 'generator' | 'rules' | 'chains' | 'openExecutor' | 'hindrance' | 'clock'
> & {
  readonly transport: Transport;
  /** Chains to judge; default, all that the service names. */
  readonly chains?: readonly ChainId[] | undefined;
  /** How the transport reaches the service. */
  readonly reach?: Reach | undefined;
  /** Without one nothing is judged. */
  readonly apiKey?: string | undefined;
  readonly routerNames?: RouterNames | undefined;
  /** Of a body, in bytes; default 16 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Nodes of chains to settle plans on; none, plans are not settled. */
  readonly forks?: readonly ForkSource[] | undefined;
  /** Kinds of rules that judge; empty and unset, all. */
  readonly kinds?: readonly Rule['kind'][] | undefined;
  /** Paths with their queries, to send in the place of the traffic that covers the market. */
  readonly requests?: readonly string[] | undefined;
  /** Rules of the user's, beside the catalogue. */
  readonly ownRules?: readonly Rule[] | undefined;
};

/** Returns what sends these requests and no others beside those of the probes. */
function replaying(requests: readonly string[]): RequestGenerator {
  const targets = requests.map(parseTarget);
  return { ...MARKET_GENERATOR, traffic: () => targets, simplify: () => [] };
}

/** Fewer of a body's bytes stand for a value in no plan and no list of tokens. */
const BYTES_A_VALUE = 8;

/** Returns the catalogue and the user's own rules, of some kinds alone; none named, all. */
export function rulesOf(
  kinds: readonly Rule['kind'][],
  ownRules: readonly Rule[],
): readonly Rule[] {
  const rules = [...CATALOG, ...ownRules];
  return kinds.length === 0 ? rules : rules.filter(({ kind }) => kinds.includes(kind));
}

/**
 * Judges a service over a transport, which is closed at the end, by the
 * catalogue and the user's own rules.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 * @throws {UsageError} for a request that is no path.
 */
export async function judgeOver(
  options: JudgeOverOptions,
  listener?: RunListener,
): Promise<Report> {
  const {
    transport,
    reach,
    apiKey = '',
    routerNames,
    maxBodyBytes,
    forks = [],
    kinds = [],
  } = options;
  const { ownRules = [], requests, chains = [], ...run } = options;
  const client = createClient({
    transport,
    reach,
    chains,
    apiKey,
    routerNames,
    maxValues: maxBodyBytes && maxBodyBytes / BYTES_A_VALUE,
  });
  const openExecutor: RunOptions['openExecutor'] = async (service) =>
    (await import('../execution/executor.ts')).createExecutor(
      { forks, plans: PROFILES[options.profile ?? 'standard'].settledPlans },
      service,
    );
  try {
    return await runRules(
      {
        ...run,
        client,
        chains: chains.map(Number),
        generator: requests && replaying(requests),
        rules: rulesOf(kinds, ownRules),
        ...(apiKey === '' && { hindrance: NO_API_KEY }),
        ...(forks.length > 0 && { openExecutor }),
      },
      listener,
    );
  } finally {
    await client.close();
  }
}
