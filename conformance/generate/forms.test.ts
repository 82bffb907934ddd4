import { describe, expect, test } from 'vitest';
import { parameterOf } from '../client/request.ts';
import type { ChainMarket } from '../discovery/facts.ts';
import { modelFacts } from '../model/model-market.testing.ts';
import {
  calldataFormsOf,
  formsOf,
  inForm,
  PLAIN_FORMS,
  spreadInForms,
  takeTurns,
} from './forms.ts';
import { type Trade, tradesOf } from './trades.ts';

const model = modelFacts.markets.get(31337) as ChainMarket;
const market: ChainMarket = {
  ...model,
  routers: new Map([
    ['default-router', 'calldata'],
    ['service-router', 'plan'],
    ['universal-router', 'calldata'],
  ]),
};
const [trade] = tradesOf(modelFacts) as [Trade];

describe('formsOf', () => {
  test('a chain on which two of three routers return calldata -> either amount, without calldata and with both routers', () => {
    const names = formsOf(market).map(({ amount, calldataOf }) => `${amount} ${calldataOf}`);
    expect(names).toEqual([
      'sellAmount undefined',
      'buyAmount undefined',
      'sellAmount default-router',
      'buyAmount default-router',
      'sellAmount universal-router',
      'buyAmount universal-router',
    ]);
    expect([...PLAIN_FORMS, ...calldataFormsOf(market)]).toEqual(formsOf(market));
  });
});

describe('inForm', () => {
  test.each(formsOf(market))('$amount, $calldataOf -> only the parameters of the form', (form) => {
    const query = inForm(trade, form);
    const other = form.amount === 'sellAmount' ? 'buyAmount' : 'sellAmount';
    expect(parameterOf(query, form.amount)).toBe(String(trade.pair[form.amount]));
    expect(parameterOf(query, other)).toBeUndefined();
    expect(parameterOf(query, 'router')).toBe(form.calldataOf);
    expect(parameterOf(query, 'includeCalldata')).toBe(form.calldataOf && 'true');
  });
});

describe('takeTurns', () => {
  const chains = ['a', 'b'].map((name, chainId): ChainMarket & { name: string } => ({
    ...market,
    chainId,
    name,
  }));
  const trades = Array.from({ length: 8 }, (_, index): Trade => {
    const chain = chains[index % 2] as ChainMarket;
    return { ...trade, market: chain };
  });

  test('two chains, four choices -> each chain starts at a different choice, and takes all in turn', () => {
    const turns = takeTurns(trades, () => [1, 2, 3, 4]);
    expect(turns.map(([, choice]) => choice)).toEqual([1, 3, 2, 4, 3, 1, 4, 2]);
    expect(turns.map(([each]) => each)).toEqual(trades);
  });

  test('a chain without choices -> omitted', () => {
    const turns = takeTurns(trades, ({ chainId }) => (chainId === 0 ? [] : [1]));
    expect(turns.map(([{ market: each }]) => each.chainId)).toEqual([1, 1, 1, 1]);
  });
});

describe('spreadInForms', () => {
  test('only chains with a form are counted', () => {
    const trades = tradesOf(modelFacts);
    expect(spreadInForms(trades, 5, formsOf)).toHaveLength(5);
    expect(spreadInForms(trades, 5, () => [])).toEqual([]);
  });
});
