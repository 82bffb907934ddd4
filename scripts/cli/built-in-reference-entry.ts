import { endWithParent } from '../../conformance/output/interruptible.ts';
import { loadEmbeddedMarkets } from '../../reference/market/embedded-markets.ts';
import { MAX_QUEUED, startReference } from '../../reference/server/app.ts';
import { DEMO_API_KEY } from '../../reference/server/parameters.ts';
import { startPlanningThread } from '../../reference/server/planning-thread.ts';
import type { Started } from './built-in-reference.ts';

/*
 * Runs the reference as a child process. Sends its address to the parent, and exits when the parent
 * does.
 */
const { planner } = startPlanningThread();
const markets = loadEmbeddedMarkets();
const { url } = await startReference({ markets, maxQueued: MAX_QUEUED, planner });
endWithParent();
const chainIds = markets.map(({ chainId }) => chainId);
process.send?.({ url, apiKey: DEMO_API_KEY, chainIds } satisfies Started);
