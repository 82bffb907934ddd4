// biome-ignore-all lint/performance/noBarrelFile: the entry of the package
/* The exports of the package `swapcheck`. Large modules are loaded on the first call. */

export type { Exchange, Reply } from '../client/exchange.ts';
export type { Answer, Operations } from '../client/operations.ts';
export type { RunEvent, RunListener } from '../model/events.ts';
export type { Failure, Report, RuleResult } from '../model/report.ts';
export type { Waiver } from '../runner/waivers.ts';
export type { ForkSource } from '../service/fork-option.ts';
export * from './define-rule.ts';
export * from './judge-replies.ts';
export * from './run-conformance.ts';
