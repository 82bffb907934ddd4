import * as colours from 'yoctocolors';

/** The colours that text reports use. */
export type Paint = Record<
  'bold' | 'dim' | 'green' | 'red' | 'yellow' | 'cyan',
  (text: string) => string
>;

const plain = (text: string) => text;
const NO_PAINT: Paint = {
  bold: plain,
  dim: plain,
  green: plain,
  red: plain,
  yellow: plain,
  cyan: plain,
};

/** Returns colours that colour, or colours that leave text alone. */
export function createPaint(colour: boolean): Paint {
  return colour ? colours : NO_PAINT;
}
