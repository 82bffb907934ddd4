import type { RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import type { ConformanceOptions } from './judge-service.ts';

export type { ConformanceOptions, Service } from './judge-service.ts';

/**
 * Judges a service and returns the report, however the service behaves; calls `listener` with events
 * during the run. It prints nothing, reads no environment variables and handles no process signals.
 * `signal` ends the run early, which the report states.
 *
 * @throws {UnknownRuleError} if an entry of `only` matches no rule.
 * @throws {OwnRuleError} for a rule that `defineRule` would not accept.
 * @throws {UsageError} for an invalid URL or request.
 * @example
 * const report = await runConformance({ service: { url: 'http://127.0.0.1:8080' }, apiKey: 'demo' });
 * report.verdict // 'conforming'
 */
export async function runConformance(
  options: ConformanceOptions,
  listener?: RunListener,
): Promise<Report> {
  // Loaded on demand, so that importing a type or `defineRule` loads nothing else.
  const { judgeService } = await import('./judge-service.ts');
  return judgeService(options, listener);
}
