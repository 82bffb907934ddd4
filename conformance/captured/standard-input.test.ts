import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { findCaptures } from './find-captures.ts';
import { readCapture } from './read-capture.ts';
import { createStandardInput } from './standard-input.ts';

const line = (message: string) => JSON.stringify({ error: 'a', message });

function targetReader(chunks: Iterable<string | Buffer>, maxBytes?: number, signal?: AbortSignal) {
  const input = () => Readable.from(chunks, { objectMode: false });
  const standardInput = createStandardInput(signal, input, maxBytes);
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

test('endless input -> rejected at the maximum size', async () => {
  function* endless() {
    yield '[\n';
    for (;;) yield Buffer.alloc(2 ** 20, 'a');
  }
  await expect(targetReader(endless(), 2 ** 23)()).rejects.toThrow(
    'standard input is longer than 8 MiB: save it in .ndjson files',
  );
});

test('an abort while input may still arrive -> no captures', async () => {
  const controller = new AbortController();
  function* aborting() {
    yield `${line('1')}\n${line('2')}\n`;
    controller.abort();
    yield line('3');
  }
  expect(await targetReader(aborting(), undefined, controller.signal)()).toEqual([]);
});

test('a line that is too long, text other than JSON, or lines without a reply -> rejected', async () => {
  const long = [`${line('1')}\n${line('2')}\n`, Buffer.alloc(33 * 2 ** 20, 'a')];
  await expect(targetReader(long)()).rejects.toThrow('-:3 is longer than 32 MiB');
  await expect(targetReader(['no\nJSON\n'])()).rejects.toThrow('-:1 is not JSON');
  await expect(targetReader(['nothing'])()).rejects.toThrow('standard input is not JSON');
  const read = targetReader(['{"run":{}}\n{"lost":0}\n']);
  await expect(read()).rejects.toThrow('standard input contains no reply');
});
