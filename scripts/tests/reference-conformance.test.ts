import { describeConformance } from '../../conformance/embed/describe-conformance.ts';
import { defineRule } from '../../conformance/library/define-rule.ts';
import { createApp } from '../../reference/server/app.ts';

// The judge and the service share this process, so planning may wait longer than behind a socket.
const app = createApp({
  apiKeys: ['embedded-key'],
  maxQueued: 4096,
});

const shortNames = defineRule({
  kind: 'reply',
  id: 'short-names',
  title: 'names chains in at most 40 letters',
  endpoint: 'chains',
  judge: ({ body }) =>
    body.every(({ name }) => name.length <= 40) || { expected: 'at most 40', actual: 'more' },
});

describeConformance('the reference, exact to the base unit', {
  service: { listener: app.callback() },
  apiKey: 'embedded-key',
  level: 'should',
  tolerancePpm: 0,
  frozen: true,
  rules: [shortNames],
  // Ends a run that hangs; a busy machine takes minutes.
  runTimeoutMs: 600_000,
});
