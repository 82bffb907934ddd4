import { expect, test } from 'vitest';
import type { RouterInfo } from '../../contract/resources.ts';
import { approvalOf } from './approvals.ts';

test('a router at an invalid address -> no approval, and no call', async () => {
  const info: RouterInfo = {
    name: 'service-router',
    liquiditySources: [],
    deployedAddress: 'nowhere',
    hasEncoder: true,
  };
  const rpc = () => Promise.reject(new Error('called'));
  expect(await approvalOf(rpc, info)).toBeUndefined();
});
