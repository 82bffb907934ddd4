import { test } from 'vitest';
import { expectLinearTime } from '../../fixtures/testing/growth.testing.ts';
import { readCapture } from './read-capture.ts';

const URL = 'http://a/api/v1.0/chains?apiKey=k';

/** Lines whose reading takes longer than linear time if a repetition has no bound. */
const LINES: Readonly<Record<string, (text: (piece: string) => string) => object>> = {
  'base64 of spaces, then another letter': (text) => ({
    ...{ url: URL, status: 200, encoding: 'base64' },
    body: `${text(' ')}!`,
  }),
  'base64 of letters, then spaces': (text) => ({
    ...{ url: URL, status: 200, encoding: 'base64' },
    body: `${text('a')}${text('\n')}!`,
  }),
  'slashes in the path': (text) => ({ url: `http://a${text('/')}a${URL.slice(8)}`, body: [] }),
  'a path of dots': (text) => ({ url: `http://a/${text('./')}${URL.slice(8)}`, body: [] }),
  'keys in the query': (text) => ({ url: `${URL}${text('&apiKey=k')}`, body: [] }),
  'percent signs in the query': (text) => ({ url: `${URL}&a=${text('%AA')}`, body: [] }),
  backslashes: (text) => ({ url: URL, status: 200, body: text('\\') }),
  'quotation marks': (text) => ({ url: URL, status: 200, body: text('"') }),
  'zeros of a chain id': (text) => ({
    url: URL,
    status: 200,
    body: `[{"chainId": ${text('1')}x}]`,
  }),
};

test.each(Object.entries(LINES))('%s -> read in linear time', async (_, lineOf) => {
  await expectLinearTime((size) => {
    const line = JSON.stringify(lineOf((piece) => piece.repeat(size)));
    const chunks = [Buffer.from(line)];
    return () => [...readCapture({ name: 'a.ndjson', chunks })];
  }, 4_000);
});
