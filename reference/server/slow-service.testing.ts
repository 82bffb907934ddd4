import { doublePlanner, SMALL_MARKET } from './small-market.testing.ts';
import { startReference } from './start.ts';

/*
 * A reference whose every plan keeps the processor busy: the arguments are the
 * time for a plan, in ms, and how many trades may wait. A separate process, so
 * that it takes no time from the client. Sends its base URL.
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
