import request from 'supertest';
import { expect, test } from 'vitest';
import type { ChainInfo } from '../../conformance/contract/resources.ts';
import { createApp } from '../server/app.ts';
import { decodeCalldata } from './decode-calldata.ts';
import { describeMessages, describePlan } from './trade-view.ts';

const agent = request(createApp().callback());
const NATIVE = `0x${'0'.repeat(40)}`;
const RECIPIENT = `0x${'12'.repeat(20)}`;

async function plan(changes: Record<string, string>) {
  const info: ChainInfo = (await agent.get('/api/v1.0/chainInfo?chainId=31337&apiKey=demo')).body;
  const query = new URLSearchParams({
    ...{ chainId: '31337', sellToken: NATIVE, buyToken: info.usdTokenAddress, apiKey: 'demo' },
    ...{ includeCalldata: 'true', userAddress: `0x${'11'.repeat(20)}`, slippageTolerance: '0.01' },
    ...changes,
  });
  const { body, text } = await agent.get(`/api/v1.0/swap?${query}`);
  expect(body.calldata, text).toMatch(/^0x/);
  const [sold, bought] = [body.sell, body.buy].map(({ referenceId }) =>
    body.tokens.find((token: { referenceId: number }) => token.referenceId === referenceId),
  );
  return { body, text, sold, bought };
}

const words = {
  nameOf: (address: string) => address.toLowerCase(),
  amountOf: (units: bigint) => `${units}`,
};

test.each([
  ['default-router', { sellAmount: `50${'0'.repeat(18)}` }, 'sellExactly'],
  ['service-router', { buyAmount: '70000000000' }, 'buyExactly'],
  ['default-router', { sellAmount: `9${'0'.repeat(18)}`, useRfq: 'true' }, 'sellWithQuotes'],
])(
  'calldata for %s and %o -> decoded as %s, with limits, recipient and a step for each swap',
  async (router, amount, name) => {
    const { body } = await plan({ router, ...amount, recipientAddress: RECIPIENT });
    const decoded = decodeCalldata(body.calldata, words);
    expect(decoded?.signature).toContain(name);
    const fields = new Map(decoded?.fields);
    // Rounded up, in favor of the user.
    const minBought = (BigInt(body.buy.amount) * 99n + 99n) / 100n;
    const maxSold = (BigInt(body.sell.amount) * 101n) / 100n;
    const sells = name.startsWith('sell');
    expect(fields.get(sells ? 'buys at least' : 'sells at most')).toBe(
      `${sells ? minBought : maxSold}`,
    );
    expect(fields.get('recipient')?.toLowerCase()).toBe(RECIPIENT);
    const orders = body.routes.filter(({ name }: { name: string }) => name === 'MakerOrders');
    expect(decoded?.steps).toHaveLength(body.routes.length + orders.length);
    expect(decoded?.steps.filter((step) => step.startsWith('Maker order'))).toHaveLength(
      orders.length,
    );
    for (const { details } of orders) {
      expect(decoded?.steps.join('\n')).toMatch(
        new RegExp(
          `Quote \\d: ${details.maker} buys up to ${details.takerAmount} for ${details.makerAmount}, until 20`,
          'i',
        ),
      );
    }
    for (const { address } of body.routes) {
      expect(decoded?.steps.join('\n')).toContain(address.toLowerCase());
    }
  },
);

test('calldata for the Universal Router -> decoded commands with recipients and paths', async () => {
  const { body, bought } = await plan({
    router: 'universal-router',
    sellAmount: `50${'0'.repeat(18)}`,
  });
  const { steps = [] } = decodeCalldata(body.calldata, words) ?? {};
  expect(steps[0]).toMatch(/^WRAP_ETH: recipient the router, amount \d+$/);
  const wrapped = BigInt(steps[0]?.split(' ').at(-1) ?? 0);
  const locked = steps.filter((step) => step.startsWith('V4_SWAP SETTLE: '));
  const paid = locked.map((step) => BigInt(/amount (\d+)/.exec(step)?.[1] ?? 0));
  expect(paid.reduce((sum, amount) => sum + amount, wrapped)).toBe(BigInt(`50${'0'.repeat(18)}`));
  expect(steps.join('\n')).toMatch(/V4_SWAP SWAP_EXACT_IN: currencyIn 0x0{40}, path \(0.05%\) 0x/);
  expect(steps.join('\n')).not.toMatch(/0x\w{41}/);
  expect(steps.filter((step) => /^V[234]_SWAP/.test(step)).length).toBeGreaterThan(1);
  expect(steps.join('\n')).toContain(bought.address.toLowerCase());
  expect(steps.join('\n')).toContain('the sender');
});

test('unknown or empty calldata -> undefined', () => {
  expect(decodeCalldata('0x12345678', words)).toBeUndefined();
  expect(decodeCalldata('0x', words)).toBeUndefined();
});

test('a plan -> its drawing and metrics; token names are escaped', async () => {
  const { body } = await plan({ sellAmount: `50${'0'.repeat(18)}` });
  const [hostile] = body.tokens;
  hostile.symbol = '<img src=x>';
  const small = structuredClone(body);
  small.buy.amount = String((BigInt(body.buy.amount) * 5n) / 4n);
  const trade = {
    reply: body,
    text: JSON.stringify(body),
    ms: 3,
    curl: 'curl',
    isExactInput: true,
    tolerance: '0.01',
    small,
  };
  const html = describePlan(trade, () => '<svg id="drawing"></svg>').html;
  expect(html).toContain('<svg id="drawing"></svg>');
  expect(html).toMatch(/Price impact<\/dt><dd>20%/);
  expect(html).toMatch(/Minimum bought<\/dt><dd>[\d,.]+ /);
  expect(html + describeMessages(trade).html).not.toContain('<img');
});

test('an amount with more than six digits -> rounded down', async () => {
  const { body } = await plan({ sellAmount: '1999999999999999999' });
  const trade = { reply: body, text: '', ms: 3, curl: '', isExactInput: true, tolerance: '0' };
  expect(describePlan(trade, () => '').html).toContain('<h2>1.99999 WETH (native) →');
});
