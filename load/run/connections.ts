import autocannon from 'autocannon';
import { type ConnectionEvents, takeOver } from './connection.ts';
import type { KeepAlive } from './keep-alive.ts';

/** Opens connections to a service, which tell what becomes of them. Returns what closes them all. */
export type Connect = (origin: URL, count: number, events: ConnectionEvents) => () => void;

/** Opens connections with autocannon: its sockets and its parser, on the engine's schedule. */
export const connectByAutocannon: Connect = (origin, count, events) => {
  const prefix = origin.pathname.replace(/\/+$/, '');
  const headers = `Host: ${origin.host}\r\nAccept: application/json\r\nConnection: keep-alive`;
  const write = (target: string): string => `GET ${prefix}${target} HTTP/1.1\r\n${headers}\r\n\r\n`;
  const keepAlive: KeepAlive = { longestMs: 0 };
  const tracker = autocannon(
    {
      url: origin.href,
      connections: count,
      // Never its own: the longest that a timer can take, in seconds.
      duration: 2_147_483,
      timeout: 2_147_483,
      sampleInt: 100,
      setupClient: (client) => void takeOver(client, write, events, keepAlive),
    },
    () => {},
  );
  return () => tracker.stop();
};
