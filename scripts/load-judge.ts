import type { Exchange, Reply } from '../conformance/client/exchange.ts';
import { decodeUtf8, readJson } from '../conformance/client/read-json.ts';
import { readQuery } from '../conformance/client/request.ts';
import { inOurNames, type RouterNames } from '../conformance/client/router-names.ts';
import { endpointOf } from '../conformance/contract/paths.ts';
import type { Facts } from '../conformance/discovery/facts.ts';
import type { ReplyRule } from '../conformance/model/rule.ts';
import { CATALOG } from '../conformance/rules/catalog.ts';
import type { JudgeReply } from '../load/result/sample-judge.ts';

/** Of an imbalance at an intermediate token: what `swapcheck test` tolerates unless told otherwise. */
const TOLERANCE_PPM = 1;

/** Returns every `must` rule that judges single replies, as a load run asks for them. */
export function prepareJudge(facts: Facts, routerNames: RouterNames = {}): JudgeReply {
  const rules = CATALOG.filter(
    (rule): rule is ReplyRule => rule.kind === 'reply' && rule.level === 'must',
  );
  let judged = 0;
  return ({ target, status, rawHeaders, body }) => {
    const path = target.split('?', 1)[0] ?? '';
    const endpoint = endpointOf(path);
    const text = decodeUtf8(body);
    const received: Reply = {
      kind: 'reply',
      status,
      headers: readHeaders(rawHeaders),
      text: text ?? body.toString('latin1'),
      document:
        text === undefined ? { kind: 'not-json', reason: 'the body is not UTF-8' } : readJson(text),
    };
    judged += 1;
    const sent: Exchange = {
      id: judged,
      endpoint,
      origin: 'sent',
      method: 'GET',
      target,
      query: readQuery(target),
      startedAtMs: Date.now(),
      durationMs: 0,
      outcome: received,
    };
    const exchange = inOurNames(sent, routerNames);
    const reply = exchange.outcome as Reply;
    return rules
      .filter((rule) => rule.endpoint === undefined || rule.endpoint === endpoint)
      .flatMap((rule) => {
        const verdict = rule.judge({ exchange, reply, facts, tolerancePpm: TOLERANCE_PPM });
        const [finding] = verdict?.findings ?? [];
        if (finding === undefined) return [];
        const { expected, actual } = finding;
        return [{ rule: rule.id, clause: rule.clause, expected, actual }];
      });
  };
}

function readHeaders(raw: readonly string[]): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    headers[name] = [...(headers[name] ?? []), raw[i + 1] ?? ''];
  }
  return headers;
}
