import { describeConformance } from '../conformance/embed/describe-conformance.ts';
import { createApp } from '../reference/server/app.ts';

// The judge and the client share this process: planning may wait longer than behind a socket.
const app = createApp({
  apiKeys: ['embedded-key'],
  planningLimits: { maxQueued: 4096, maxWaitMs: 10_000 },
});

describeConformance('the reference, exact to the base unit', {
  service: { listener: app.callback() },
  apiKey: 'embedded-key',
  level: 'should',
  tolerancePpm: 0,
  frozen: true,
  // It ends what hangs; a busy machine takes minutes.
  runTimeoutMs: 600_000,
});
