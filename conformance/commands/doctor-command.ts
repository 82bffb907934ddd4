import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { type ReachFlags, readReach, withReachOptions } from '../client/access-options.ts';
import { NO_API_KEY, readApiKey } from '../client/api-key.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { createClient } from '../client/client.ts';
import {
  DELAYED_WRITES,
  DELAYED_WRITES_FIX,
  isLoopback,
  MIN_TIMED_REPLIES,
  noteOnDelayedWrites,
} from '../client/delayed-writes.ts';
import { type Exchange, statusOf } from '../client/exchange.ts';
import { createOperations } from '../client/operations.ts';
import type { Reach } from '../client/reach.ts';
import type { RequestTarget } from '../client/request.ts';
import { webAssemblyFix } from '../client/web-assembly.ts';
import { messageOf } from '../contract/message-of.ts';
import { PATHS } from '../contract/paths.ts';
import { explainRejection } from '../discovery/explain-rejection.ts';
import { findAnvil } from '../execution/node/find-anvil.ts';
import type { Report } from '../model/report.ts';
import { medianOf } from '../model/statistics.ts';
import { type Item, listOf, type Mark } from '../output/document.ts';
import { interruptible } from '../output/interruptible.ts';
import { type ReportRequest, reportOption } from '../output/report-formats.ts';
import { wantsColor } from '../output/terminal.ts';
import { renderText } from '../output/text.ts';
import { tryReportPaths } from '../output/write-reports.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { formatStatus } from '../rule-kit/reply-status.ts';
import { withConfigOptions } from '../service/config-options.ts';
import {
  type ForkSource,
  forkOption,
  forksInEnvironment,
  type SettleOn,
  settleOnOption,
} from '../service/fork-option.ts';

export type DoctorFlags = ReachFlags & {
  readonly apiKey?: string;
  readonly forks?: readonly ForkSource[];
  readonly settleOn?: SettleOn;
  readonly report: readonly ReportRequest<Report>[];
};

/** Returns `swapcheck doctor`, which checks the requirements of a run and judges nothing. */
export function createDoctorCommand(): Command {
  const command = withConfigOptions(
    withReachOptions(
      new Command('doctor').argument('[BASE_URL]', 'base URL of the service to judge'),
    ),
  )
    .option('--api-key <key>', 'send this API key (default: $SWAPCHECK_API_KEY)')
    .addOption(forkOption())
    .addOption(settleOnOption())
    .addOption(reportOption(REPORT_FORMATS));
  return command.action(async (named: string | undefined) => {
    const { applyConfig, SERVICE_OPTIONS } = await import('../service/config-file.ts');
    const { url, start } = applyConfig(command, named, [...SERVICE_OPTIONS, 'report']);
    const flags = command.opts<DoctorFlags>();
    const run = () => examine(url, flags);
    process.exitCode = await interruptible(async (signal) => {
      if (url === undefined || start === undefined) return run();
      const { withOwnService } = await import('../service/own-service.ts');
      return withOwnService(parseBaseUrl(url), { start, reach: readReach(flags) }, signal, run);
    });
  });
}

/** The state of one requirement of a run. */
export type Diagnosis = {
  readonly what: string;
  /**
   * `missing`: a run cannot start. `doubtful`: a run may test less than it could, or reach wrong
   * verdicts.
   */
  readonly state: 'found' | 'doubtful' | 'missing';
  readonly words: string;
  /** How to meet the requirement; unset if there is nothing to do. */
  readonly fix?: string;
};

const MARKS = { found: 'passed', doubtful: 'warning', missing: 'failed' } as const satisfies Record<
  Diagnosis['state'],
  Mark
>;

const MAX_REPLY_MS = 15_000;
/** Clocks must agree: deadlines in calldata and the ages of markets depend on them. */
const MAX_SKEW_MS = 30_000;
/** Chains add a block within this time. */
const MAX_BLOCK_AGE_S = 120;

/**
 * Returns the exit code: 3 if a requirement is missing, otherwise 0.
 *
 * @throws {UsageError} for an invalid base URL
 */
async function examine(baseUrl: string | undefined, flags: DoctorFlags): Promise<number> {
  const diagnoses = await diagnose(baseUrl, flags);
  const missing = diagnoses.filter(({ state }) => state === 'missing').length;
  const document = [{ blocks: listOf(diagnoses.map(itemOf)) }];
  process.stdout.write(renderText(document, { color: wantsColor(process.stdout, process.env) }));
  return missing === 0 ? 0 : 3;
}

/** Returns the state of each requirement of a run. */
export async function diagnose(
  baseUrl: string | undefined,
  {
    apiKey: given = process.env['SWAPCHECK_API_KEY'] ?? '',
    forks = forksInEnvironment(),
    settleOn,
    report,
    ...flags
  }: DoctorFlags,
): Promise<readonly Diagnosis[]> {
  const remarks: string[] = [];
  const apiKey = readApiKey(given, (remark) => remarks.push(remark));
  const url = baseUrl === undefined ? undefined : parseBaseUrl(baseUrl);
  const [anvil, nodes, service, reports] = await Promise.all([
    checkAnvil(),
    Promise.all(
      forks.map(async (each) => [
        await checkNode(each, settleOn),
        ...(await checkChainClock(each)),
      ]),
    ),
    url === undefined ? [NO_SERVICE] : checkService(url, apiKey, readReach(flags)),
    Promise.all(report.map(tryReport)),
  ]);
  const doubts = remarks.map((remark): Diagnosis => {
    const [words = '', fix] = remark.replace('the API key ', '').split(/: (?=remove)/);
    return { what: 'API key', state: 'doubtful', words, ...(fix !== undefined && { fix }) };
  });
  return [
    checkNodeVersion(),
    checkWebAssembly(),
    anvil,
    ...nodes.flat(),
    ...service,
    ...doubts,
    ...reports,
  ];
}

const NO_SERVICE: Diagnosis = {
  what: 'Service',
  state: 'doubtful',
  words: 'was not checked: no BASE_URL was given',
  fix: 'pass its base URL, or set url: in swapcheck.yaml',
};

function itemOf({ what, state, words, fix }: Diagnosis): Item {
  return {
    line: [{ mark: MARKS[state] }, ' ', { text: what, isBold: true }, `: ${words}`],
    ...(fix !== undefined && { parts: [['Fix', fix]] }),
  };
}

function diagnosis(
  isFound: boolean,
  what: string,
  words: string,
  fix: string,
  otherwise: Diagnosis['state'] = 'missing',
): Diagnosis {
  return isFound ? { what, state: 'found', words } : { what, state: otherwise, words, fix };
}

/**
 * Runs a check and returns its text. If the check throws, returns the error message and the fix.
 */
async function checkThat(
  what: string,
  fix: string,
  check: () => Promise<string>,
  otherwise?: Diagnosis['state'],
): Promise<Diagnosis> {
  try {
    return diagnosis(true, what, await check(), fix);
  } catch (cause) {
    const words = messageOf(cause);
    return diagnosis(false, what, words, fix, otherwise);
  }
}

function checkNodeVersion(): Diagnosis {
  const { engines } = createRequire(import.meta.url)('#package') as { engines: { node: string } };
  const { node } = process.versions;
  const wanted = engines.node.replace('>=', '');
  const isEnough = node.localeCompare(wanted, 'en', { numeric: true }) >= 0;
  const fix = `install Node ${wanted} or later from https://nodejs.org`;
  return diagnosis(isEnough, 'Node', `${node}; ${wanted} or later is required`, fix);
}

function checkWebAssembly(): Diagnosis {
  const fix = webAssemblyFix();
  const words =
    fix === undefined ? 'works' : 'cannot allocate memory, which requests to nodes of chains need';
  return diagnosis(fix === undefined, 'WebAssembly', words, fix ?? '', 'doubtful');
}

function checkAnvil(): Promise<Diagnosis> {
  const fix =
    'install Foundry. Without Anvil, a run judges everything except the settlement of plans on forks';
  const check = async () => {
    const path = findAnvil();
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: MAX_REPLY_MS });
    return `${stdout.split('\n', 1)[0]} (${path})`;
  };
  return checkThat('Anvil', fix, check, 'doubtful');
}

function checkNode(fork: ForkSource, settleOn: SettleOn = 'anvil'): Promise<Diagnosis> {
  const fix = 'pass --fork CHAIN=RPC with a node of that chain that responds';
  return checkThat(`Node of chain ${fork.chainId}`, fix, async () => {
    const { CannotSettleError, checkForkSource, startSource } = await import(
      '../execution/fork/source.ts'
    );
    const { checkCanSettle } = await import('../execution/fork/check-sources.ts');
    const source = await startSource(fork);
    await checkForkSource(source, MAX_REPLY_MS);
    const words = 'responds, and serves that chain';
    try {
      await checkCanSettle(source);
      return `${words}; it can settle plans${adviceFor(await replyMsOf(source.rpcUrl))}`;
    } catch (error) {
      if (settleOn === 'node' || !(error instanceof CannotSettleError)) throw error;
      return `${words}; plans must be settled in Anvil, since ${error.why}`;
    }
  });
}

/** Anvil reads state from a node slot by slot, which takes long if each reply takes longer than this. */
const MAX_NEAR_REPLY_MS = 20;

/** Returns the advice for a node that can settle plans, whose replies take the given time. */
export function adviceFor(replyMs: number): string {
  return replyMs > MAX_NEAR_REPLY_MS
    ? `, and a reply takes ${Math.round(replyMs)} ms: pass --settle-on node, which is several times as fast as a fork of it`
    : ': --settle-on node';
}

/** Returns the shortest of a few reply times, since the first also opens a connection. */
async function replyMsOf(rpcUrl: string): Promise<number> {
  const { createRpc } = await import('../execution/node/json-rpc.ts');
  const rpc = createRpc(rpcUrl, { timeoutMs: MAX_REPLY_MS });
  const times: number[] = [];
  for (let count = 0; count < 4; count += 1) {
    const start = performance.now();
    await rpc('eth_chainId');
    times.push(performance.now() - start);
  }
  return Math.min(...times);
}

/** Returns nothing if the block cannot be read, since the node's own diagnosis reports that. */
async function checkChainClock(fork: ForkSource): Promise<readonly Diagnosis[]> {
  const [{ readBlock, startSource }, { formatSeconds }, { openNode }] = await Promise.all([
    import('../execution/fork/source.ts'),
    import('../execution/fork/clocks.ts'),
    import('../execution/node/node.ts'),
  ]);
  let timestamp: number;
  try {
    const node = openNode((await startSource(fork)).rpcUrl);
    ({ timestamp } = await readBlock(node.rpc).finally(node.stop));
  } catch {
    return [];
  }
  const ageS = Math.round(Date.now() / 1000 - timestamp);
  const age = formatSeconds(Math.abs(ageS));
  const words =
    ageS < 0 ? `its latest block is ${age} in the future` : `its latest block is ${age} old`;
  const fix =
    'use a node that is up to date, or start the chain at the present time: deadlines in calldata are compared with the time of its blocks';
  const isClose = ageS >= -MAX_SKEW_MS / 1000 && ageS <= MAX_BLOCK_AGE_S;
  return [diagnosis(isClose, `Clock of chain ${fork.chainId}`, words, fix, 'doubtful')];
}

function tryReport(request: ReportRequest<Report>): Promise<Diagnosis> {
  const { format, path } = request;
  return checkThat(`Report ${format}`, 'pass a path that you may write to', async () => {
    await tryReportPaths([request]);
    return path === '-' ? 'on standard output' : `${path} can be written`;
  });
}

async function checkService(url: URL, apiKey: string, reach: Reach): Promise<readonly Diagnosis[]> {
  const client = createClient({ ...reach, url, apiKey, timeoutMs: MAX_REPLY_MS });
  try {
    const { signal } = new AbortController();
    const get = (target: RequestTarget) => client.send(target, signal);
    const { exchange } = await createOperations(get).chains();
    return [
      diagnoseService(url, exchange),
      await diagnoseKey(apiKey, exchange, get),
      ...diagnoseClock(exchange),
      ...(await diagnoseReplyTimes(url, exchange, get)),
    ];
  } finally {
    await client.close();
  }
}

function diagnoseService(url: URL, { outcome, durationMs }: Exchange): Diagnosis {
  if (outcome.kind === 'no-reply') {
    const { cause, message: words } = outcome;
    // Other messages name the cause, such as TLS, and the fix.
    if (cause !== 'refused') return { what: 'Service', state: 'missing', words };
    const fix = `start the service, or pass a BASE_URL other than ${url.origin}`;
    return diagnosis(false, 'Service', words, fix);
  }
  const words = `${PATHS.chains} returned ${outcome.status} in ${Math.round(durationMs)} ms`;
  const fix = 'pass the base URL of the service, without /api/v1.0';
  return diagnosis(outcome.status !== 404, 'Service', words, fix);
}

/**
 * Returns a diagnosis if replies of a service on this machine are held back. Requests more replies
 * only if the first took long enough.
 */
export async function diagnoseReplyTimes(
  { href }: Pick<URL, 'href'>,
  { outcome, durationMs }: Pick<Exchange, 'outcome' | 'durationMs'>,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<readonly Diagnosis[]> {
  if (outcome.kind === 'no-reply' || !isLoopback(href) || durationMs < MIN_HELD_BACK_MS) return [];
  const timesMs: number[] = [];
  const { chains } = createOperations(get);
  while (timesMs.length < MIN_TIMED_REPLIES) timesMs.push((await chains()).exchange.durationMs);
  const p50Ms = medianOf(timesMs);
  const times = { requests: timesMs.length, p50Ms, p99Ms: Math.max(...timesMs) };
  if (noteOnDelayedWrites(href, [times]) === undefined) return [];
  return [
    { what: 'Reply times', state: 'doubtful', words: DELAYED_WRITES, fix: DELAYED_WRITES_FIX },
  ];
}

/** Quicker replies were not held back. */
const MIN_HELD_BACK_MS = 35;

async function diagnoseKey(
  apiKey: string,
  exchange: Exchange,
  get: (target: RequestTarget) => Promise<Exchange>,
): Promise<Diagnosis> {
  const what = 'API key';
  const fix = 'set SWAPCHECK_API_KEY or pass --api-key';
  const status = statusOf(exchange);
  if (apiKey === '') return diagnosis(false, what, NO_API_KEY, fix);
  if (status === 200) return diagnosis(true, what, 'is accepted', fix);
  if (status === undefined) {
    return { what, state: 'doubtful', words: 'was not tested: the service did not respond' };
  }
  const rejection = await explainRejection(get);
  if (rejection?.cause === 'key') {
    const words = `is wrong: the service rejects it like an unknown key, with ${rejection.answer}`;
    return diagnosis(false, what, words, fix);
  }
  if (rejection === undefined) {
    const words = `was not tested: ${PATHS.chains} returns ${formatStatus(exchange)}`;
    return { what, state: 'doubtful', words };
  }
  if (rejection.cause === 'redirect') {
    const words = `was not tested: the service redirects every request to ${rejection.baseUrl}`;
    return diagnosis(false, what, words, `pass ${rejection.baseUrl}`);
  }
  const words = `was not tested: the service rejects every request in the same way: ${rejection.answer}`;
  const reach = 'the service may require a header (--header) or another address (--proxy)';
  return diagnosis(false, what, words, reach);
}

function diagnoseClock({ outcome, startedAtMs, durationMs }: Exchange): readonly Diagnosis[] {
  const date = outcome.kind === 'reply' ? outcome.headers['date']?.[0] : undefined;
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return [];
  // A Date header contains only whole seconds, so the skew may be off by a second.
  const skewMs = Math.round(theirs - (startedAtMs + durationMs / 2));
  const isClose = Math.abs(skewMs) <= MAX_SKEW_MS;
  const words = `the service's clock is ${Math.abs(skewMs / 1000).toFixed(0)} s ${skewMs < 0 ? 'behind' : 'ahead of'} ours`;
  const fix =
    'synchronize both clocks with NTP, since deadlines in calldata and the ages of markets depend on them';
  return [diagnosis(isClose, 'Clock', words, fix, 'doubtful')];
}
