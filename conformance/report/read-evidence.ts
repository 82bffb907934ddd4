import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Static, TSchema } from 'typebox';
import { ChainStateSchema } from '../model/chain-state.ts';
import { SettlementEvidenceSchema } from '../model/evidence.ts';
import { UsageError } from '../output/usage-error.ts';

/**
 * Returns the settlement that a JSON text holds; `source` is where the text is from, for the error.
 *
 * @throws {NotEvidenceError} for text that holds none.
 */
export const readEvidence = readerOf(SettlementEvidenceSchema, 'evidence of a settlement');

/**
 * Returns the state of a chain that a JSON text holds.
 *
 * @throws {NotEvidenceError} for text that holds none.
 */
export const readChainState = readerOf(ChainStateSchema, 'the state of a chain');

function readerOf<Schema extends TSchema>(schema: Schema, what: string) {
  const validate = new Ajv2020().compile<Static<Schema>>(schema);
  return (text: string, source: string): Static<Schema> => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw new NotEvidenceError(`${source} is not JSON`, { cause });
    }
    if (validate(value)) return value;
    const [error] = validate.errors ?? [];
    const where = error?.instancePath === '' ? 'it' : error?.instancePath;
    const isReport = typeof value === 'object' && value !== null && 'verdict' in value;
    const hint = isReport ? '; it is a report, whose failures name files of evidence' : '';
    throw new NotEvidenceError(`${source} is not ${what}: ${where} ${error?.message}${hint}`);
  };
}

/** Text that is no evidence of a settlement. */
export class NotEvidenceError extends UsageError {}
