import { openRecording, type Recording } from '../captured/recording.ts';
import { type Passage, startRecordingProxy } from '../captured/recording-proxy.ts';
import { parseBaseUrl } from '../client/base-url.ts';
import type { Exchange } from '../client/exchange.ts';
import { createRedactor } from '../client/redaction.ts';
import { given } from '../output/option-values.ts';
import { printable } from '../output/printable.ts';
import { createStatusLine } from '../output/status-line.ts';
import { UsageError } from '../output/usage-error.ts';
import { tryReportPaths } from '../output/write-reports.ts';
import { judgeAndPublish } from './check-captures.ts';
import type { RecordFlags } from './record-command.ts';

/**
 * Passes requests on until the signal comes; then writes the reports and returns the exit code.
 *
 * @throws {UsageError} for options that do not fit
 */
export async function record(
  flags: RecordFlags,
  usualFiles: readonly string[],
  version: string,
  signal: AbortSignal,
): Promise<number> {
  const { port, timeout: timeoutMs, maxBody, record: files = usualFiles } = flags;
  const target = parseTarget(flags.target);
  const baseUrl = target.href.replace(/\/$/, '');
  const apiKey = flags.apiKey ?? process.env['SWAPCHECK_API_KEY'];
  await tryReportPaths(flags.report);
  const redactor = createRedactor(apiKey);
  const recordings: Recording[] = [];
  const maxBodyBytes = maxBody && maxBody * 2 ** 20;
  const proxy = await startRecordingProxy({
    ...{ target, port },
    ...given({ apiKey, timeoutMs, maxBodyBytes }),
  });
  const { url, apiKeys, passage } = proxy;
  try {
    const lost: Error[] = [];
    const onLost = (error: Error) => void lost.push(error);
    const line = await createStatusLine(process.stderr, () => performance.now(), process.env);
    const say = (text: string) => process.stderr.write(`${printable(text)}\n`);
    const onAbort = () => void proxy.stop();
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });

    async function* passing(): AsyncGenerator<Exchange> {
      // Only once the port is ours, and the flags are right: another run may have recorded to the same files.
      for (const path of files) {
        recordings.push(openRecording(path, { baseUrl, redactor, version, onLost }));
      }
      say(`Passing ${url} on to ${baseUrl}; Ctrl-C ends it and writes the reports`);
      for await (const exchange of proxy.exchanges) {
        for (const recording of recordings) recording.add(exchange);
        yield exchange;
      }
      line.clear();
      say(`${passageText(passage)}; kept in ${files.join(', ')}`);
    }
    const exitCode = await judgeAndPublish(passing(), flags, {
      ...{ apiKeys, target: baseUrl, version },
      onJudged: (replies, failing) =>
        line.show(`${passageText(passage)}, ${replies} judged, ${failingText(failing)}`),
    });
    for (const error of lost) throw error;
    return exitCode;
  } finally {
    for (const recording of recordings) recording.close();
    await proxy.stop();
  }
}

function parseTarget(text: string): URL {
  try {
    return parseBaseUrl(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(error.message.replace('BASE_URL', '--target'), { cause: error });
  }
}

function passageText({ requests, unanswered, lastFault, abandoned }: Passage): string {
  const parts = [
    `${requests} requests`,
    ...(unanswered > 0 ? [`${unanswered} without a reply (${lastFault})`] : []),
    ...(abandoned > 0 ? [`${abandoned} given up by the client`] : []),
  ];
  return parts.join(', ');
}

/** As many rules as fit a line. */
const SHOWN_RULES = 3;

function failingText(failing: readonly string[]): string {
  const more = failing.length - SHOWN_RULES;
  const named = failing.slice(0, SHOWN_RULES).join(', ');
  if (failing.length === 0) return 'none failing';
  return `${failing.length} failing: ${named}${more > 0 ? ` and ${more} more` : ''}`;
}
