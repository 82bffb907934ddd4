import { gzipSync } from 'node:zlib';
import { type MutantTable, withCommon } from './faults/mutant.ts';
import { everyNth } from './faults/occasions.ts';

/** @see Specification 0 and 4: transport of replies */
export const transportMutants: MutantTable = {
  ...withCommon({ caughtBy: 'endpoint/json' })({
    'json/not-a-number': {
      title: 'a price is NaN',
      text: (text) => text.replace(/("usdPrice":)[^,}]+/, '$1NaN'),
    },
    'json/infinite': {
      title: 'a price is Infinity',
      text: (text) => text.replace(/("nativeTokenUsdPrice":)[^,}]+/, '$1Infinity'),
    },
    'json/truncated': {
      title: 'the body ends before its last brace',
      text: (text) => text.slice(0, -1),
    },
    'json/byte-order-mark': {
      title: 'the body begins with a byte order mark',
      text: (text) => `\ufeff${text}`,
    },
    'json/trailing-comma': {
      title: 'an array ends with a comma',
      text: (text) => text.replace(/\](?=,"routes")/, ',]'),
    },
    'json/single-quotes': {
      title: 'strings are in single quotes',
      text: (text) => text.replaceAll('"', "'"),
    },
    'json/two-documents': { title: 'the body is sent twice', text: (text) => text + text },
    'json/empty': { title: 'the body of a 200 is empty', text: () => '' },
    'json/latin-1': {
      title: 'the body is in Latin-1',
      text: (text) => Buffer.from(text.replace('swapcheck', 'swapchéck'), 'latin1'),
    },
  }),
  'json/key-twice': {
    caughtBy: 'endpoint/unique-keys',
    title: '`router` appears twice',
    text: (text) => text.replace('"router":', '"router":"default-router","router":'),
  },
  'content-type/text': {
    caughtBy: 'endpoint/content-type',
    title: 'JSON is sent as text/plain',
    text: (_, ctx) => ctx.set('Content-Type', 'text/plain; charset=utf-8'),
  },
  'content-type/absent': {
    caughtBy: 'endpoint/content-type',
    title: 'there is no `Content-Type`',
    text: (_, ctx) => ctx.remove('Content-Type'),
  },
  // The connection ends in the middle of a reply, or before the reply.
  ...withCommon({ caughtBy: 'endpoint/answers', when: everyNth(20, 'swap') })({
    'connection/never-answers': {
      title: 'one request in twenty has no reply',
      instead: (ctx) => {
        ctx.respond = false;
      },
    },
    'connection/reset': {
      title: 'one connection in twenty is reset',
      instead: (ctx) => {
        ctx.respond = false;
        ctx.req.socket.resetAndDestroy();
      },
    },
    'connection/cut-in-the-body': {
      title: 'one body in twenty is cut',
      instead: (ctx) => {
        ctx.respond = false;
        ctx.res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1_000 });
        ctx.res.write('{"aggregator":');
        setTimeout(() => ctx.req.socket.destroy(), 1).unref();
      },
    },
    'connection/no-http': {
      title: 'one reply in twenty is not HTTP',
      instead: (ctx) => {
        ctx.respond = false;
        ctx.req.socket.end('no such thing as HTTP\r\n\r\n');
      },
    },
    'connection/gzip-broken': {
      title: 'one gzip stream in twenty is broken',
      instead: (ctx) => {
        ctx.respond = false;
        ctx.res.writeHead(200, {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
        });
        ctx.res.end(gzipSync('{"aggregator":"swapcheck"}').subarray(0, -9));
      },
    },
  }),
};
