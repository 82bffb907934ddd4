import type { Report } from '../model/report.ts';

const BADGE_STYLES = {
  conforming: { words: 'conforming', color: '#2e7d32' },
  nonconforming: { words: 'not conforming', color: '#c62828' },
  incomplete: { words: 'incomplete', color: '#8d6e00' },
  'no-failure': { words: 'no failure found', color: '#8d6e00' },
} as const;
const LABEL = 'swapcheck';

/**
 * Average width of a letter. It is approximate, since each browser renders the badge in its own
 * fonts.
 */
const LETTER_WIDTH_PX = 6.6;
const PADDING = 12;

/** Returns an SVG of the verdict for a README. It contains no text from the service. */
export function write({ verdict, summary, notJudged }: Report): string {
  const { words, color } = BADGE_STYLES[verdict];
  const { pass, fail } = summary.must;
  const unjudged = notJudged.flatMap(({ rules }) => rules).length;
  const status = [
    `${words}, ${pass} of ${pass + fail} must`,
    ...(summary.should.fail === 0 ? [] : [`${summary.should.fail} should failed`]),
    ...(unjudged === 0 ? [] : [`${unjudged} not judged`]),
  ].join(', ');
  const [left, right] = [widthOf(LABEL), widthOf(status)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${status}">
  <title>${LABEL}: ${status}</title>
  <rect width="${left + right}" height="20" rx="3" fill="${color}"/>
  <path d="M3 0h${left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#424242"/>
  <g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="${left / 2}" y="14">${LABEL}</text>
    <text x="${left + right / 2}" y="14">${status}</text>
  </g>
</svg>
`;
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER_WIDTH_PX + PADDING);
}
