import { defineRule } from 'swapcheck';

export const rules = [
  defineRule({
    kind: 'reply',
    id: 'symbols-fit',
    title: 'gives symbols that fit into eleven letters',
    endpoint: 'tokens',
    judge: ({ body }) =>
      body.flatMap(({ symbol }, index) => {
        const fault = {
          expected: 'at most 11 letters',
          actual: symbol,
          pointer: `/${index}/symbol`,
        };
        return symbol.length <= 11 ? [] : [fault];
      }),
  }),
  defineRule({
    kind: 'relation',
    id: 'more-for-more',
    title: 'buys more for a larger amount',
    level: 'should',
    run: async ({ trades, ask, check }) => {
      for (const { chainId, sellToken, buyToken, sellAmount } of trades.slice(0, 4)) {
        const pair = { chainId, sellToken, buyToken };
        const smaller = await ask.swap({ ...pair, sellAmount: sellAmount / 2n });
        const larger = await ask.swap({ ...pair, sellAmount });
        if (smaller.kind !== 'returned' || larger.kind !== 'returned') continue;
        const [less, more] = [BigInt(smaller.body.buy.amount), BigInt(larger.body.buy.amount)];
        check(larger.exchange, more > less || { expected: `more than ${less}`, actual: `${more}` });
      }
    },
  }),
];
