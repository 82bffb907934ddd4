import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { findCaptures } from './find-captures.ts';
import { readCapture } from './read-capture.ts';
import { createStandardInput } from './standard-input.ts';

const line = (message: string) => JSON.stringify({ error: 'a', message });

function targetReader(chunks: Iterable<string | Buffer>) {
  const input = () => Readable.from(chunks, { objectMode: false });
  const standardInput = createStandardInput(undefined, input);
  onTestFinished(() => standardInput.close());
  return async (): Promise<readonly string[]> => {
    const targets: string[] = [];
    for await (const source of findCaptures(['-'], standardInput)) {
      for (const { target } of readCapture(source)) targets.push(target);
    }
    return targets;
  };
}

test('lines in chunks of one byte, the last without a line break -> the same lines in both readings', async () => {
  const text = `\n${line('é')}\n\n${line('2')}\n${line('3')}`;
  const read = targetReader(Array.from(Buffer.from(text), (byte) => Buffer.from([byte])));
  const targets = ['-:2', '-:4', '-:5'];
  expect(await read()).toEqual(targets);
  expect(await read()).toEqual(targets);
});

test('one document, on one or several lines -> read twice', async () => {
  for (const text of [`${line('1')}\n\n`, JSON.stringify(JSON.parse(line('1')), undefined, 2)]) {
    const read = targetReader([text.slice(0, 5), text.slice(5)]);
    expect(await read()).toEqual(['-']);
    expect(await read()).toEqual(['-']);
  }
});

test('an invalid line in endless input -> rejected with its line number, before the input ends', async () => {
  function* endless() {
    yield `${line('1')}\n${line('2')}\n`;
    for (;;) yield Buffer.alloc(2 ** 20, 'a');
  }
  await expect(targetReader(endless())()).rejects.toThrow('-:3 is longer than 32 MiB');
  function* endlessLines() {
    yield `${line('1')}\n`;
    for (;;) yield '{"a":1}\n';
  }
  await expect(targetReader(endlessLines())()).rejects.toThrow('-:2 does not have the shape');
});

test('an endless document -> rejected at the maximum size', async () => {
  const piece = Buffer.alloc(2 ** 26, 'a');
  function* endless() {
    yield '[\n';
    for (;;) yield piece;
  }
  await expect(targetReader(endless())()).rejects.toThrow('standard input is too long');
});

test('text other than JSON, or lines without a reply -> rejected', async () => {
  await expect(targetReader(['no\nJSON\n'])()).rejects.toThrow('-:1 is not JSON');
  await expect(targetReader(['nothing'])()).rejects.toThrow('standard input is not JSON');
  const read = targetReader(['{"run":{}}\n{"lost":0}\n']);
  expect(await read()).toEqual([]);
  await expect(read()).rejects.toThrow('standard input contains no reply');
});
