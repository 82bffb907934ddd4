import { startReference } from './app.ts';
import { doublePlanner, SMALL_MARKET } from './small-market.testing.ts';

/*
 * A reference that is busy for some time with every plan. Arguments: milliseconds per plan, and the maximum number of
 * waiting trades. A separate process does not slow down the client. It sends its base URL.
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
