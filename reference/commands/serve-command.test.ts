import { expect, test } from 'vitest';
import { createServeCommand } from './serve-command.ts';

test.each([
  ['--max-block-age', '60', 'Expected CHAIN=SECONDS, such as 1=60, or CHAIN=none.'],
  ['--max-block-age', '1=0', 'Expected CHAIN=SECONDS, such as 1=60, or CHAIN=none.'],
  ['--rpc', '1=node.example.org', '--rpc: expected CHAIN=URL, such as 1=http://127.0.0.1:8545'],
  ['--forms', 'dust,no-detail', "'no-detail' is not a form: did you mean 'no-details'?"],
  ['--forms', 'akward', "'akward' is not a form: did you mean 'awkward'?"],
  ['--port', '65536', 'Expected a port from 0 to 65535.'],
])('%s %s -> an error with the expected value', async (option, value, expected) => {
  const command = createServeCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await expect(command.parseAsync(['node', 'swapcheck', option, value])).rejects.toThrow(expected);
});
