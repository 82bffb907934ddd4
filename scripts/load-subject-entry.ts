import { DEMO_API_KEY } from '../reference/server/demo-api-key.ts';
import { startReference } from '../reference/server/start.ts';

/* The reference as a child process: tells where it listens, and ends with its parent. */
const { url } = await startReference({ planningLimits: {} });
// A terminal sends SIGINT to the whole group: the parent decides what it means.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
process.send?.({ url, apiKey: DEMO_API_KEY });
