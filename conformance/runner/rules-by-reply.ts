import type { Reply } from '../client/exchange.ts';
import { ENDPOINTS, type Endpoint } from '../contract/paths.ts';
import type { ReplyRule, Rule } from '../model/rule.ts';

/**
 * Returns a function that returns the rules to which a reply is relevant, in order: irrelevant
 * rules cost no time.
 *
 * @see Specification 5.3: "Response to a missing or invalid key [...]: not shown."
 */
export function rulesByReply(
  rules: readonly Rule[],
): (endpoint: Endpoint | undefined, reply: Reply, hasKey: boolean) => readonly ReplyRule[] {
  const onReplies = rules.filter((rule): rule is ReplyRule => rule.kind === 'reply');
  const onAny = onReplies.filter(({ endpoint }) => endpoint === undefined);
  const onOther = onAny.filter(({ ofErrors }) => ofErrors === undefined);
  const observing = onAny.filter(({ level }) => level === 'observe');
  const onSuccess = new Map(
    ENDPOINTS.map((each) => [
      each,
      onReplies.filter(
        ({ endpoint, ofErrors }) => (endpoint ?? each) === each && ofErrors === undefined,
      ),
    ]),
  );
  return (endpoint, { status }, hasKey) => {
    if (status === 429 || !hasKey) return observing;
    if (status === 400 || status === 500) return onAny;
    const concerned =
      status === 200 && endpoint !== undefined ? onSuccess.get(endpoint) : undefined;
    return concerned ?? onOther;
  };
}
