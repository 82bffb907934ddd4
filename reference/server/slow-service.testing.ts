import { startReference } from './app.ts';
import { doublePlanner, SMALL_MARKET } from './small-market.testing.ts';

/*
 * A reference service that takes a fixed time for every plan. It runs in a separate process, so
 * that it does not slow down the client, and sends its base URL to the parent. Arguments:
 * milliseconds per plan, and the maximum number of waiting trades.
 */
const [planMs = 0, maxQueued = 0] = process.argv.slice(2).map(Number);

const { url } = await startReference({
  markets: [SMALL_MARKET],
  encoders: {},
  planner: (...trade) => {
    const end = performance.now() + planMs;
    while (performance.now() < end);
    return doublePlanner(...trade);
  },
  maxQueued,
});
process.send?.(url);
