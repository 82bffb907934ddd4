import { readOrders } from '../makers/http-maker.ts';
import type { Maker } from '../makers/maker.ts';
import { withQuotes } from '../makers/request-quotes.ts';
import { testMakers } from '../makers/test-maker.ts';
import { readFileText, UnreadableFileError } from '../market/read-file.ts';
import { type RouteTask, wrong as wrongFlag } from './route-flags.ts';

/** Selects the test maker in place of a file of orders. */
const TEST = 'test';

/**
 * Returns the task with signed orders in addition to the pools. The orders come from the test
 * maker, or from a file in the format of a maker's reply.
 * @throws {CommanderError} if the trade cannot fill any orders, or if an order is invalid
 */
export async function withOrders(task: RouteTask, path: string): Promise<RouteTask> {
  const { market, router, request } = task;
  const wrong = (expected: string) => wrongFlag('--orders', path, expected);
  if (router.withMakers === undefined) throw wrong(`${router.name} fills no orders`);
  if (market.makerOrders === undefined) throw wrong('expected a market that names `makerOrders`');
  const { chainId } = market;
  const makers = path === TEST ? testMakers() : [fileMaker(path, chainId, wrong)];
  if (!makers.some((maker) => maker.chainId === chainId)) {
    const chains = testMakers().map((maker) => maker.chainId);
    throw wrong(`expected a file, since the test maker is only on chains ${chains.join(' and ')}`);
  }
  const quoteRequest = { ...request, taker: router.address };
  const quoted = await withQuotes(market, quoteRequest, makers, ({ fault }) => {
    throw wrong(`expected valid orders for this trade in the format of a maker's reply (${fault})`);
  });
  return { market: quoted, router, request: { ...request, constraints: router.withMakers } };
}

function fileMaker(path: string, chainId: number, wrong: (expected: string) => Error): Maker {
  const quote: Maker['quote'] = (request, market) => {
    try {
      return readOrders(JSON.parse(readFileText(path)), request, market, Date.now());
    } catch (error) {
      const { message } = error as Error;
      if (error instanceof UnreadableFileError) {
        throw wrong(`expected a file that can be read (${message})`);
      }
      throw wrong(`expected JSON (${message})`);
    }
  };
  return { name: path, chainId, quote };
}
