import { endWithParent } from '../../conformance/output/interruptible.ts';
import { MAX_QUEUED } from '../../reference/server/operations.ts';
import { DEMO_API_KEY } from '../../reference/server/options.ts';
import { startReference } from '../../reference/server/start.ts';

/* The reference as a child process: tells where it listens, and ends with its parent. */
const { url } = await startReference({ maxQueued: MAX_QUEUED });
endWithParent();
process.send?.({ url, apiKey: DEMO_API_KEY });
