import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { parseBaseUrl } from '../client/base-url.ts';
import { createClient, NO_API_KEY } from '../client/client.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { createHttpTransport } from '../client/http-transport.ts';
import { createOperations } from '../client/operations.ts';
import { PATHS } from '../contract/paths.ts';
import { findAnvil } from '../execution/find-anvil.ts';
import type { ForkSource } from '../execution/fork.ts';
import { checkForkSources, forksInEnvironment } from '../execution/fork-option.ts';
import { type Item, listOf, type Mark } from '../output/document.ts';
import { wantsColour } from '../output/terminal.ts';
import { renderText } from '../output/text.ts';
import { tryReportPaths } from '../output/write-reports.ts';
import { statusWords } from '../rule-kit/reply-status.ts';
import type { DoctorFlags } from './doctor-command.ts';

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
const LONGEST_WAIT_MS = 15_000;
/** Calldata has a deadline, and a market its age, by somebody's clock. */
const LARGEST_SKEW_MS = 30_000;

/**
 * Prints what a run would find, and returns the exit code: 0, or 3 where
 * something that it needs is missing.
 *
 * @throws `UsageError` for a base URL that is none
 */
export async function examine(baseUrl: string | undefined, flags: DoctorFlags): Promise<number> {
  const diagnoses = await diagnose(baseUrl, flags);
  const missing = diagnoses.filter(({ state }) => state === 'missing').length;
  const document = [{ blocks: listOf(diagnoses.map(itemOf)) }];
  process.stdout.write(renderText(document, { colour: wantsColour(process.stdout, process.env) }));
  return missing === 0 ? 0 : 3;
}

/** Looks for everything that a run needs. */
export async function diagnose(
  baseUrl: string | undefined,
  { apiKey = process.env['SWAPCHECK_API_KEY'] ?? '', fork, report }: DoctorFlags,
): Promise<readonly Diagnosis[]> {
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  const forks = fork ?? forksInEnvironment();
  const [anvil, nodes, service, reports] = await Promise.all([
    lookForAnvil(),
    Promise.all(forks.map(askNode)),
    url === undefined ? [] : askService(url, apiKey),
    Promise.all(report.map((request) => tryReport(request))),
  ]);
  return [lookAtNode(), anvil, ...nodes, ...service, ...reports];
}

function itemOf({ what, state, words, mend }: Diagnosis): Item {
  return {
    line: [{ mark: MARKS[state] }, ' ', { text: what, isBold: true }, `: ${words}`],
    ...(mend !== undefined && { parts: [['Mend', mend]] }),
  };
}

function lookAtNode(): Diagnosis {
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  const wanted = engines.node.replace('>=', '');
  const isEnough = process.versions.node.localeCompare(wanted, 'en', { numeric: true }) >= 0;
  return {
    what: 'Node',
    state: isEnough ? 'found' : 'missing',
    words: `${process.versions.node}, where ${wanted} or later is needed`,
    ...(!isEnough && { mend: `install Node ${wanted} or later from https://nodejs.org` }),
  };
}

async function lookForAnvil(): Promise<Diagnosis> {
  const what = 'Anvil';
  try {
    const path = findAnvil();
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: LONGEST_WAIT_MS });
    return { what, state: 'found', words: `${stdout.split('\n', 1)[0]} (${path})` };
  } catch (cause) {
    return {
      what,
      state: 'doubtful',
      words: messageOf(cause),
      mend: 'without it no plan is settled on a fork; all else is judged',
    };
  }
}

async function askNode(fork: ForkSource): Promise<Diagnosis> {
  const what = `Node of chain ${fork.chainId}`;
  try {
    await checkForkSources([fork], LONGEST_WAIT_MS);
    return { what, state: 'found', words: 'answers, and serves that chain' };
  } catch (cause) {
    const words = messageOf(cause);
    return {
      what,
      state: 'missing',
      words,
      mend: 'name a node of that chain that answers: --fork CHAIN=RPC',
    };
  }
}

async function tryReport(
  request: Parameters<typeof tryReportPaths>[0][number],
): Promise<Diagnosis> {
  const what = `Report ${request.format}`;
  try {
    await tryReportPaths([request]);
    const words = request.path === '-' ? 'on standard output' : `${request.path} can be written`;
    return { what, state: 'found', words };
  } catch (cause) {
    return {
      what,
      state: 'missing',
      words: messageOf(cause),
      mend: 'name a path that you may write to',
    };
  }
}

async function askService(url: URL, apiKey: string): Promise<readonly Diagnosis[]> {
  const transport = createHttpTransport(url, { timeoutMs: LONGEST_WAIT_MS });
  const client = createClient({ transport, apiKey });
  try {
    const { signal } = new AbortController();
    const { chains } = createOperations((target) => client.send(target, signal, (each) => each));
    const { exchange } = await chains();
    return [lookAtService(url, exchange), lookAtKey(apiKey, exchange), ...lookAtClock(exchange)];
  } finally {
    await client.close();
  }
}

function lookAtService(url: URL, { outcome, durationMs }: Exchange): Diagnosis {
  const what = 'Service';
  if (outcome.kind === 'no-reply') {
    const mend = `start it, or name another BASE_URL than ${url.origin}`;
    return { what, state: 'missing', words: outcome.message, mend };
  }
  const isThere = outcome.status !== 404;
  return {
    what,
    state: isThere ? 'found' : 'missing',
    words: `${PATHS.chains} answers ${outcome.status} in ${Math.round(durationMs)} ms`,
    ...(!isThere && { mend: 'name the root of the service, to which /api/v1.0 is added' }),
  };
}

function lookAtKey(apiKey: string, exchange: Exchange): Diagnosis {
  const what = 'API key';
  const mend = 'set SWAPCHECK_API_KEY or pass --api-key';
  if (apiKey === '') return { what, state: 'missing', words: NO_API_KEY, mend };
  if (statusOf(exchange) === 200) {
    return { what, state: 'found', words: 'is let in' };
  }
  return { what, state: 'missing', words: `cannot be told: ${statusWords(exchange)}`, mend };
}

function lookAtClock({ outcome, startedAtMs, durationMs }: Exchange): readonly Diagnosis[] {
  const date = outcome.kind === 'reply' ? outcome.headers['date']?.[0] : undefined;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return [];
  // A Date header has whole seconds.
  const skewMs = Math.round(theirs - (startedAtMs + durationMs / 2));
  const isClose = Math.abs(skewMs) <= LARGEST_SKEW_MS;
  return [
    {
      what: 'Clock',
      state: isClose ? 'found' : 'doubtful',
      words: `the service's is ${Math.abs(skewMs / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`,
      ...(!isClose && {
        mend: 'set both by NTP: deadlines of calldata and ages of markets are told by them',
      }),
    },
  ];
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
