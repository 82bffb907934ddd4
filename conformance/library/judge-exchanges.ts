import { type CapturedOptions, judgeCaptured } from '../captured/judge-captured.ts';
import type { Exchange } from '../client/exchange.ts';
import { inOurNames, type RouterNames } from '../client/router-names.ts';
import type { Report } from '../model/report.ts';
import type { Rule } from '../model/rule.ts';
import { CATALOG, CATALOG_MODULE } from '../rules/catalog.ts';

/** How captured replies are judged, by a command or a program. */
export type ExchangesOptions = Omit<CapturedOptions, 'rules' | 'thread'> & {
  readonly routerNames?: RouterNames | undefined;
  /** Rules of the user's, beside the catalogue. */
  readonly ownRules?: readonly Rule[] | undefined;
};

/**
 * Judges captured exchanges by the catalogue's rules on replies and the user's own.
 *
 * @throws {UnknownRuleError} when `only` names nothing.
 */
export function judgeExchanges(
  exchanges: AsyncIterable<Exchange>,
  { routerNames = {}, ownRules = [], ...options }: ExchangesOptions,
): Promise<Report> {
  return judgeCaptured(named(exchanges, routerNames), {
    ...options,
    rules: [...CATALOG, ...ownRules],
    thread: { catalog: CATALOG_MODULE, routerNames },
  });
}

async function* named(exchanges: AsyncIterable<Exchange>, routerNames: RouterNames) {
  for await (const exchange of exchanges) yield inOurNames(exchange, routerNames);
}
