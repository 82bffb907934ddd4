import { decodeBody } from '../../conformance/client/body-reader.ts';
import type { Redactor } from '../../conformance/client/redaction.ts';
import { KEY_PLACEHOLDER } from '../../conformance/client/request.ts';
import type { RouterNames } from '../../conformance/client/router-names.ts';
import type { Facts } from '../../conformance/discovery/facts.ts';
import { given } from '../../conformance/output/option-values.ts';
import type { LoadSample } from '../engine/client.ts';
import type { ErrorReply, LoadResult, WrongReply } from '../model/load-result.ts';
import { expectedStatus, type SampleCount } from '../model/metrics.ts';

/** A rule's finding on one reply. */
export type ReplyFault = Pick<WrongReply, 'rule' | 'clause' | 'expected' | 'actual'>;

/**
 * Judges one reply against the rules. The reply's target contains `$SWAPCHECK_API_KEY` instead of
 * the key.
 */
export type JudgeReply = (reply: {
  readonly target: string;
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}) => readonly ReplyFault[];

/** Prepares the rules with the facts of discovery, and returns a function that judges a reply. */
export type PrepareJudge = (
  facts: Facts,
  routerNames?: RouterNames,
) => JudgeReply | Promise<JudgeReply>;

/** Judges samples as they arrive, and stores one entry per cause. */
export type SampleJudge = Pick<ReturnType<typeof countJudged>, 'sampleCount'> & {
  readonly take: (sample: LoadSample) => void;
  /** Counts replies that were omitted because the judge had fallen behind. */
  readonly omit: (replies: number) => void;
  readonly result: () => LoadResult['samples'];
};

/**
 * Returns a judge that has no samples yet. `redactor` removes the key from text that a service
 * echoed. If every reply is judged, an unexpected status is wrong too, because nothing else is
 * known about the other replies.
 */
export function createSampleJudge(
  judge: JudgeReply,
  redactor: Redactor,
  isOfAll = false,
): SampleJudge {
  const count = countJudged();
  let omitted: number | undefined;
  return {
    sampleCount: count.sampleCount,
    take({ status, rawHeaders, endpoint, dueMs, latencyMs, ...sample }) {
      const atS = Math.floor((dueMs + latencyMs) / 1000);
      const body = decoded(sample.body, rawHeaders);
      const target = sample.target + KEY_PLACEHOLDER;
      const excerpt = () => redactor.redactText(body.toString('utf8')).slice(0, EXCERPT_CHARACTERS);
      const expected = expectedStatus(endpoint);
      const faults = [...judge({ target, status, rawHeaders, body })];
      if (status !== expected) {
        count.addError(status, () => ({ status, target, excerpt: excerpt() }));
        if (isOfAll) faults.unshift(unexpectedStatus(expected, status));
      }
      const one = faults.length === 0 ? CORRECT : { judged: 1, wrong: 1, firstWrongS: atS };
      for (const name of ['all', endpoint]) count.add(name, one);
      for (const fault of faults) {
        count.addFinding(fault.rule, 1, () => ({
          ...fault,
          expected: redactor.redactSentence(fault.expected),
          actual: redactor.redactSentence(fault.actual),
          target,
          status,
          excerpt: excerpt(),
          count: 1,
          firstS: atS,
        }));
      }
    },
    omit(replies) {
      omitted = (omitted ?? 0) + replies;
    },
    result: () => ({ ...count.judged(), ...(omitted !== undefined && { omitted: omitted }) }),
  };
}

function unexpectedStatus(expected: number, status: number): ReplyFault {
  return {
    rule: 'load/expected-status',
    clause: 'the mix of the profile',
    expected: `status ${expected}`,
    actual: `status ${status}`,
  };
}

/** Maximum decompressed size. Larger bodies are judged compressed. */
const MAX_BYTES = 2 ** 24;

/**
 * A load run does not accept compressed replies, but a service may compress anyway. A body that
 * cannot be decompressed is judged as received.
 */
function decoded(body: Buffer, rawHeaders: readonly string[]): Buffer {
  const at = rawHeaders.findIndex(
    (text, index) => index % 2 === 0 && text.length === 16 && /^content-encoding$/i.test(text),
  );
  if (at === -1) return body;
  try {
    return decodeBody(body, { encoding: rawHeaders[at + 1], maxBytes: MAX_BYTES });
  } catch {
    return body;
  }
}

const CORRECT: SampleCount = { judged: 1, wrong: 0 };

function countJudged() {
  const findings = new Map<string, WrongReply>();
  const errors = new Map<number, ErrorReply>();
  const counts = new Map<string, SampleCount>();
  const sampleCount = (endpoint: string) => counts.get(endpoint) ?? { judged: 0, wrong: 0 };
  const add = (endpoint: string, more: SampleCount): void => {
    const { judged, wrong, firstWrongS = more.firstWrongS } = sampleCount(endpoint);
    counts.set(endpoint, {
      judged: judged + more.judged,
      wrong: wrong + more.wrong,
      ...given({ firstWrongS }),
    });
  };
  const addFinding = (rule: string, times: number, show: () => WrongReply): void => {
    const existing = findings.get(rule);
    if (existing === undefined && findings.size >= MAX_FINDINGS) return;
    findings.set(
      rule,
      existing === undefined ? show() : { ...existing, count: existing.count + times },
    );
  };
  const addError = (status: number, show: () => ErrorReply): void => {
    if (!errors.has(status)) errors.set(status, show());
  };
  return {
    ...{ add, addFinding, addError, sampleCount },
    addAll: (all: LoadResult['samples']): void => {
      const { judged, wrong } = all;
      for (const [name, each] of Object.entries({ ...all.byEndpoint, all: { judged, wrong } })) {
        add(name, each);
      }
      for (const each of all.findings) addFinding(each.rule, each.count, () => each);
      for (const each of all.errors ?? []) addError(each.status, () => each);
    },
    judged: (): LoadResult['samples'] => {
      const { judged, wrong } = sampleCount('all');
      const named = [...counts].filter(([endpoint]) => endpoint !== 'all');
      const byEndpoint = Object.fromEntries(
        named.map(([endpoint, each]) => [endpoint, { judged: each.judged, wrong: each.wrong }]),
      );
      return {
        ...{ judged, wrong, byEndpoint, findings: [...findings.values()] },
        ...(errors.size > 0 && { errors: [...errors.values()] }),
      };
    },
  };
}

/** Returns the merged samples of several runs. Each rule shows the first reply that broke it. */
export function mergeSamples(parts: readonly LoadResult['samples'][]): LoadResult['samples'] {
  const count = countJudged();
  for (const part of parts) count.addAll(part);
  const samples = count.judged();
  const omitted = parts.flatMap((part) => part.omitted ?? []);
  if (omitted.length === 0) return samples;
  return { ...samples, omitted: omitted.reduce((sum, each) => sum + each) };
}

const MAX_FINDINGS = 200;
const EXCERPT_CHARACTERS = 2000;
