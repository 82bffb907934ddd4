import { endWithParent } from '../../conformance/output/interruptible.ts';
import { DEMO_API_KEY } from '../../reference/server/demo-api-key.ts';
import { startReference } from '../../reference/server/start.ts';

/* The reference as a child process: tells where it listens, and ends with its parent. */
const { url } = await startReference({ planningLimits: {} });
endWithParent();
process.send?.({ url, apiKey: DEMO_API_KEY });
