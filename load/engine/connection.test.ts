import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { CA, CLIENT, SERVER } from '../../conformance/client/certificates.testing.ts';
import { HOSTILE_REPLIES } from '../../fixtures/testing/hostile-replies.testing.ts';
import { type Connection, type ConnectOptions, connect, type ReplyContent } from './connection.ts';
import { closeServers, listen } from './engine.testing.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closers.splice(0)) close();
  closeServers();
});

type Event =
  | { readonly kind: 'free' }
  | { readonly kind: 'reply'; readonly status: number; readonly body: string | undefined }
  | { readonly kind: 'sent again' }
  | { readonly kind: 'loss'; readonly cause: string };

function open(origin: URL, options?: ConnectOptions) {
  const queue: Event[] = [];
  const waiting: ((event: Event) => void)[] = [];
  const record = (event: Event): void => {
    const first = waiting.shift();
    if (first === undefined) queue.push(event);
    else first(event);
  };
  const client = {
    connection: undefined as unknown as Connection,
    queue,
    next: () =>
      new Promise<Event>((resolve) => {
        const first = queue.shift();
        if (first === undefined) waiting.push(resolve);
        else resolve(first);
      }),
  };
  const show = (content: ReplyContent | undefined) => content?.body.toString();
  const close = connect(
    origin,
    1,
    {
      onTried: () => {},
      onFree(connection) {
        client.connection = connection;
        record({ kind: 'free' });
      },
      onReply: (_connection, status, content) =>
        record({ kind: 'reply', status, body: show(content) }),
      onSentAgain: () => record({ kind: 'sent again' }),
      onLoss: (_connection, cause) => record({ kind: 'loss', cause }),
    },
    options,
  );
  closers.push(close);
  return client;
}

async function serve(answer: (socket: Socket, number: number) => void) {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requests += 1;
      answer(socket, requests);
    });
  });
  return { server, origin: await listen(server) };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const free = { kind: 'free' };
const reply = { kind: 'reply', status: 200, body: '{}' };

describe('connect', () => {
  test('a reply -> its status, the body if requested, and the connection is free again', async () => {
    const { origin } = await serve((socket) => socket.write(OK));
    const client = open(origin);
    expect(await client.next()).toEqual(free);
    client.connection.send('/', true);
    expect(await client.next()).toEqual(reply);
    expect(await client.next()).toEqual(free);
    client.connection.send('/', false);
    expect(await client.next()).toEqual({ ...reply, body: undefined });
  });

  test('TLS with a client certificate -> accepted, with the given headers', async () => {
    const headers: unknown[] = [];
    const server = createHttpsServer(
      { ...SERVER, ca: CA, requestCert: true, rejectUnauthorized: true },
      (request, response) => {
        const { accept, 'x-token': token } = request.headers;
        headers.push({ accept, token });
        response.end('{}');
      },
    );
    const { port } = await listen(server);
    const origin = new URL(`https://127.0.0.1:${port}`);
    const options: ConnectOptions = {
      headers: [
        ['X-Token', 'secret'],
        ['accept', '*/*'],
      ],
      tls: { ca: CA, ...CLIENT },
    };
    const client = open(origin, options);
    expect(await client.next()).toEqual(free);
    client.connection.send('/', true);
    expect(await client.next()).toEqual(reply);
    expect(headers).toEqual([{ accept: '*/*', token: 'secret' }]);
    const stranger = open(origin);
    await stranger.next();
    stranger.connection.send('/', false);
    expect(await stranger.next()).toMatchObject({ kind: 'loss' });
  });

  test('interleaved bodies in many chunks on two connections -> each is complete', async () => {
    const half = { a: 'a'.repeat(150_000), b: 'b'.repeat(150_000) };
    const { origin } = await serve((socket, number) => {
      const text = number === 1 ? half.a : half.b;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n${text}`);
      setTimeout(() => socket.write(text), 20);
    });
    const clients = [open(origin), open(origin)];
    for (const client of clients) {
      await client.next();
      client.connection.send('/', true);
    }
    const bodies = [];
    for (const client of clients) bodies.push(await client.next());
    const replyWith = (text: string) => ({ kind: 'reply', status: 200, body: text + text });
    expect(new Set(bodies)).toEqual(new Set([replyWith(half.a), replyWith(half.b)]));
  });

  test.each([
    ['with it', 0],
    ['long before it', 20],
  ])('an interim response %s -> the reply after it is returned', async (_, waitMs) => {
    const { origin } = await serve((socket) => {
      const interim = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n';
      if (waitMs === 0) return socket.write(interim + OK);
      socket.write(interim);
      return setTimeout(() => socket.write(OK), waitMs);
    });
    const client = open(origin);
    for (const _time of [1, 2]) {
      expect(await client.next()).toEqual(free);
      client.connection.send('/', true);
      expect(await client.next()).toEqual(reply);
    }
  });

  test('a reply without a request -> ignored', async () => {
    const { origin } = await serve((socket, number) =>
      socket.write(number === 1 ? OK + OK.replace('200', '202') : OK),
    );
    const client = open(origin);
    for (const _time of [1, 2]) {
      expect(await client.next()).toEqual(free);
      client.connection.send('/', true);
      expect(await client.next()).toEqual(reply);
    }
    expect(client.queue).toEqual([free]);
  });

  test.each(Object.entries(HOSTILE_REPLIES))(
    '%s -> its outcome, and the next reply is complete',
    async (_, { send, load }) => {
      let isHostile = true;
      const { origin } = await serve((socket) => {
        if (!isHostile) return void socket.write(OK);
        isHostile = false;
        send(socket);
        if (load === 'timeout') setTimeout(() => client.connection.expire(), 200);
      });
      const client = open(origin);
      await client.next();
      client.connection.send('/', false);
      const outcome = await client.next();
      expect('status' in outcome ? outcome.status : 'cause' in outcome && outcome.cause).toBe(load);
      expect(await client.next()).toEqual(free);
      client.connection.send('/', true);
      const next = await client.next();
      // The service may close the connection while the request is being sent.
      expect(next.kind === 'sent again' ? await client.next() : next).toEqual(reply);
    },
  );

  test('five bodies of 15 MiB at once -> five replies, of which four are kept', async () => {
    const body = Buffer.alloc(15 * 2 ** 20, ' ');
    const sockets: Socket[] = [];
    const { origin } = await serve((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length + 1}\r\n\r\n`);
      socket.write(body, async () => {
        if (sockets.push(socket) !== 5) return;
        // The client needs a few turns to read the megabytes that are still in the sockets'
        // buffers.
        for (let turn = 0; turn < 200; turn++) await setImmediate();
        for (const each of sockets) each.write(']');
      });
    });
    const kept = await new Promise<boolean[]>((resolve) => {
      const outcomes: boolean[] = [];
      const events = {
        onTried: () => {},
        onFree: (connection: Connection) => connection.send('/', true),
        onReply: (_: Connection, __: number, content: ReplyContent | undefined) => {
          if (outcomes.push(content !== undefined) === 5) resolve(outcomes);
        },
        onSentAgain: () => {},
        onLoss: () => resolve([]),
      };
      closers.push(connect(origin, 5, events));
    });
    expect(kept.toSorted()).toEqual([false, true, true, true, true]);
  });

  test('an abandoned request -> a timeout, and its late reply is ignored', async () => {
    let arrived = (): void => {};
    const hasArrived = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    let first: Socket | undefined;
    const { origin } = await serve((socket) => {
      if (first === undefined) {
        first = socket;
        arrived();
      } else {
        first.write(OK.replace('200', '500'));
        socket.write(OK);
      }
    });
    const client = open(origin);
    await client.next();
    client.connection.send('/', true);
    await hasArrived;
    client.connection.expire();
    expect(await client.next()).toEqual({ kind: 'loss', cause: 'timeout' });
    expect(await client.next()).toEqual(free);
    client.connection.send('/', true);
    expect(await client.next()).toEqual(reply);
  });

  test('Connection: close on each reply -> no request is lost', async () => {
    const { origin } = await serve((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}'),
    );
    const client = open(origin);
    for (let n = 0; n < 20; n++) {
      expect(await client.next()).toEqual(free);
      client.connection.send('/', true);
      expect(await client.next()).toEqual(reply);
    }
  });

  test('an idle connection that the service closes -> reconnects, and is not reported as free twice', async () => {
    const { server, origin } = await serve((socket) => socket.write(OK));
    const accepted = once(server, 'connection');
    const client = open(origin);
    await client.next();
    const [socket] = await accepted;
    const again = once(server, 'connection');
    socket.end();
    await again;
    expect(client.queue).toEqual([]);
    client.connection.send('/', true);
    expect(await client.next()).toEqual(reply);
  });

  test.each([
    ['ended', (socket: Socket) => socket.end()],
    ['reset', (socket: Socket) => socket.resetAndDestroy()],
  ])(
    'an idle connection %s as its next request arrives -> the request is sent again on a new connection',
    async (_, close) => {
      const { origin } = await serve((socket, number) => {
        if (number === 2) close(socket);
        else socket.write(OK);
      });
      const client = open(origin);
      await client.next();
      for (const n of [1, 2]) {
        client.connection.send('/', true);
        if (n === 2) expect(await client.next()).toEqual({ kind: 'sent again' });
        expect(await client.next()).toEqual(reply);
        expect(await client.next()).toEqual(free);
      }
    },
  );

  test.each([
    ['much earlier', 1, { kind: 'loss', cause: 'reset' }],
    ['at about that time', 900, { kind: 'sent again' }],
  ])(
    'a connection that survived one idle second, reset %s, after %i idle ms -> %o',
    async (_, idleMs, outcome) => {
      const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
      const { origin } = await serve((socket, number) => {
        if (number === 3) socket.resetAndDestroy();
        else socket.write(OK);
      });
      const client = open(origin);
      await client.next();
      for (const nowMs of [0, 1000]) {
        clock.mockReturnValue(nowMs);
        client.connection.send('/', true);
        expect(await client.next()).toEqual(reply);
        expect(await client.next()).toEqual(free);
      }
      clock.mockReturnValue(1000 + idleMs);
      client.connection.send('/', true);
      expect(await client.next()).toEqual(outcome);
    },
  );

  test('a request sent again on a new connection -> the idle time of the old connection does not count', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    const { origin } = await serve((socket, number) => {
      if (number % 2 === 0) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const client = open(origin);
    await client.next();
    client.connection.send('/', true);
    for (const idleMs of [5000, 1]) {
      expect([await client.next(), await client.next()]).toEqual([reply, free]);
      clock.mockReturnValue(performance.now() + idleMs);
      client.connection.send('/', true);
      expect(await client.next()).toEqual({ kind: 'sent again' });
    }
  });

  test('a service that ends the old and the new connection at the same request -> a loss', async () => {
    const { origin } = await serve((socket, number) => {
      if (number > 1) socket.resetAndDestroy();
      else socket.write(OK);
    });
    const client = open(origin);
    await client.next();
    client.connection.send('/', true);
    await client.next();
    await client.next();
    client.connection.send('/', true);
    expect(await client.next()).toEqual({ kind: 'sent again' });
    expect(await client.next()).toEqual({ kind: 'loss', cause: 'reset' });
  });

  test('a service that stops and restarts -> refused, then a reply', async () => {
    const { server, origin } = await serve((socket) => socket.end(OK));
    const client = open(origin);
    const outcomes: Event[] = [];
    const sendNext = async (): Promise<Event> => {
      while ((await client.next()).kind !== 'free');
      client.connection.send('/', true);
      const outcome = await client.next();
      outcomes.push(outcome);
      return outcome;
    };
    expect(await sendNext()).toEqual(reply);
    await new Promise((resolve) => server.close(resolve));
    for (let n = 0; n < 5; n++) await sendNext();
    server.listen(Number(origin.port), '127.0.0.1');
    while ((await sendNext()).kind !== 'reply');
    const lost = outcomes.slice(1, -1);
    expect(lost).toContainEqual({ kind: 'loss', cause: 'refused' });
    expect(lost.every(({ kind }) => kind === 'loss')).toBe(true);
  });
});
