import type { Endpoint } from '../contract/paths.ts';
import type { FaultData, Finding } from './rule.ts';

/** The parts of a finding that identify its cause. */
export type CauseParts = Pick<Finding, 'fault' | 'data' | 'pointer'> & {
  readonly endpoint: Endpoint | undefined;
};

/**
 * Returns a text that identifies the cause of a finding: the rule, fault, place and data. The text
 * is the same in every run, since it contains no prose, amounts or list positions.
 *
 * @example
 * const data = { type: 'string' };
 * const pointer = '/tokens/3/decimals';
 * causeKey('token/decimals', { fault: 'wrong-type', endpoint: 'swap', pointer, data })
 * // 'token/decimals#wrong-type swap /tokens/{}/decimals type=string'
 */
export function causeKey(ruleId: string, { fault, data, pointer, endpoint }: CauseParts): string {
  const parts = [`${ruleId}#${fault}`, endpoint, withoutPositions(pointer), formatData(data)];
  return parts.filter(Boolean).join(' ');
}

const SPECIFIED_STATUSES: readonly unknown[] = [200, 400, 500];

/**
 * Returns a text that identifies the symptom of a finding, without the rule. If several rules fail
 * with the same symptom, their failures share a root cause. A status that the interface does not
 * define is one symptom, wherever it occurs and whatever the body is. A finding without a status,
 * body or type shares its symptom with no other rule.
 *
 * @example
 * const data = { status: 422 };
 * symptomKey('swap/chain-id', { fault: 'not-rejected', endpoint: 'swap', data }) // 'status=422'
 */
export function symptomKey(ruleId: string, { fault, data = {}, pointer }: CauseParts): string {
  const { status, body, type } = data;
  if (status !== undefined && !SPECIFIED_STATUSES.includes(status)) return formatData({ status });
  const seen = {
    ...(status !== undefined && { status }),
    ...(body !== undefined && { body }),
    ...(type !== undefined && { type }),
  };
  if (Object.keys(seen).length === 0) return `${ruleId}#${fault}`;
  return [withoutPositions(pointer), formatData(seen)].filter(Boolean).join(' ');
}

function withoutPositions(pointer = ''): string {
  return pointer.replace(/\/[0-9]+(?=\/|$)/g, '/{}');
}

function formatData(data: FaultData = {}): string {
  return Object.entries(data)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
