import { counted } from '../contract/counted.ts';
import { type Static, Type } from '../contract/schema.ts';

/**
 * A part of the interface that a run did not judge. Every output lists these parts next to the
 * verdict.
 */
export const NotJudgedSchema = Type.Object({
  /** The reason, as a clause without a period: 'calldata was not executed'. */
  why: Type.String(),
  /** Input that the rules need from the user: '--fork CHAIN=RPC'. */
  needs: Type.Optional(Type.String()),
  /** Ids of the rules concerned. Empty if the rules judged fewer trades or tokens than possible. */
  rules: Type.Array(Type.String()),
});
export type NotJudged = Static<typeof NotJudgedSchema>;

/**
 * Describes the entry in one clause.
 *
 * @example
 * describeNotJudged({ why: 'no calldata was executed', needs: '--fork CHAIN=RPC', rules: ['a', 'b']
 * }) // 'no calldata was executed: 2 rules need --fork CHAIN=RPC'
 */
export function describeNotJudged({ why, needs, rules }: NotJudged): string {
  if (rules.length === 0) return why;
  const count = counted(rules.length, 'rule');
  if (needs === undefined) return `${why} (${count})`;
  return `${why}: ${counted(rules.length, 'rule needs', 'rules need')} ${needs}`;
}
