import type { Redactor } from '../../conformance/client/redaction.ts';
import { KEY_PLACEHOLDER } from '../../conformance/client/request.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import type { LoadResult, WrongReply } from '../model/load-result.ts';
import type { LoadSample } from '../run/client.ts';
import type { SampleCount } from '../thresholds/check-thresholds.ts';

/** What a rule says against one reply. */
export type Objection = Pick<WrongReply, 'rule' | 'clause' | 'expected' | 'actual'>;

/** The rules, as the load run needs them: one reply in, objections out. In the target stands `$SWAPCHECK_API_KEY` for the key. */
export type JudgeReply = (reply: {
  readonly target: string;
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}) => readonly Objection[];

/** Returns the rules, with what discovery learned of the service. */
export type PrepareJudge = (
  facts: Facts,
  routerNames?: RouterNames,
) => JudgeReply | Promise<JudgeReply>;

/** Judges samples as they come, and keeps one entry a cause. */
export type SampleJudge = {
  readonly take: (sample: LoadSample) => void;
  /** By endpoint, `all` among them. */
  readonly sampleCount: (endpoint: string) => SampleCount;
  readonly result: () => LoadResult['samples'];
};

/** Returns a judge without samples; `redactor` takes the key out of what a service echoed. */
export function createSampleJudge(judge: JudgeReply, redactor: Redactor): SampleJudge {
  const findings = new Map<string, WrongReply>();
  const counts = new Map<string, SampleCount>();
  const sampleCount = (endpoint: string): SampleCount =>
    counts.get(endpoint) ?? { judged: 0, wrong: 0 };
  const count = (endpoint: string, wrongAtS: number | undefined): void => {
    const { judged, wrong, firstWrongS = wrongAtS } = sampleCount(endpoint);
    counts.set(endpoint, {
      judged: judged + 1,
      wrong: wrong + (wrongAtS === undefined ? 0 : 1),
      ...(firstWrongS === undefined ? {} : { firstWrongS }),
    });
  };
  return {
    take(sample) {
      const atS = Math.floor((sample.dueMs + sample.latencyMs) / 1000);
      const body = Buffer.from(sample.body, 'base64');
      const target = sample.target + KEY_PLACEHOLDER;
      const { status, rawHeaders } = sample;
      const objections = judge({ target, status, rawHeaders, body });
      for (const name of ['all', sample.endpoint]) {
        count(name, objections.length === 0 ? undefined : atS);
      }
      for (const objection of objections) {
        const there = findings.get(objection.rule);
        if (there === undefined && findings.size >= MOST_FINDINGS) continue;
        findings.set(
          objection.rule,
          there === undefined
            ? {
                ...objection,
                expected: redactor.sentence(objection.expected),
                actual: redactor.sentence(objection.actual),
                target,
                status,
                excerpt: redactor.said(body.toString('utf8')).slice(0, EXCERPT_CHARACTERS),
                count: 1,
                firstS: atS,
              }
            : { ...there, count: there.count + 1 },
        );
      }
    },
    sampleCount,
    result() {
      const { judged, wrong } = sampleCount('all');
      const byEndpoint = Object.fromEntries(
        [...counts]
          .filter(([endpoint]) => endpoint !== 'all')
          .map(([endpoint, each]) => [endpoint, { judged: each.judged, wrong: each.wrong }]),
      );
      return { judged, wrong, byEndpoint, findings: [...findings.values()] };
    },
  };
}

/** Returns the samples of several runs as those of one; a cause is shown by the first reply that broke it. */
export function mergeSamples(parts: readonly LoadResult['samples'][]): LoadResult['samples'] {
  const byEndpoint: Record<string, { judged: number; wrong: number }> = {};
  const findings = new Map<string, WrongReply>();
  for (const part of parts) {
    for (const [name, { judged, wrong }] of Object.entries(part.byEndpoint)) {
      const there = byEndpoint[name] ?? { judged: 0, wrong: 0 };
      byEndpoint[name] = { judged: there.judged + judged, wrong: there.wrong + wrong };
    }
    for (const finding of part.findings) {
      const there = findings.get(finding.rule) ?? { ...finding, count: 0 };
      findings.set(finding.rule, { ...there, count: there.count + finding.count });
    }
  }
  const total = (of: 'judged' | 'wrong'): number => parts.reduce((sum, part) => sum + part[of], 0);
  return {
    judged: total('judged'),
    wrong: total('wrong'),
    byEndpoint,
    findings: [...findings.values()],
  };
}

const MOST_FINDINGS = 200;
const EXCERPT_CHARACTERS = 2000;
