import { Ajv2020 } from 'ajv/dist/2020.js';
import { type SettlementEvidence, SettlementEvidenceSchema } from '../model/evidence.ts';
import { UsageError } from '../output/usage-error.ts';

const isEvidence = new Ajv2020().compile<SettlementEvidence>(SettlementEvidenceSchema);

/**
 * Returns the settlement that a JSON text holds.
 *
 * @param source - Where the text is from, for the error.
 * @throws {NotEvidenceError} for text that holds none.
 */
export function readEvidence(text: string, source: string): SettlementEvidence {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NotEvidenceError(`${source} is not JSON`, { cause });
  }
  if (isEvidence(value)) return value;
  const [error] = isEvidence.errors ?? [];
  const where = error?.instancePath === '' ? 'it' : error?.instancePath;
  const isReport = typeof value === 'object' && value !== null && 'verdict' in value;
  const hint = isReport ? '; it is a report, whose failures name files of evidence' : '';
  throw new NotEvidenceError(
    `${source} is not evidence of a settlement: ${where} ${error?.message}${hint}`,
  );
}

/** Text that is no evidence of a settlement. */
export class NotEvidenceError extends UsageError {}
