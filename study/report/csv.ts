import { printable } from '../../conformance/output/printable.ts';
import type { Answer, MeasuredTrade } from '../model/measured-trade.ts';
import type { StudyReport } from '../model/study-report.ts';
import { receivedBps } from '../summary/quote.ts';

const COLUMNS = [
  ...['trade', 'ladder', 'chainId', 'block', 'rank', 'sell', 'buy', 'swapKind', 'router'],
  ...['useRfq', 'usd', 'amount', 'service', 'answer', 'latencyMs', 'sold', 'bought', 'gasLimit'],
  ...['gasUsed', 'sources', 'error', 'blocks', 'outcome', 'spent', 'received', 'bps', 'reason'],
] as const;

/**
 * Returns the trades as CSV (RFC 4180): one row for each service and each block at which its plan
 * was settled.
 */
export function write({ trades, services }: StudyReport): string {
  const rows = trades.flatMap((trade) =>
    trade.answers.flatMap((answer, at) =>
      outcomeRows(trade, answer).map(
        (outcome): Row => ({
          ...trade,
          trade: trade.id,
          sell: trade.sell.symbol,
          buy: trade.buy.symbol,
          service: services[at]?.name,
          ...replyCells(answer),
          ...outcome,
        }),
      ),
    ),
  );
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

type Row = Readonly<Record<string, unknown>>;

function replyCells(answer: Answer): Row {
  if (answer.kind === 'failed') return { answer: answer.kind, error: answer.why };
  if (answer.kind === 'rejected') {
    const { kind, status, error, message, latencyMs } = answer;
    return { answer: kind, latencyMs, error: `${status} ${error}: ${message}` };
  }
  const { kind, mined, sources, ...rest } = answer;
  const gasUsed = mined?.kind === 'mined' ? mined.gasUsed : undefined;
  return { ...rest, answer: kind, gasUsed, sources: sources.join('; ') };
}

function outcomeRows(trade: MeasuredTrade, answer: Answer): readonly Row[] {
  if (answer.kind !== 'quoted' || answer.outcomes.length === 0) return [{}];
  return answer.outcomes.map((outcome) => {
    const { blocks, kind } = outcome;
    if (kind === 'unknown') return { blocks, outcome: kind, reason: outcome.why };
    const bps = kind === 'settled' ? receivedBps({ trade, answer }, outcome) : undefined;
    return { ...outcome, outcome: kind, bps };
  });
}

/** A leading quote stops spreadsheets from reading text as a formula. */
function cell(value: unknown): string {
  if (typeof value !== 'string') return String(value ?? '');
  const text = printable(value);
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
