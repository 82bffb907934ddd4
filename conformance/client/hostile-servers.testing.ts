import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

/** Repeats a write until the peer hangs up, never faster than it reads. */
function repeat(socket: Socket, bytes: string | Buffer, everyMs: number): void {
  const timer = setInterval(() => {
    if (!socket.writableNeedDrain) socket.write(bytes);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

/** Compressed once: doing so for each request would take our process longer than any time-out. */
let bomb: Buffer | undefined;

/** Every kind of misbehavior below JSON, by name. */
export const HOSTILE_TALK = {
  'no answer': () => undefined,
  'one byte at a time': (socket) => {
    socket.write(`${head}Content-Length: 100000\r\n\r\n`);
    repeat(socket, '1', 100);
  },
  'headers one byte at a time': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
    repeat(socket, 'a', 100);
  },
  'headers without end': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    repeat(socket, `x-more: ${'a'.repeat(8000)}\r\n`, 1);
  },
  'a body without end': (socket) => {
    socket.write(`${head}\r\n[`);
    repeat(socket, '1,'.repeat(32_768), 1);
  },
  'a gzip bomb': (socket) => {
    bomb ??= gzipSync(Buffer.alloc(64 * 2 ** 20, ' '));
    socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
    socket.end(bomb);
  },
  'gzip in name only': (socket) => {
    socket.end(`${head}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n[]`);
  },
  'gzip that ends early': (socket) => {
    socket.write(`${head}Content-Encoding: gzip\r\nContent-Length: 15\r\n\r\n`);
    socket.end(gzipSync('[1,2,3]').subarray(0, 15));
  },
  'a reset in mid-body': (socket) => {
    socket.write(`${head}Content-Length: 1000\r\n\r\n[`);
    // Late enough for a busy client to have read the head: a reset discards unread bytes.
    setTimeout(() => socket.resetAndDestroy(), 100);
  },
  'a content-length too large': (socket) => {
    socket.end(`${head}Content-Length: 1000\r\n\r\n[]`);
  },
  'no HTTP at all': (socket) => {
    socket.end('220 mail.example.org ESMTP\r\n');
  },
  'nothing but a hang-up': (socket) => {
    socket.end();
  },
  'informational replies without end': (socket) => {
    repeat(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n', 5);
  },
} satisfies Record<string, (socket: Socket) => void>;
