import { formsMiddleware } from '../forms/apply-forms.ts';
import type { FormName } from '../forms/forms.ts';
import { loadEmbeddedMarkets } from '../market/embedded-markets.ts';
import { notify } from '../market/notify.ts';
import { CannotServeMarketError, type MarketSources, openMarkets } from '../market/open-markets.ts';
import { readFileText } from '../market/read-file.ts';
import { createApp, type ServedFile } from '../server/app.ts';
import { CannotListenError, createHttpServer, listen } from '../server/http-server.ts';
import { startPlanningThread } from '../server/planning-thread.ts';

/** Options of `swapcheck serve`. */
export type ServeOptions = MarketSources & {
  readonly port: number;
  readonly host: string;
  readonly apiKeys: readonly string[];
  /** File of keys, one per line, which replaces `apiKeys`. */
  readonly apiKeyFile?: string;
  /** Forms to apply to every reply. Default: none. */
  readonly forms: readonly FormName[];
  /** Files to serve, keyed by path, such as the page at `/`. Default: none. */
  readonly files?: ReadonlyMap<string, ServedFile>;
};

/** Idle connections stay open this long while the service drains. */
const DRAIN_IDLE_MS = 1_000;

/**
 * Serves until SIGTERM or SIGINT, then drains. Resolves to the exit code: 0, or 2 if the service
 * could not start.
 */
export async function serve(options: ServeOptions): Promise<number> {
  const { forms, files } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  void stopped.then(() => closing.abort());
  const planning = startPlanningThread();
  try {
    const apiKeys = options.apiKeyFile ? readKeyFile(options.apiKeyFile) : options.apiKeys;
    const { markets = loadEmbeddedMarkets(), follow } = await openMarkets(options, signal);
    const app = createApp({
      apiKeys,
      markets,
      follow,
      report: notify,
      planner: planning.planner,
      middleware: forms.length === 0 ? [] : [formsMiddleware(forms)],
      ...(files && { files }),
    });
    const { url, drain } = await listen(
      createHttpServer(app.callback()),
      options.port,
      options.host,
    );
    const page = files?.has('/') ? ', with a page to try it,' : '';
    notify(`The reference service${page} listens on ${url}`);
    await stopped;
    await drain(DRAIN_IDLE_MS);
    return 0;
  } catch (error) {
    if (error instanceof CannotServeMarketError && signal.aborted) return 0;
    if (!STARTING_ERRORS.some((expected) => error instanceof expected)) throw error;
    notify(`error: ${error instanceof Error ? error.message : error}`);
    return 2;
  } finally {
    closing.abort();
    await planning.close();
  }
}

function readKeyFile(path: string): readonly string[] {
  let text: string;
  try {
    text = readFileText(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new KeyFileError(`${path} cannot be read (${why})`);
  }
  const lines = text.split('\n').map((line) => line.trim());
  for (const [at, line] of lines.entries()) {
    if (/^sha256:|\s/.test(line)) {
      throw new KeyFileError(`${path}, line ${at + 1}: expected one key without spaces`);
    }
  }
  const keys = lines.filter((line) => line !== '');
  if (keys.length === 0) throw new KeyFileError(`${path}: expected at least one key`);
  return keys;
}

class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
}

/** Errors that prevent the service from starting. Each is reported in one line. */
const STARTING_ERRORS = [CannotListenError, CannotServeMarketError, KeyFileError];
