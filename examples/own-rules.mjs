import { defineRule } from 'swapcheck';

export const rules = [
  defineRule({
    kind: 'reply',
    id: 'symbols-fit',
    title: 'gives symbols that fit into eleven letters',
    endpoint: 'tokens',
    check: ({ body }, t) => {
      const faults = body.map(({ symbol }, index) => ({
        expected: 'at most 11 letters',
        actual: symbol,
        pointer: `/${index}/symbol`,
      }));
      t.check(faults.filter(({ actual }) => actual.length > 11));
    },
  }),
  defineRule({
    kind: 'relation',
    id: 'more-for-more',
    title: 'buys more for a larger amount',
    level: 'should',
    check: async ({ trades, ask }, t) => {
      for (const { chainId, sellToken, buyToken, sellAmount } of trades.slice(0, 4)) {
        const pair = { chainId, sellToken, buyToken };
        const smaller = await ask.swap({ ...pair, sellAmount: sellAmount / 2n });
        const larger = await ask.swap({ ...pair, sellAmount });
        if (smaller.kind !== 'returned' || larger.kind !== 'returned') continue;
        const [less, more] = [BigInt(smaller.body.buy.amount), BigInt(larger.body.buy.amount)];
        const fault = { expected: `more than ${less}`, actual: `${more}` };
        t.check(more > less ? [] : fault, larger.exchange);
      }
    },
  }),
];
