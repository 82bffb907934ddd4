import { doublePlanner, SMALL_MARKET } from './small-market.testing.ts';
import { startReference } from './start.ts';

/*
 * A reference whose every plan takes a core for a time: arguments are that time
 * and the longest wait for a plan, in ms. A process of its own, so that it takes
 * nothing from the client. Sends its base URL.
 */
const [planMs = 0, maxWaitMs = 0] = process.argv.slice(2).map(Number);

const { url } = await startReference({
  markets: [SMALL_MARKET],
  encoders: {},
  planner: (...trade) => {
    const end = performance.now() + planMs;
    while (performance.now() < end);
    return doublePlanner(...trade);
  },
  planningLimits: { maxWaitMs },
});
process.send?.(url);
