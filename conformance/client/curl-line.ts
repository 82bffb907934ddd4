import { type Header, headerPlaceholder, isSecretHeader, type Reach } from './reach.ts';
import { KEY_PLACEHOLDER, REQUEST_HEADERS } from './request.ts';

/** How a request was sent, and how its reply arrived. */
export type Sent = Reach & {
  /** True if the reply was compressed, so that curl must request that too, and decode it. */
  readonly isCompressed?: boolean | undefined;
};

/**
 * Returns a POSIX shell command that repeats a request and shows the reply's status and headers,
 * with only the options that this request needs. The command does not contain the API key: the
 * shell expands `$SWAPCHECK_API_KEY`. Everything else is literal. If the key is at the end of the
 * query, curl percent-encodes it; elsewhere, the variable must contain the encoded key.
 *
 * Values of secret headers are also written as variables.
 *
 * @param target - Path and query as sent, with the key replaced by `$SWAPCHECK_API_KEY`.
 * @example curlLine('http://127.0.0.1:8080', '/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY') // curl
 * -i -H 'accept: application/json' -G --data-urlencode "apiKey=$SWAPCHECK_API_KEY" \ //
 * 'http://127.0.0.1:8080/api/v1.0/chains'
 */
export function curlLine(baseUrl: string, target: string, sent: Sent = {}): string {
  return writeLine(POSIX, baseUrl, target, sent);
}

/**
 * Returns the same command for PowerShell. There, `curl` may be another program, and environment
 * variables and quotes have a different syntax.
 *
 * @example
 * powerShellLine('http://127.0.0.1:8080', '/api/v1.0/chains?apiKey=$SWAPCHECK_API_KEY')
 * // curl.exe -i -H 'accept: application/json' -G `
 * //   --data-urlencode "apiKey=$env:SWAPCHECK_API_KEY" 'http://127.0.0.1:8080/api/v1.0/chains'
 */
export function powerShellLine(baseUrl: string, target: string, sent: Sent = {}): string {
  return writeLine(POWER_SHELL, baseUrl, target, sent);
}

type Shell = {
  readonly curl: string;
  /** Returns a reference to an environment variable. */
  readonly variable: (name: string) => string;
  readonly quote: (literal: string) => string;
  /** Joins quoted literals and variables into one argument. */
  readonly join: (parts: readonly string[]) => string;
};

/** Quotes a text for a POSIX shell. */
export function quoteForPosixShell(literal: string): string {
  return `'${literal.replaceAll("'", "'\\''")}'`;
}

const POSIX: Shell = {
  curl: 'curl',
  variable: (name) => `$${name}`,
  quote: quoteForPosixShell,
  join: (parts) => parts.join(''),
};

/** PowerShell also accepts curly quotes as quotes, so they are doubled like straight ones. */
const POWER_SHELL: Shell = {
  curl: 'curl.exe',
  variable: (name) => `$env:${name}`,
  quote: (literal) => `'${literal.replace(/['‘’‚‛]/g, '$&$&')}'`,
  join: (parts) => (parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' + ')})`),
};

/** Text that curl expands to several URLs, unless `--globoff` is passed. */
const GLOB = /[[\]{}]/;
/** Segments that curl removes from a path, unless `--path-as-is` is passed. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?=[/?#]|$)/i;

function writeLine(shell: Shell, baseUrl: string, target: string, sent: Sent): string {
  const url = `${baseUrl.replace(/\/+$/, '')}${target}`;
  const options = [
    '-i',
    ...(sent.isCompressed ? ['--compressed'] : []),
    ...(GLOB.test(url) ? ['--globoff'] : []),
    ...(DOT_SEGMENT.test(url) ? ['--path-as-is'] : []),
    ...(sent.insecure ? ['--insecure'] : []),
    ...headersAffectingReply(sent).map((header) => `-H ${quoteHeader(shell, header)}`),
  ];
  const command = `${shell.curl} ${options.join(' ')}`;
  const last = /^([^$]*)[?&]([A-Za-z0-9_.-]+)=\$SWAPCHECK_API_KEY$/.exec(url);
  if (last === null) return `${command} ${quoteUrl(shell, url)}`;
  const [, rest = '', name] = last;
  const key = shell.variable(KEY_VARIABLE);
  return `${command} -G --data-urlencode "${name}=${key}" ${quoteUrl(shell, rest)}`;
}

/** Without a compressed reply, requesting one makes no difference. */
function headersAffectingReply({ headers = [], isCompressed }: Sent): readonly Header[] {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const ours = Object.entries(REQUEST_HEADERS).filter(
    ([name]) => !names.has(name) && (isCompressed || name !== 'accept-encoding'),
  );
  return [...ours, ...headers];
}

const KEY_VARIABLE = KEY_PLACEHOLDER.slice(1);

function quoteHeader({ quote, variable }: Shell, header: Header): string {
  const [name, value] = header;
  if (!isSecretHeader(header)) return quote(`${name}: ${value}`);
  return `"${name}: ${variable(headerPlaceholder(name).slice(1))}"`;
}

function quoteUrl({ quote, variable, join }: Shell, url: string): string {
  const parts = url
    .split(KEY_PLACEHOLDER)
    .flatMap((literal, index) => [
      ...(index === 0 ? [] : [`"${variable(KEY_VARIABLE)}"`]),
      ...(literal === '' ? [] : [quote(literal)]),
    ]);
  return join(parts);
}
