import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { parseBaseUrl } from '../client/base-url.ts';
import { createClient, NO_API_KEY } from '../client/client.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { createOperations } from '../client/operations.ts';
import type { Reach } from '../client/reach.ts';
import { type ReachFlags, reachOf, withReachOptions } from '../client/reach-options.ts';
import type { RequestTarget } from '../client/request.ts';
import { PATHS } from '../contract/paths.ts';
import { explainRejection } from '../discovery/explain-rejection.ts';
import { findAnvil } from '../execution/find-anvil.ts';
import type { ForkSource } from '../execution/fork.ts';
import { checkForkSources, forkOption, forksInEnvironment } from '../execution/fork-option.ts';
import type { Report } from '../model/report.ts';
import { type Item, listOf, type Mark } from '../output/document.ts';
import { type ReportRequest, reportOption } from '../output/report-formats.ts';
import { wantsColour } from '../output/terminal.ts';
import { renderText } from '../output/text.ts';
import { tryReportPaths } from '../output/write-reports.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { statusText } from '../rule-kit/reply-status.ts';

export type DoctorFlags = ReachFlags & {
  readonly apiKey?: string;
  readonly fork?: readonly ForkSource[];
  readonly report: readonly ReportRequest<Report>[];
};

/** Returns `swapcheck doctor`, which looks for what a run needs and judges nothing. */
export function createDoctorCommand(): Command {
  return withReachOptions(
    new Command('doctor').argument('[BASE_URL]', 'root of the service that is to be judged'),
  )
    .option('--api-key <key>', 'the API key to send (default: $SWAPCHECK_API_KEY)')
    .addOption(forkOption())
    .addOption(reportOption(REPORT_FORMATS))
    .action(async (baseUrl: string | undefined, flags: DoctorFlags) => {
      process.exitCode = await examine(baseUrl, flags);
    });
}

/** One thing that a run needs. */
export type Diagnosis = {
  readonly what: string;
  /** `missing` stops a run, `doubtful` makes it judge less or wrongly. */
  readonly state: 'found' | 'doubtful' | 'missing';
  readonly words: string;
  /** How to mend it; unset where nothing is to be done. */
  readonly mend?: string;
};

const MARKS = { found: 'passed', doubtful: 'warning', missing: 'failed' } as const satisfies Record<
  Diagnosis['state'],
  Mark
>;

/** How long a node or the service may take. */
const MAX_WAIT_MS = 15_000;
/** Calldata has a deadline, and a market its age, by somebody's clock. */
const MAX_SKEW_MS = 30_000;

/**
 * Prints what a run would find, and returns the exit code: 0, or 3 where
 * something that it needs is missing.
 *
 * @throws `UsageError` for a base URL that is none
 */
async function examine(baseUrl: string | undefined, flags: DoctorFlags): Promise<number> {
  const diagnoses = await diagnose(baseUrl, flags);
  const missing = diagnoses.filter(({ state }) => state === 'missing').length;
  const document = [{ blocks: listOf(diagnoses.map(itemOf)) }];
  process.stdout.write(renderText(document, { colour: wantsColour(process.stdout, process.env) }));
  return missing === 0 ? 0 : 3;
}

/** Looks for everything that a run needs. */
export async function diagnose(
  baseUrl: string | undefined,
  { apiKey = process.env['SWAPCHECK_API_KEY'] ?? '', fork, report, ...flags }: DoctorFlags,
): Promise<readonly Diagnosis[]> {
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  const forks = fork ?? forksInEnvironment();
  const [anvil, nodes, service, reports] = await Promise.all([
    lookForAnvil(),
    Promise.all(forks.map(askNode)),
    url === undefined ? [] : askService(url, apiKey, reachOf(flags)),
    Promise.all(report.map(tryReport)),
  ]);
  return [lookAtNode(), anvil, ...nodes, ...service, ...reports];
}

function itemOf({ what, state, words, mend }: Diagnosis): Item {
  return {
    line: [{ mark: MARKS[state] }, ' ', { text: what, isBold: true }, `: ${words}`],
    ...(mend !== undefined && { parts: [['Mend', mend]] }),
  };
}

/** Returns what was looked at as found, or else with how to mend it. */
function diagnosis(
  isFound: boolean,
  what: string,
  words: string,
  mend: string,
  otherwise: Diagnosis['state'] = 'missing',
): Diagnosis {
  return isFound ? { what, state: 'found', words } : { what, state: otherwise, words, mend };
}

/** Looks for something; where that fails, says why. */
async function lookFor(
  what: string,
  mend: string,
  look: () => Promise<string>,
  otherwise?: Diagnosis['state'],
): Promise<Diagnosis> {
  try {
    return diagnosis(true, what, await look(), mend);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    return diagnosis(false, what, words, mend, otherwise);
  }
}

function lookAtNode(): Diagnosis {
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  const { node } = process.versions;
  const wanted = engines.node.replace('>=', '');
  const isEnough = node.localeCompare(wanted, 'en', { numeric: true }) >= 0;
  const mend = `install Node ${wanted} or later from https://nodejs.org`;
  return diagnosis(isEnough, 'Node', `${node}, where ${wanted} or later is needed`, mend);
}

function lookForAnvil(): Promise<Diagnosis> {
  const mend = 'without it no plan is settled on a fork; all else is judged';
  const look = async () => {
    const path = findAnvil();
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: MAX_WAIT_MS });
    return `${stdout.split('\n', 1)[0]} (${path})`;
  };
  return lookFor('Anvil', mend, look, 'doubtful');
}

function askNode(fork: ForkSource): Promise<Diagnosis> {
  const mend = 'name a node of that chain that answers: --fork CHAIN=RPC';
  return lookFor(`Node of chain ${fork.chainId}`, mend, async () => {
    await checkForkSources([fork]);
    return 'answers, and serves that chain';
  });
}

function tryReport(request: ReportRequest<Report>): Promise<Diagnosis> {
  const { format, path } = request;
  return lookFor(`Report ${format}`, 'name a path that you may write to', async () => {
    await tryReportPaths([request]);
    return path === '-' ? 'on standard output' : `${path} can be written`;
  });
}

async function askService(url: URL, apiKey: string, reach: Reach): Promise<readonly Diagnosis[]> {
  const transport = createHttpTransport(url, { ...reach, timeoutMs: MAX_WAIT_MS });
  const client = createClient({ transport, reach, apiKey });
  try {
    const { signal } = new AbortController();
    const get = (target: RequestTarget) => client.send(target, signal, (each) => each);
    const { exchange } = await createOperations(get).chains();
    return [
      lookAtService(url, exchange),
      await lookAtKey(apiKey, exchange, get),
      ...lookAtClock(exchange),
    ];
  } finally {
    await client.close();
  }
}

function lookAtService(url: URL, { outcome, durationMs }: Exchange): Diagnosis {
  if (outcome.kind === 'no-reply') {
    const mend = `start it, or name another BASE_URL than ${url.origin}`;
    return diagnosis(false, 'Service', outcome.message, mend);
  }
  const words = `${PATHS.chains} answers ${outcome.status} in ${Math.round(durationMs)} ms`;
  const mend = 'name the root of the service, to which /api/v1.0 is added';
  return diagnosis(outcome.status !== 404, 'Service', words, mend);
}

async function lookAtKey(
  apiKey: string,
  exchange: Exchange,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<Diagnosis> {
  const what = 'API key';
  const mend = 'set SWAPCHECK_API_KEY or pass --api-key';
  const status = statusOf(exchange);
  if (apiKey === '') return diagnosis(false, what, NO_API_KEY, mend);
  if (status === 200) return diagnosis(true, what, 'is accepted', mend);
  if (status === undefined) {
    return { what, state: 'doubtful', words: 'was not tested: the service did not respond' };
  }
  const rejection = await explainRejection(get);
  if (rejection?.cause === 'key') {
    const words = `is wrong: the service rejects it as it rejects an unknown one, with ${rejection.answer}`;
    return diagnosis(false, what, words, mend);
  }
  if (rejection === undefined) {
    const words = `was not tested: ${PATHS.chains} returns ${statusText(exchange)}`;
    return { what, state: 'doubtful', words };
  }
  const words = `was not tested: the service rejects every request in the same way: ${rejection.answer}`;
  const reach = 'the service may require a header (--header) or another address (--proxy)';
  return diagnosis(false, what, words, reach);
}

function lookAtClock({ outcome, startedAtMs, durationMs }: Exchange): readonly Diagnosis[] {
  const date = outcome.kind === 'reply' ? outcome.headers['date']?.[0] : undefined;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return [];
  // A Date header has whole seconds.
  const skewMs = Math.round(theirs - (startedAtMs + durationMs / 2));
  const isClose = Math.abs(skewMs) <= MAX_SKEW_MS;
  const words = `the service's is ${Math.abs(skewMs / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  const mend = 'set both by NTP: deadlines of calldata and ages of markets are told by them';
  return [diagnosis(isClose, 'Clock', words, mend, 'doubtful')];
}
