import type { Exchange } from '../../conformance/client/exchange.ts';
import { readReply } from '../../conformance/client/read-reply.ts';
import { readQuery } from '../../conformance/client/request.ts';
import { type RouterNames, toSpecifiedNames } from '../../conformance/client/router-names.ts';
import { endpointOf } from '../../conformance/contract/paths.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import { indexFacts } from '../../conformance/discovery/known-chain.ts';
import { formatStatement } from '../../conformance/model/format-statement.ts';
import { readJudgedReply } from '../../conformance/model/judged-reply.ts';
import type { Rule } from '../../conformance/model/rule.ts';
import { openTally } from '../../conformance/model/tally.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { rulesByReply } from '../../conformance/runner/judging.ts';
import type { JudgeReply, ReplyFault } from '../../load/result/sample-judge.ts';

const TOLERANCE_PPM = 1;

const isJudged = ({ level, id }: Rule) => level === 'must' && id !== 'endpoint/status';

/**
 * Returns a function that judges a reply against every `must` rule on single replies. The rule on
 * the status is omitted, because a load run already counts wrong statuses as errors.
 */
export function prepareJudge(facts: Facts, routerNames: RouterNames = {}): JudgeReply {
  const rulesOn = rulesByReply(CATALOG.filter(isJudged));
  const known = indexFacts(facts);
  let count = 0;
  return ({ target, ...wire }) => {
    const end = target.indexOf('?');
    count += 1;
    const sent: Exchange = {
      id: count,
      endpoint: endpointOf(end === -1 ? target : target.slice(0, end)),
      origin: 'sent',
      method: 'GET',
      target,
      query: readQuery(target),
      startedAtMs: 0,
      durationMs: 0,
      outcome: readReply(wire),
    };
    const exchange = toSpecifiedNames(sent, routerNames);
    const { outcome: reply } = exchange;
    if (reply.kind !== 'reply') return [];
    const input = readJudgedReply(exchange, reply, { known, tolerancePpm: TOLERANCE_PPM });
    const found: ReplyFault[] = [];
    for (const rule of rulesOn(exchange.endpoint, reply, true)) {
      const { tally, faults } = openTally(rule);
      rule.check(input, tally);
      const [fault] = faults;
      if (fault === undefined) continue;
      found.push({
        rule: rule.id,
        clause: rule.clause,
        expected: formatStatement(fault.expected),
        actual: formatStatement(fault.actual),
      });
    }
    return found;
  };
}
