import { collectGarbage } from '../client/collect-garbage.ts';
import type { Exchange } from '../client/exchange.ts';
import { readJson } from '../client/read-json.ts';
import { inOurNames, type RouterNames } from '../client/router-names.ts';
import type { Rule } from '../model/rule.ts';
import { answerQuestions } from '../output/thread.ts';
import { PASS } from '../rule-kit/faults.ts';
import { createExchangeJudge } from './judge-exchange.ts';
import type { JudgeAnswer, JudgeOrder, JudgeQuestion } from './judge-thread.ts';

/* The entry of a thread that judges: it reads each body again and answers what the rules say of it. */

await answerQuestions(async (order: JudgeOrder) => {
  const { CATALOG } = (await import(order.catalog)) as { readonly CATALOG: readonly Rule[] };
  const rules = CATALOG.filter(({ id }) => order.ruleIds.includes(id));
  const { judge, takePasses } = createExchangeJudge(rules, order.tolerancePpm);
  let facts: Parameters<typeof judge>[1];
  return ({ exchange, learned }: JudgeQuestion): JudgeAnswer => {
    if (learned !== undefined) facts = learned.facts;
    const answer: JudgeAnswer[number][] = [];
    judge(readAgain(exchange, order.routerNames), facts, ({ id }, ...said) =>
      answer.push([id, ...said]),
    );
    takePasses(({ id }) => answer.push([id, PASS, 0]));
    collectGarbage();
    return answer;
  };
});

/** The query stands in the names of the specification already; the body does not. */
function readAgain(exchange: Exchange, names: RouterNames = {}): Exchange {
  const { outcome } = exchange;
  if (outcome.kind !== 'reply') return exchange;
  const read = { ...exchange, outcome: { ...outcome, document: readJson(outcome.text) } };
  return { ...exchange, outcome: inOurNames(read, names).outcome };
}
