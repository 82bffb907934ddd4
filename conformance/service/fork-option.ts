import { createRequire } from 'node:module';
import { Option } from 'commander';
import { named, oneOrMore } from '../output/option-values.ts';
import { readText } from '../output/read-file.ts';
import { UsageError } from '../output/usage-error.ts';

export type ForkSource = {
  readonly chainId: number;
  /** JSON-RPC URL of a node for the chain, or a function that starts one on first use. */
  readonly rpcUrl: string | (() => Promise<string>);
  /** Place of settlement: a copy of the chain in Anvil (the default), or the node itself. */
  readonly settleOn?: SettleOn | undefined;
  /**
   * True if the node is an Anvil of ours that nobody else uses. Its chain is not copied unless
   * `settleOn` is set.
   */
  readonly isPrivate?: boolean;
};

export type SettleOn = 'anvil' | 'node';

const VARIABLE = 'SWAPCHECK_RPC_';
const FORMS = 'CHAIN=RPC, such as 1=https://node.example, CHAIN=@FILE, or CHAIN';

/**
 * Returns the repeatable option `--fork`. Its error messages show no URL, since URLs of nodes
 * contain keys.
 */
export function forkOption(env: NodeJS.ProcessEnv = process.env): Option {
  const option = new Option(
    '--fork <chain[=rpc]>',
    `execute plans on a fork of this chain, repeatable: CHAIN=RPC, CHAIN=@FILE with the URL in a file, or CHAIN with it in $${VARIABLE}<CHAIN>`,
  );
  const parse = Object.assign(
    (text: string, earlier: ForkSource[] = []) => [...earlier, parseFork(text, env)],
    { schema: oneOrMore({ type: ['string', 'integer'] }) },
  );
  return named('forks', option.argParser<ForkSource[]>(parse));
}

/** Returns the option `--settle-on`. */
export function settleOnOption(): Option {
  return new Option(
    '--settle-on <place>',
    'settle plans on a copy of the chain in Anvil, or on the node of --fork itself (default: anvil)',
  ).choices(['anvil', 'node'] satisfies readonly SettleOn[]);
}

/**
 * Returns the nodes in environment variables such as `SWAPCHECK_RPC_1` or `SWAPCHECK_RPC_ETHEREUM`.
 */
export function forksInEnvironment(env: NodeJS.ProcessEnv = process.env): readonly ForkSource[] {
  return variablesIn(env).map(([name, chainId]) => sourceOf(name, chainId, env[name] ?? ''));
}

function parseFork(text: string, env: NodeJS.ProcessEnv): ForkSource {
  const [chain = ''] = text.split('=', 1);
  const chainId = /^[\w .-]{1,40}$/.test(chain) ? findChain(chain) : undefined;
  if (chainId === undefined)
    throw new UsageError(`--fork: Expected ${FORMS}, a chain id or a name`);
  if (chain !== text) return sourceOf(`--fork ${chain}`, chainId, text.slice(chain.length + 1));
  const [name] = variablesIn(env).find(([, id]) => id === chainId) ?? [];
  if (name !== undefined) return sourceOf(name, chainId, env[name] ?? '');
  throw new UsageError(
    `--fork ${chain}: ${VARIABLE}${chainId} is not set: set it to the URL of a node, or pass --fork ${chain}=RPC`,
  );
}

function variablesIn(env: NodeJS.ProcessEnv): readonly (readonly [name: string, chain: number])[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(VARIABLE) && env[name] !== '')
    .map((name) => {
      const chainId = findChain(name.slice(VARIABLE.length));
      if (chainId !== undefined) return [name, chainId] as const;
      throw new UsageError(
        `${name}: no chain has this name; use the id of the chain, such as ${VARIABLE}1`,
      );
    });
}

/**
 * Returns the chain with the given id or common name, in any letter case and with any separators
 * between words.
 *
 * @example findChain('ARBITRUM_ONE') // 42161
 */
export function findChain(name: string): number | undefined {
  if (/^[0-9]{1,15}$/.test(name)) return Number(name);
  // Loaded only for a name, since there are hundreds of chains.
  const chains = createRequire(import.meta.url)('viem/chains') as Readonly<
    Record<string, { readonly id?: number; readonly name?: string }>
  >;
  const wanted = plain(name);
  const found = Object.entries(chains).find(
    ([key, chain]) => plain(key) === wanted || plain(chain.name ?? '') === wanted,
  );
  return found?.[1].id;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function sourceOf(origin: string, chainId: number, value: string): ForkSource {
  const [where, text] = value.startsWith('@')
    ? [`${origin}=${value}`, readText(value.slice(1), `${origin}=${value}`)]
    : [origin, value];
  const rpcUrl = text.trim();
  if (/^https?:\/\/./.test(rpcUrl) && URL.canParse(rpcUrl)) return { chainId, rpcUrl };
  throw new UsageError(`${where}: Expected the http or https URL of a node`);
}
