import { words } from '../model/statement.ts';
import { type Judge, none } from './reply-judges.ts';
import { body } from './reply-values.ts';

/**
 * Fields that a plan has only if the client requested calldata.
 *
 * @see Specification 4.1 rules 3 and 4
 */
export const CALLDATA_FIELDS = ['routerAddress', 'calldata', 'gasLimit'] as const;

/** Holds if a plan has every field that calldata requires. */
export const hasCalldataFields: Judge = none(
  (input) => {
    const [plan] = body(input);
    const missing = plan && CALLDATA_FIELDS.filter((field) => !(field in plan.value));
    return missing?.map((field) => ({ pointer: '', field }));
  },
  ({ field }) => ({ fault: 'missing', data: { field } }),
  ({ field }) => words`\`${field}\` with calldata`,
  ({ field }) => words`\`${field}\` is missing`,
);
