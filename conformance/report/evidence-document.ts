import { shorten } from '../contract/cut-text.ts';
import { formatAllowance } from '../execution/explain/describe-trace.ts';
import type { Replayed } from '../execution/explain/evidence.ts';
import { ChainStateSchema } from '../model/chain-state.ts';
import {
  type Moved,
  type SettlementEvidence,
  SettlementEvidenceSchema,
} from '../model/evidence.ts';
import { formatAmount } from '../model/format-amount.ts';
import { type Document, listOf, type Section, tableOf } from '../output/document.ts';
import { jsonReader } from '../output/json-reader.ts';

/** Returns the verdict on a replayed settlement, which states whether it still fails. */
export function replayVerdict({ isGone }: Replayed): 'fails' | 'settles' {
  return isGone ? 'settles' : 'fails';
}

/**
 * Returns a replayed settlement as a document for people: its balance changes, transfers, approvals
 * and calls.
 */
export function evidenceDocument(replayed: Replayed): Document {
  const { evidence, isSame } = replayed;
  const { trade, rule, scenario, block, expected, actual, outcome } = evidence;
  const verdict = replayVerdict(replayed);
  const tint = verdict === 'settles' ? 'good' : 'bad';
  const settled = verdict === 'settles' ? 'it settled' : 'it settled, but not as it should';
  const reverted = `it was not settled: ${outcome.reason ?? 'it reverted'}`;
  const result = outcome.kind === 'settled' ? settled : reverted;
  const reason = `${result}, ${isSame ? 'as in the recorded run' : 'unlike in the recorded run'}`;
  return [
    { blocks: [{ kind: 'verdict', subject: trade, verdict, tint, reason }] },
    {
      blocks: [
        {
          kind: 'parts',
          parts: [
            ['Rule', rule],
            ['Expected', expected],
            ['Actual', actual],
            ['Request', evidence.request],
            ['Chain', `${scenario.chainId} at block ${block.number}, ${block.hash}`],
            ...limitParts(evidence),
          ],
        },
      ],
    },
    changeSection(evidence),
    transferSection(evidence.transfers),
    approvalSection(evidence),
    traceSection(evidence),
  ];
}

function limitParts({ limit }: SettlementEvidence): (readonly [string, string])[] {
  if (limit === undefined) return [];
  const { toleranceBps, leastBought, mostSold } = limit;
  const words = `at least ${leastBought} bought, at most ${mostSold} sold`;
  return [['Limit', `${words}, with a tolerance of ${toleranceBps / 10_000}`]];
}

function changeSection({ changes }: SettlementEvidence): Section {
  return {
    title: 'Balances',
    blocks: tableOf(
      ['Account', 'Token', 'Expected', 'Actual', 'Share'],
      changes.map(({ account, name = account, token, symbol = token, expected, actual, share }) => [
        name,
        symbol,
        expected,
        { text: actual, tint: expected === actual ? undefined : 'bad' },
        share === undefined ? '' : `${(share * 100).toFixed(2)}%`,
      ]),
    ),
  };
}

function transferSection(transfers: readonly Moved[]): Section {
  return {
    title: 'Who paid whom',
    blocks: tableOf(
      ['From', 'To', 'Amount', 'Token'],
      transfers.map(({ from, fromName = from, to, toName = to, amount, decimals, ...rest }) => [
        fromName,
        toName,
        formatAmount(amount, decimals),
        rest.symbol ?? rest.token,
      ]),
    ),
  };
}

function approvalSection({ approvals }: SettlementEvidence): Section {
  return {
    title: 'Approved by the sender',
    blocks: tableOf(
      ['Token', 'To', 'Through', 'Allowance'],
      approvals.map(({ token, symbol = token, spender, spenderName, router, allowance }) => [
        symbol,
        spenderName === undefined ? spender : `${spenderName} ${spender}`,
        router ?? '',
        formatAllowance(allowance),
      ]),
    ),
  };
}

/** The selector, and an ellipsis. */
const MAX_INPUT_CHARACTERS = 11;

function traceSection({ trace }: SettlementEvidence): Section {
  return {
    title: 'Calls',
    blocks: listOf(
      trace.map(({ depth, type, to = 'nowhere', name = to, call, input, value, ...rest }) => {
        const { gasUsed, error, revert } = rest;
        const native = value === '0' ? '' : `, ${value} native`;
        const data = call ?? shorten(input, MAX_INPUT_CHARACTERS);
        const text = `${'  '.repeat(depth)}${type} ${name} ${data}${native}, ${gasUsed} gas`;
        return {
          line:
            error === undefined
              ? text
              : [text, { text: ` ${revert ?? error}`, tint: 'bad' as const }],
        };
      }),
    ),
  };
}

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
