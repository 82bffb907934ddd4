import { inspect } from 'node:util';
import type { Exchange } from '../client/exchange.ts';
import { createOperations, ignoreUnhandledRejection } from '../client/operations.ts';
import { ENDPOINTS, type Endpoint } from '../contract/paths.ts';
import { isBody } from '../contract/validators.ts';
import { tradesOf } from '../generate/trades.ts';
import type { Check, Fault, Level, ProbeRule, ReplyRule, Rule } from '../model/rule.ts';
import { OWN_CLAUSE } from '../model/rule.ts';
import type { Session } from '../model/session.ts';
import { reason } from '../model/statement.ts';
import { statusData } from '../rule-kit/reply-status.ts';
import { CATALOG } from '../rules/catalog.ts';
import type {
  OwnCheck,
  OwnFault,
  OwnProbe,
  OwnReplyRule,
  OwnRule,
  OwnSession,
} from './define-rule.ts';

const PREFIX = 'own/';
const DEFAULT_FAULT = 'violated';
const KINDS: readonly unknown[] = ['reply', 'probe', 'relation'];
const LEVELS: readonly unknown[] = ['must', 'should', 'observe'] satisfies Level[];

/**
 * Returns the catalog and the custom rules; if kinds are given, only rules of these kinds.
 *
 * @throws {OwnRuleError} @see readOwnRules
 */
export function catalogWith(
  ownRules: readonly OwnRule[] = [],
  kinds: readonly Rule['kind'][] = [],
): readonly Rule[] {
  const rules = [...CATALOG, ...readOwnRules(ownRules)];
  return kinds.length === 0 ? rules : rules.filter(({ kind }) => kinds.includes(kind));
}

/**
 * Converts custom rules to rules for the runner, with ids that begin with `own/`.
 *
 * @throws {OwnRuleError} naming the rule and the invalid field.
 */
export function readOwnRules(rules: readonly unknown[]): readonly Rule[] {
  const seen = new Set<string>();
  return rules.map((given, index) => {
    const place = `rule ${index + 1}`;
    const rule = checkShape(given, place);
    if (seen.has(rule.id))
      throw new OwnRuleError(place, `has the same id "${rule.id}" as another rule`);
    seen.add(rule.id);
    return rule.kind === 'reply' ? replyRuleOf(rule as OwnReplyRule) : probeRuleOf(rule);
  });
}

/** Formats any value, such as a bigint, which JSON lacks. */
function formatGiven(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : inspect(value, { depth: 0 });
}

function checkShape(given: unknown, place: string): OwnRule {
  if (typeof given !== 'object' || given === null) {
    throw new OwnRuleError(place, `is ${formatGiven(given)}: expected the result of defineRule`);
  }
  const rule = given as Readonly<Record<string, unknown>>;
  const { id, title, kind, level, endpoint, check } = rule;
  const invalid = (field: string, expected: string) => {
    const named = field === 'id' ? place : `${place} (${id})`;
    const value = rule[field];
    const what = value === undefined ? `has no ${field}` : `has the ${field} ${formatGiven(value)}`;
    return new OwnRuleError(named, `${what}: expected ${expected}`);
  };
  if (typeof id !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9/-]*$/.test(id)) {
    throw invalid('id', 'letters, digits, dashes and slashes');
  }
  if (typeof title !== 'string' || title.trim() === '') throw invalid('title', 'a text');
  if (!KINDS.includes(kind)) throw invalid('kind', 'reply, probe or relation');
  if (level !== undefined && !LEVELS.includes(level)) {
    throw invalid('level', 'must, should or observe');
  }
  if (typeof check !== 'function') throw invalid('check', 'a function');
  if (kind === 'reply' && !ENDPOINTS.includes(endpoint as Endpoint)) {
    throw invalid('endpoint', `one of ${ENDPOINTS.join(', ')}`);
  }
  return given as OwnRule;
}

function identityOf({ id, title, level = 'must' }: OwnRule) {
  return { id: `${PREFIX}${id}`, clause: OWN_CLAUSE, level, title };
}

function replyRuleOf(rule: OwnReplyRule): ReplyRule {
  const { endpoint, check } = rule;
  return {
    ...identityOf(rule as OwnRule),
    kind: 'reply',
    endpoint,
    needs: 'what it judges',
    check: ({ exchange, reply, facts }, t) => {
      const { document } = reply;
      if (document.kind !== 'json' || !isBody(endpoint, document.value)) return;
      const result: unknown = check(
        { body: document.value, exchange, facts },
        contextOf(rule.id, t, exchange),
      );
      if (result instanceof Promise) {
        result.catch(() => {});
        throw new OwnRuleError(rule.id, 'returned a promise: a rule on replies must not be async');
      }
    },
  };
}

function probeRuleOf(rule: OwnProbe): ProbeRule {
  return {
    ...identityOf(rule),
    kind: rule.kind,
    check: async (session, t) => {
      await rule.check(sessionOf(session), contextOf(rule.id, t));
      t.stuck('it asserted nothing');
    },
  };
}

/** Returns the context of a custom rule. `judged` is the exchange that it judges, if it is one. */
function contextOf(id: string, t: Check, judged?: Exchange): OwnCheck {
  return {
    check: (faults = [], exchange = judged) => {
      if (exchange === undefined) {
        throw new OwnRuleError(id, 'called check without an exchange: pass it after the faults');
      }
      t.check(faultsIn(faults, id, exchange), exchange);
    },
    observe: (text, key) => t.observe(text, key),
    skip: (why) => t.skip(why),
    stuck: (why) => t.stuck(why),
  };
}

function sessionOf({ facts, get, seed }: Session): OwnSession {
  return {
    facts,
    get: (target) => ignoreUnhandledRejection(get(target)),
    seed,
    ask: createOperations(get),
    trades: tradesOf(facts).map(({ market: { chainId }, pair }) => ({
      chainId,
      sellToken: pair.sell.address,
      buyToken: pair.buy.address,
      sellAmount: pair.sellAmount,
      buyAmount: pair.buyAmount,
    })),
  };
}

/**
 * Returns the faults of a custom rule. An invalid fault must not count as a pass.
 *
 * @throws {OwnRuleError} for an invalid fault.
 */
function faultsIn(
  given: OwnFault | readonly OwnFault[],
  id: string,
  exchange: Exchange,
): readonly Fault[] {
  const faults: readonly unknown[] = Array.isArray(given) ? given : [given];
  return faults.map((each) => {
    const { expected, actual, pointer, fault = DEFAULT_FAULT } = (each ?? {}) as Partial<OwnFault>;
    if (typeof expected !== 'string' || typeof actual !== 'string') {
      throw new OwnRuleError(
        id,
        `reported ${inspect(each)}: expected { expected, actual } with texts`,
      );
    }
    if (typeof fault !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(fault)) {
      throw new OwnRuleError(
        id,
        `reported ${inspect(each)}: expected lower-case words with dashes as fault`,
      );
    }
    return {
      ...{ fault, data: statusData(exchange) },
      ...{ expected: [reason(expected)], actual: [reason(actual)] },
      ...(pointer !== undefined && { pointer }),
    };
  });
}

/** A custom rule is invalid. */
export class OwnRuleError extends Error {
  override readonly name = 'OwnRuleError';

  constructor(place: string, what: string) {
    super(`${place} ${what}`);
  }
}
