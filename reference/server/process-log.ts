import { pino } from 'pino';

/** Bytes that are written at once; fewer wait for at most half a second. */
const BATCH_BYTES = 65_536;
const FLUSH_MS = 500;

/**
 * Returns a log of one JSON line an event, with the process's id, written in
 * batches to a file or a file descriptor.
 *
 * Lines are handed over as bytes: of text, the destination would count all that
 * waits again at each line, which costs more than writing the line.
 */
export function createProcessLog(dest: number | string) {
  const output = pino.destination({
    dest,
    contentMode: 'buffer',
    sync: false,
    minLength: BATCH_BYTES,
    maxWrite: 2 * BATCH_BYTES,
    periodicFlush: FLUSH_MS,
  });
  // Typed for text alone, which it takes as bytes only where all of it is.
  const write = output.write.bind(output) as unknown as (bytes: Buffer) => boolean;
  const lines = { write: (line: string) => write(Buffer.from(line)) };
  return {
    logger: pino({ base: { pid: process.pid } }, lines),
    /** Writes what still waits, then closes; nothing may be logged after it. */
    end: () => output.end(),
  };
}
