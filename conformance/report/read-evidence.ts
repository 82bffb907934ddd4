import { ChainStateSchema } from '../model/chain-state.ts';
import { SettlementEvidenceSchema } from '../model/evidence.ts';
import { jsonReader } from '../output/json-reader.ts';

/** Reads evidence of a settlement from JSON text. */
export const readEvidence = jsonReader(
  SettlementEvidenceSchema,
  'evidence of a settlement',
  hintAtReport,
);

/** Reads a chain state from JSON text. */
export const readChainState = jsonReader(ChainStateSchema, 'the state of a chain', hintAtReport);

function hintAtReport(value: unknown): string {
  const isReport = typeof value === 'object' && value !== null && 'verdict' in value;
  return isReport ? '; it is a report, whose failures name evidence files' : '';
}
