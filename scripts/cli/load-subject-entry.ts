import { endWithParent } from '../../conformance/output/interruptible.ts';
import { MAX_QUEUED } from '../../reference/server/operations.ts';
import { DEMO_API_KEY } from '../../reference/server/options.ts';
import { startReference } from '../../reference/server/start.ts';

/* Runs the reference as a child process, sends its address to the parent, and exits with the parent. */
const { url } = await startReference({ maxQueued: MAX_QUEUED });
endWithParent();
process.send?.({ url, apiKey: DEMO_API_KEY });
