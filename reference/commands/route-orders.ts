import { readFileSync } from 'node:fs';
import { readOrders } from '../makers/http-maker.ts';
import type { Maker } from '../makers/maker.ts';
import { withQuotes } from '../makers/request-quotes.ts';
import { testMakers } from '../makers/test-maker.ts';
import { type RouteTask, UsageError } from './route-flags.ts';

/** Stands for the test maker where a file of orders is asked for. */
const TEST = 'test';

/**
 * Returns the task with signed orders beside the pools: those of a file, as a maker replies, or of
 * the test maker.
 *
 * @throws {UsageError} if there are none that the trade could fill
 */
export async function withOrders(task: RouteTask, path: string): Promise<RouteTask> {
  const { market, router, request } = task;
  const wrong = (expected: string) => new UsageError(`--orders '${path}': ${expected}`);
  if (router.withMakers === undefined) throw wrong(`expected none, ${router.name} fills no orders`);
  if (market.makerOrders === undefined) throw wrong('expected a market that names `makerOrders`');
  const { chainId } = market;
  const makers = path === TEST ? testMakers() : [fileMaker(path, chainId, wrong)];
  if (!makers.some((maker) => maker.chainId === chainId)) {
    const chains = testMakers().map((maker) => maker.chainId);
    throw wrong(`expected a file, the test maker is on chains ${chains.join(' and ')} alone`);
  }
  const asked = { ...request, taker: router.address };
  const quoted = await withQuotes(market, asked, makers, ({ fault }) => {
    throw wrong(`expected orders that hold for this trade, as a maker replies (${fault})`);
  });
  return { market: quoted, router, request: { ...request, constraints: router.withMakers } };
}

function fileMaker(path: string, chainId: number, wrong: (expected: string) => Error): Maker {
  const quote: Maker['quote'] = (request, market) => {
    try {
      return readOrders(JSON.parse(readFileSync(path, 'utf8')), request, market, Date.now());
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== undefined) throw wrong(`expected a file that can be read (${code})`);
      throw wrong(`expected JSON (${message})`);
    }
  };
  return { name: path, chainId, quote };
}
