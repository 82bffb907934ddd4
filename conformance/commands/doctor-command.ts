import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { type ReachFlags, readReach, withReachOptions } from '../client/access-options.ts';
import { readApiKey } from '../client/api-key.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import { webAssemblyFix } from '../client/web-assembly.ts';
import { findAnvil } from '../execution/node/find-anvil.ts';
import type { Report } from '../model/report.ts';
import { type Item, listOf, type Mark } from '../output/document.ts';
import { interruptible } from '../output/interruptible.ts';
import { type ReportRequest, reportOption } from '../output/report-formats.ts';
import { wantsColor } from '../output/terminal.ts';
import { renderText } from '../output/text.ts';
import { tryReportPaths } from '../output/write-reports.ts';
import { REPORT_FORMATS } from '../report/formats.ts';
import { withConfigOptions } from '../service/config-options.ts';
import {
  type ForkSource,
  forkOption,
  forksInEnvironment,
  type SettleOn,
  settleOnOption,
} from '../service/fork-option.ts';
import { diagnoseNode } from './diagnose-node.ts';
import { diagnoseService } from './diagnose-service.ts';
import { checkThat, type Diagnosis, diagnosis, MAX_REPLY_MS } from './diagnosis.ts';

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

const MARKS = { found: 'passed', doubtful: 'warning', missing: 'failed' } as const satisfies Record<
  Diagnosis['state'],
  Mark
>;

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
    Promise.all(forks.map((each) => diagnoseNode(each, settleOn))),
    url === undefined ? [NO_SERVICE] : diagnoseService(url, apiKey, readReach(flags)),
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

function tryReport(request: ReportRequest<Report>): Promise<Diagnosis> {
  const { format, path } = request;
  return checkThat(`Report ${format}`, 'pass a path that you may write to', async () => {
    await tryReportPaths([request]);
    return path === '-' ? 'on standard output' : `${path} can be written`;
  });
}
