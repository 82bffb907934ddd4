import { MarketFileError } from '../planner/domain/market-file-error.ts';
import { maxBlockAgeOf } from './live/block-age.ts';
import { followMarket } from './live/follow-market.ts';
import { CannotReadChainError, type LiveMarket, openLiveMarket } from './live/live-market.ts';
import { type PoolsFile, parsePoolsFile } from './live/pools-file.ts';
import type { MarketChange } from './market.ts';
import { notify } from './notify.ts';
import { parseMarket } from './parse-market.ts';
import { readFileText } from './read-file.ts';

/** A node that serves a chain's state. Messages never show the URL, which may contain a key. */
export type ChainNode = { readonly chainId: number; readonly url: string };

/** The markets to serve. */
export type MarketSources = {
  /**
   * Market files, whose state never changes. Without market files and pools files, the embedded
   * markets are served.
   */
  readonly marketFiles: readonly string[];
  /** Pools files. The state of their pools is read from nodes. */
  readonly poolsFiles: readonly string[];
  /** One node for each pools file, on the same chain. */
  readonly nodes: readonly ChainNode[];
  /** Maximum age of the latest block in seconds, keyed by chain id. Default: `maxBlockAgeOf`. */
  readonly maxBlockAges: ReadonlyMap<number, number>;
};

/**
 * Opens the markets to serve. Aborting `signal` ends all reads.
 *
 * @throws {CannotServeMarketError} whose message names the file or chain, and the problem
 */
export async function openMarkets(sources: MarketSources, signal: AbortSignal) {
  const frozen = sources.marketFiles.map((file) => readFile('market', file, parseMarket));
  const files = sources.poolsFiles.map((file) => readFile('pools', file, parsePoolsFile));
  const pairs = pairUp(files, sources.nodes);
  for (const chainId of sources.maxBlockAges.keys()) {
    if (pairs.some(({ file }) => file.chainId === chainId)) continue;
    throw new CannotServeMarketError(
      `--max-block-age names chain ${chainId}, which is not served live: pass --pools and --rpc for it`,
    );
  }
  const live = await Promise.all(pairs.map((pair) => openLive(pair, signal)));
  const markets = [...frozen, ...live.map(({ market }) => market)];
  return {
    /** If unset, the embedded markets are served. */
    ...(markets.length > 0 && { markets }),
    follow: (onChange: (change: MarketChange) => void) => {
      for (const one of live) {
        const { chainId } = one.market;
        const maxBlockAgeS = sources.maxBlockAges.get(chainId) ?? maxBlockAgeOf(chainId);
        void followMarket(one, onChange, signal, { maxBlockAgeS });
      }
    },
  };
}

function pairUp(
  files: readonly PoolsFile[],
  nodes: readonly ChainNode[],
): readonly { readonly file: PoolsFile; readonly url: string }[] {
  const chainIds = new Set([...files, ...nodes].map(({ chainId }) => chainId));
  return [...chainIds].map((chainId) => {
    const itsFiles = files.filter((each) => each.chainId === chainId);
    const itsNodes = nodes.filter((each) => each.chainId === chainId);
    const [file] = itsFiles;
    const [node] = itsNodes;
    if (file && node && itsFiles.length + itsNodes.length === 2) return { file, url: node.url };
    const given = `${itsFiles.length} and ${itsNodes.length}`;
    throw new CannotServeMarketError(
      `Chain ${chainId} needs exactly one --pools file and one --rpc node, got ${given}`,
    );
  });
}

async function openLive(
  { file, url }: { readonly file: PoolsFile; readonly url: string },
  signal: AbortSignal,
): Promise<LiveMarket> {
  try {
    const live = await openLiveMarket(file, url, { signal });
    for (const token of live.unusableTokens) {
      notify(
        `warning: chain ${file.chainId}: pools of token ${token} are not served, because the token returns no decimals, or more than 18`,
      );
    }
    return live;
  } catch (error) {
    if (error instanceof CannotReadChainError || error instanceof MarketFileError) {
      throw new CannotServeMarketError(error.message, error);
    }
    throw error;
  }
}

function readFile<Parsed>(kind: string, file: string, parse: (json: unknown) => Parsed): Parsed {
  try {
    return parse(JSON.parse(readFileText(file)));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CannotServeMarketError(`Cannot read ${kind} ${file}: ${why}`, cause);
  }
}

/** Thrown for a market that cannot be served; the message contains the reason. */
export class CannotServeMarketError extends Error {
  override readonly name = 'CannotServeMarketError';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
