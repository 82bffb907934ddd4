import { ChainStateSchema } from '../model/chain-state.ts';
import { SettlementEvidenceSchema } from '../model/evidence.ts';
import { jsonReader } from '../output/json-reader.ts';

/** Returns the settlement that a JSON text holds. */
export const readEvidence = jsonReader(
  SettlementEvidenceSchema,
  'evidence of a settlement',
  hintAtReport,
);

/** Returns the state of a chain that a JSON text holds. */
export const readChainState = jsonReader(ChainStateSchema, 'the state of a chain', hintAtReport);

function hintAtReport(value: unknown): string {
  const isReport = typeof value === 'object' && value !== null && 'verdict' in value;
  return isReport ? '; it is a report, whose failures name files of evidence' : '';
}
