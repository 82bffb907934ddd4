import { expect, test } from 'vitest';
import { noReplyFrom } from './no-reply.ts';

const context = { timedOutAfterMs: undefined, aborted: false, host: 'a.example:1' };
const failing = (code: string, message: string) => Object.assign(new Error(message), { code });

test.each([
  [
    'EPROTO',
    'write EPROTO 800C:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../ssl.c:350:\n',
    'it does not speak TLS (wrong version number)',
  ],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'self-signed certificate',
    'self-signed certificate (pass --ca FILE or set NODE_EXTRA_CA_CERTS)',
  ],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND a.example', 'getaddrinfo ENOTFOUND a.example'],
])('%s -> no connection, with the reason', (code, message, why) => {
  expect(noReplyFrom(failing(code, message), context)).toEqual({
    kind: 'no-reply',
    cause: 'network',
    message: `no connection to a.example:1: ${why}`,
  });
});

test('several addresses that fail -> the reason of the first', () => {
  const error = new AggregateError([failing('ECONNREFUSED', 'one'), failing('ENOENT', 'two')]);
  expect(noReplyFrom(error, context)).toMatchObject({ cause: 'refused' });
});
