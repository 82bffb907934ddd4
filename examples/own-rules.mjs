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
    title: 'gives more for more',
    level: 'should',
    run: async ({ trades, ask, check }) => {
      for (const { chainId, sellToken, buyToken, sellAmount } of trades.slice(0, 4)) {
        const pair = { chainId, sellToken, buyToken };
        const less = await ask.swap({ ...pair, sellAmount: sellAmount / 2n });
        const more = await ask.swap({ ...pair, sellAmount });
        if (less.kind !== 'answered' || more.kind !== 'answered') continue;
        const [fewer, bought] = [BigInt(less.body.buy.amount), BigInt(more.body.buy.amount)];
        const isMore = bought > fewer;
        check(more.exchange, isMore || { expected: `more than ${fewer}`, actual: `${bought}` });
      }
    },
  }),
];
