import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PLAN_STYLE } from '../../conformance/drawing/plan-style.ts';
import type { ForkSource } from '../../conformance/execution/fork.ts';
import { PAGE_STYLE, readBeside } from '../../conformance/output/page-style.ts';
import type { Page, PageFile } from '../../reference/server/page.ts';
import type { MarketSources } from '../../reference/server/served-markets.ts';
import { builtInChain } from '../program/chains/built-in-chain.ts';
import { PAGE_HTML } from './page-html.ts';

/** Settlements that may wait: each takes a second and a chain of its own. */
const MAX_WAITING = 8;
const BUSY = { kind: 'unsettled', why: 'Other settlements are under way: ask again later.' };

/**
 * Returns the page for a service of these markets. Trades of a live market are
 * settled on a fork of its node, those of the embedded ones on the chain that
 * the fixtures bring, which starts when it is first needed.
 */
export function openPage({ marketFiles, poolsFiles, nodes }: MarketSources): Page {
  const isEmbedded = marketFiles.length + poolsFiles.length === 0;
  const sources = new Map<number, ForkSource | undefined>(
    nodes.map(({ chainId, url }) => [chainId, { chainId, rpcUrl: url }]),
  );
  const stops: (() => Promise<void>)[] = [];

  const sourceOf = (chainId: number): ForkSource | undefined => {
    if (!sources.has(chainId) && isEmbedded) {
      const chain = builtInChain(chainId);
      if (chain) stops.push(chain.stop);
      sources.set(chainId, chain && { chainId, rpcUrl: chain.start });
    }
    return sources.get(chainId);
  };
  const whyUnsettled = (chainId: number): string | undefined =>
    sourceOf(chainId) === undefined
      ? `No node of chain ${chainId} is connected to this service, so that trades of it cannot be settled here: serve its pools live by --pools and --rpc ${chainId}=URL.`
      : undefined;

  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    files: readFiles(),
    whyUnsettled,
    settle: async (trade) => {
      const chainId = Number(trade.query.get('chainId'));
      const source = sourceOf(chainId);
      if (source === undefined) return { kind: 'unsettled', why: whyUnsettled(chainId) };
      if (waiting === MAX_WAITING) return BUSY;
      waiting += 1;
      const { settleTrade } = await import('./settle-trade.ts');
      const settled = last.then(() => settleTrade(source, trade));
      last = settled.catch(() => undefined).finally(() => (waiting -= 1));
      return settled;
    },
    close: async () => {
      await last;
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

const TEXT = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

const NOT_BUILT =
  "document.getElementById('news').textContent = 'The script of this page is not built: run npm run build.';";

/** The script is what the build made of `browser/`. */
function readFiles(): ReadonlyMap<string, PageFile> {
  const root = dirname(createRequire(import.meta.url).resolve('#package'));
  const script = join(root, 'dist/page/page.js');
  return new Map([
    ['/', { type: TEXT.html, body: PAGE_HTML }],
    [
      '/page/page.css',
      { type: TEXT.css, body: PAGE_STYLE + PLAN_STYLE + readBeside(import.meta.url, 'page.css') },
    ],
    [
      '/page/page.js',
      { type: TEXT.js, body: existsSync(script) ? readFileSync(script) : NOT_BUILT },
    ],
  ]);
}
