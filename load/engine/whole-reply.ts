/**
 * Returns the status if a chunk is exactly one plain reply. Returns undefined for anything that
 * needs the parser: more or less than one reply, an encoded body, a closing connection, an interim
 * status. Most replies under load are plain, and parsing them would cost more than the rest of the
 * request.
 * @example readWholeReply(Buffer.from('HTTP/1.1 200 OK\r Content-Length: 2\r \r {}')) // 200
 */
export function readWholeReply(chunk: Buffer): number | undefined {
  const headLength = chunk.indexOf(END_OF_HEAD);
  if (headLength === -1) return undefined;
  const head = chunk.toString('latin1', 0, headLength);
  const status = Number(STATUS_LINE.exec(head)?.[1]);
  if (!(status >= 200) || status === 204 || status === 304 || SPECIAL.test(head)) return undefined;
  const length = LENGTH.exec(head);
  if (length === null || LENGTH.test(head.slice(length.index + 2))) return undefined;
  return chunk.length === headLength + END_OF_HEAD.length + Number(length[1]) ? status : undefined;
}

/**
 * Returns a copy of the headers and body of a plain reply in one chunk, or undefined if a header
 * needs the parser.
 */
export function readContent(
  chunk: Buffer,
): { readonly rawHeaders: string[]; readonly body: Buffer } | undefined {
  const headLength = chunk.indexOf(END_OF_HEAD);
  const [, ...lines] = chunk.toString('latin1', 0, headLength).split('\r\n');
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    rawHeaders.push(name, value.trim());
  }
  return { rawHeaders, body: Buffer.from(chunk.subarray(headLength + END_OF_HEAD.length)) };
}

const END_OF_HEAD = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.1 ([2-5][0-9]{2}) [^\r\n]*(?:\r\n|$)/;
const SPECIAL =
  /\r\n(?:transfer-encoding|connection:(?![ \t]*keep-alive[ \t]*(?:\r\n|$))|upgrade|[ \t])/i;
const LENGTH = /\r\ncontent-length:[ \t]*([0-9]{1,9})[ \t]*(?=\r\n|$)/i;
const HEADER = /^([!-9;-~]+):([\t -~]*)$/;
