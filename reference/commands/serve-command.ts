import { Command, InvalidArgumentError, Option } from 'commander';
import { closest } from 'fastest-levenshtein';
import { AWKWARD_FORMS, FORM_NAMES, type FormName } from '../forms/forms.ts';
import type { ChainNode } from '../market/open-markets.ts';
import { DEMO_API_KEY } from '../server/parameters.ts';
import type { ServeOptions } from './serve.ts';
import { usageError } from './usage-error.ts';

type Flags = Pick<ServeOptions, 'port' | 'host' | 'apiKeyFile'> & {
  readonly apiKey?: readonly string[];
  readonly market?: readonly string[];
  readonly pools?: readonly string[];
  readonly rpc?: readonly ChainNode[];
  readonly maxBlockAge?: ReadonlyMap<number, number>;
  readonly forms?: readonly FormName[];
};

/**
 * Returns the command `swapcheck serve`: runs the reference service until SIGTERM or SIGINT. Exits
 * 0 after such a signal, 2 if the service could not start. `openPage` returns the files of the page
 * at `/`.
 */
export function createServeCommand(
  openPage?: () => Promise<NonNullable<ServeOptions['files']>>,
): Command {
  const keyDefault = `$SWAPCHECK_API_KEY, else ${DEMO_API_KEY}`;
  return new Command('serve')
    .option('--port <number>', 'port to listen on, 0 for a free one', parsePort, 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--api-key <key>', `a key to accept, repeatable (default: ${keyDefault})`, collectKey)
    .addOption(keyFileOption())
    .option(
      '--market <file>',
      'a market to serve, repeatable (default: the embedded markets)',
      collect,
    )
    .option('--pools <file>', 'pools to serve live from --rpc, repeatable', collect)
    .option('--rpc <chain=url>', 'node of a chain in --pools, repeatable', collectNode)
    .option(
      '--max-block-age <chain=seconds>',
      'maximum age of the latest block, or none for no limit; a chain with an older block is not quoted; repeatable (default: 5 block times, at least 15 s)',
      collectAge,
    )
    .option(
      '--forms <list>',
      'reply in forms that the specification permits: awkward (all that may confuse clients), plain, or names from docs/clients.md, such as dust,no-details',
      parseForms,
    )
    .action(async ({ apiKey, market, pools, rpc, maxBlockAge, forms, ...flags }: Flags) => {
      const { SWAPCHECK_API_KEY } = process.env;
      const options: ServeOptions = {
        ...flags,
        apiKeys: apiKey ?? [withoutLineBreaks(SWAPCHECK_API_KEY ?? '') || DEMO_API_KEY],
        marketFiles: market ?? [],
        poolsFiles: pools ?? [],
        nodes: rpc ?? [],
        maxBlockAges: maxBlockAge ?? new Map(),
        forms: forms ?? [],
        ...(openPage && { files: await openPage() }),
      };
      // Loaded on demand: other commands start without the reference.
      const { serve } = await import('./serve.ts');
      process.exitCode = await serve(options);
    });
}

function keyFileOption(): Option {
  return new Option('--api-key-file <file>', 'keys to accept, one per line').conflicts('apiKey');
}

function collectKey(text: string, earlier: readonly string[] = []): string[] {
  const key = withoutLineBreaks(text);
  if (key === '') {
    throw usageError('--api-key is empty: expected a key that clients send');
  }
  return [...earlier, key];
}

/** Files and secret stores may add line breaks to a key. */
function withoutLineBreaks(text: string): string {
  return text.replace(/^[\r\n]+|[\r\n]+$/g, '');
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function collectNode(text: string, earlier: readonly ChainNode[] = []): ChainNode[] {
  const [, chain, url = ''] = /^([1-9][0-9]{0,14})=(https?:\/\/.+)$/.exec(text) ?? [];
  if (chain === undefined || !URL.canParse(url)) {
    throw usageError('--rpc: expected CHAIN=URL, such as 1=http://127.0.0.1:8545');
  }
  return [...earlier, { chainId: Number(chain), url }];
}

function collectAge(
  text: string,
  earlier: ReadonlyMap<number, number> = new Map(),
): ReadonlyMap<number, number> {
  const [, chain, seconds] = /^([1-9][0-9]{0,14})=([1-9][0-9]{0,8}|none)$/.exec(text) ?? [];
  if (chain === undefined) {
    throw new InvalidArgumentError('Expected CHAIN=SECONDS, such as 1=60, or CHAIN=none.');
  }
  const age = seconds === 'none' ? Number.POSITIVE_INFINITY : Number(seconds);
  return new Map([...earlier, [Number(chain), age]]);
}

function parseForms(list: string): readonly FormName[] {
  return list.split(',').flatMap((text) => {
    if (text === 'awkward') return AWKWARD_FORMS;
    const name = FORM_NAMES.find((each) => each === text);
    if (name !== undefined) return [name];
    const nearest = closest(text, ['awkward', ...FORM_NAMES]);
    throw new InvalidArgumentError(`'${text}' is not a form: did you mean '${nearest}'?`);
  });
}

function parsePort(text: string): number {
  if (!/^[0-9]{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  }
  return Number(text);
}
