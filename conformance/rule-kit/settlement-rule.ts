import { describeAsk } from '../execution/ask.ts';
import type { Execution, ExecutionRun, SettledPlan } from '../execution/execution.ts';
import type { Finding, ProbeRule, ProbeVerdict } from '../model/rule.ts';
import type { Session } from '../model/session.ts';

/** What a rule says of one executed plan: undefined where it does not apply, else the fault it found, if any. */
export type Judgement = {
  readonly fault: Pick<Finding, 'expected' | 'actual' | 'pointer'> | undefined;
};

/** A rule on what executed plans did. */
export type SettledRule = Pick<ProbeRule, 'id' | 'clause' | 'level' | 'title'> & {
  /** What a plan must show for the rule to apply, as a noun: 'a plan that buys the native token'. */
  readonly needs: string;
  readonly judge: (settled: SettledPlan, session: Session) => Judgement | undefined;
  /** What all plans together showed, for the report. */
  readonly observe?: (items: readonly SettledPlan[]) => string;
};

/** More findings of one kind tell a reader nothing new. */
const MAX_FINDINGS = 8;

/** Returns a rule that judges every plan that was settled as the service returned it. */
export function judgeSettlements({ judge, needs, observe, ...identity }: SettledRule): ProbeRule {
  return {
    ...identity,
    kind: 'probe',
    run: async (session) =>
      verdictOn(
        session,
        (execution) => execution.settlements(session),
        (items) => ({
          judged: items.map((item) => ({ item, words: wordsOf(item), ...judge(item, session) })),
          needs,
          ...(observe && { observed: observe(items) }),
        }),
      ),
  };
}

function wordsOf({ ask }: SettledPlan): string {
  return describeAsk(ask);
}

type Judged = {
  readonly item: Pick<Finding, 'exchange'>;
  readonly words: string;
  readonly fault?: Judgement['fault'];
};

/** Runs what executes plans, and makes one verdict of what is said of each. */
export async function verdictOn<Item extends Pick<Finding, 'exchange'>>(
  { execution }: Session,
  run: (execution: Execution) => Promise<ExecutionRun<Item>>,
  judgeAll: (items: readonly Item[]) => {
    readonly judged: readonly Judged[];
    readonly needs: string;
    readonly observed?: string;
  },
): Promise<ProbeVerdict> {
  if (execution === undefined) {
    return { kind: 'not-applicable', why: 'no chain was forked (--fork CHAIN=RPC names a node)' };
  }
  const executed = await run(execution);
  if (executed.kind !== 'executed') return executed;
  const { judged, needs, observed } = judgeAll(executed.items);
  const applying = judged.filter((each) => 'fault' in each);
  const [skipped] = executed.skipped;
  if (applying.length === 0) {
    const why = skipped === undefined ? '' : ` (${executed.skipped.length} not tried: ${skipped})`;
    return { kind: 'not-applicable', why: `no settlement showed ${needs}${why}` };
  }
  const findings = applying.flatMap(({ item: { exchange }, words, fault }): Finding[] =>
    fault ? [{ ...fault, actual: `${fault.actual} (${words})`, exchange }] : [],
  );
  const notes = [
    ...(observed === undefined ? [] : [observed]),
    ...(skipped === undefined ? [] : [`${executed.skipped.length} not tried, such as ${skipped}`]),
  ];
  return {
    kind: 'judged',
    checks: applying.length,
    findings: findings.slice(0, MAX_FINDINGS),
    ...(notes.length > 0 && { observed: notes.join('; ') }),
  };
}

/** A pass where a condition holds, else the fault. */
export function unless(holds: boolean, expected: string, actual: string): Judgement {
  return { fault: holds ? undefined : { expected, actual } };
}
