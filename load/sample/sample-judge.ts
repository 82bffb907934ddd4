import type { Facts } from '../../conformance/discovery/facts.ts';
import { KEY_PLACEHOLDER } from '../mix/mix-plan.ts';
import type { WrongReply } from '../report/load-result.ts';
import type { LoadSample } from '../run/measure.ts';

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
export type PrepareJudge = (facts: Facts) => JudgeReply;

/** Judges samples as they come, and keeps one entry a cause. */
export type SampleJudge = {
  readonly take: (sample: LoadSample) => void;
  readonly judged: () => number;
  /** Samples with at least one objection. */
  readonly wrong: () => number;
  readonly firstWrongS: () => number | undefined;
  readonly findings: () => WrongReply[];
};

/** Returns a judge without samples; `redact` takes the key out of what a service echoed. */
export function createSampleJudge(
  judge: JudgeReply,
  redact: (text: string) => string,
): SampleJudge {
  const findings = new Map<string, WrongReply>();
  let judged = 0;
  let wrong = 0;
  let firstWrongS: number | undefined;
  return {
    take(sample) {
      const atS = Math.floor((sample.dueMs + sample.latencyMs) / 1000);
      const body = Buffer.from(sample.body, 'base64');
      const target = sample.target + KEY_PLACEHOLDER;
      const { status, rawHeaders } = sample;
      const objections = judge({ target, status, rawHeaders, body });
      judged += 1;
      if (objections.length === 0) return;
      wrong += 1;
      firstWrongS ??= atS;
      for (const objection of objections) {
        const there = findings.get(objection.rule);
        if (there === undefined && findings.size >= MOST_FINDINGS) continue;
        findings.set(
          objection.rule,
          there === undefined
            ? {
                ...objection,
                expected: redact(objection.expected),
                actual: redact(objection.actual),
                target,
                status,
                excerpt: redact(body.toString('utf8')).slice(0, EXCERPT_CHARACTERS),
                count: 1,
                firstS: atS,
              }
            : { ...there, count: there.count + 1 },
        );
      }
    },
    judged: () => judged,
    wrong: () => wrong,
    firstWrongS: () => firstWrongS,
    findings: () => [...findings.values()],
  };
}

const MOST_FINDINGS = 200;
const EXCERPT_CHARACTERS = 2000;
