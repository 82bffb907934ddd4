import { validateHeaderName, validateHeaderValue } from 'node:http';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ROUTER_NAMES } from '../contract/names.ts';
import { named, oneOrMore, repeated } from '../output/option-values.ts';
import { MAX_PEM_BYTES, readText } from '../output/read-file.ts';
import { UsageError } from '../output/usage-error.ts';
import type { ChainId } from './chain-ids.ts';
import type { Header, Reach } from './reach.ts';
import type { RouterNames } from './router-names.ts';

/** The parsed options of `withReachOptions`. */
export type ReachFlags = {
  readonly header?: readonly Header[];
  readonly proxy?: URL;
  readonly ca?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly insecure?: boolean;
};

/** Adds the options for reaching a service to a command that sends requests. */
export function withReachOptions(command: Command): Command {
  return command
    .option(
      "--header <'name: value'>",
      'send this header with every request, repeatable; its value is never shown',
      repeated(parseHeader),
    )
    .option('--proxy <url>', 'send requests through this HTTP proxy', parseProxy)
    .option('--ca <file>', 'trust the certificate authorities in this file (PEM)')
    .option('--client-cert <file>', 'present this certificate to the service (PEM)')
    .option('--client-key <file>', 'use this key for --client-cert (PEM)')
    .option('--insecure', 'accept any certificate from the service; reports mention this');
}

/**
 * Returns the settings for reaching a service. Reads the files that the options name.
 *
 * @throws {UsageError} naming the file that cannot be read, or the option that is missing.
 */
export function readReach({
  header,
  proxy,
  ca,
  clientCert,
  clientKey,
  insecure,
}: ReachFlags): Reach {
  if ((clientCert === undefined) !== (clientKey === undefined)) {
    const [given, missing] =
      clientCert === undefined ? ['client-key', 'client-cert'] : ['client-cert', 'client-key'];
    throw new UsageError(`--${given}: --${missing} is required too`);
  }
  return {
    headers: header,
    proxy,
    ca: ca === undefined ? undefined : readPem('--ca', ca),
    certificate:
      clientCert === undefined || clientKey === undefined
        ? undefined
        : {
            cert: readPem('--client-cert', clientCert),
            key: readPem('--client-key', clientKey),
          },
    insecure,
  };
}

function readPem(option: string, path: string): string {
  const text = readText(path, `${option}: ${path}`, MAX_PEM_BYTES);
  if (text.includes('-----BEGIN ')) return text;
  throw new UsageError(`${option}: ${path} is not PEM: expected a line '-----BEGIN ...-----'`);
}

const SET_BY_CONNECTION =
  /^(connection|content-length|transfer-encoding|keep-alive|upgrade|expect)$/i;

function parseHeader(text: string): Header {
  const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  try {
    validateHeaderName(name.trim());
    validateHeaderValue(name.trim(), value.trim());
  } catch {
    // The text may be a secret, so the message does not quote it. An error from commander would.
    throw new UsageError("--header: expected 'Name: value'");
  }
  if (SET_BY_CONNECTION.test(name.trim())) {
    throw new UsageError(`--header: ${name.trim()} is set by the connection itself`);
  }
  return [name.trim(), value.trim()];
}

parseHeader.schema = { type: 'string', pattern: '^[^:]+:' };

function parseProxy(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError('--proxy: expected an http or https URL, such as http://127.0.0.1:3128');
}

parseProxy.schema = { type: 'string', pattern: '^https?://' };

/** Parses the digits of a chain id, for `--chain`. */
export function parseChainId(text: string): ChainId {
  if (!/^[0-9]{1,78}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : BigInt(text);
}

parseChainId.schema = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[0-9]{1,78}$' },
  ],
};

/** Returns the option `--router-name`, which is repeatable. */
export function routerNameOption(): Option {
  const option = new Option(
    '--router-name <ours=theirs>',
    "map the specification's name of a router to the service's own name, repeatable, even for the same router",
  );
  return named('routerNames', option.argParser(collectRouterName));
}

function collectRouterName(text: string, earlier: RouterNames = {}): RouterNames {
  const [ours = '', ...rest] = text.split('=');
  const name = ROUTER_NAMES.find((each) => each === ours);
  const theirs = rest.join('=');
  if (name === undefined || theirs === '') {
    throw new InvalidArgumentError(
      `Expected OURS=THEIRS, such as service-router=NAME; OURS is one of ${ROUTER_NAMES.join(', ')}.`,
    );
  }
  return { ...earlier, [name]: [...[earlier[name] ?? []].flat(), theirs] };
}

collectRouterName.schema = oneOrMore({
  type: 'string',
  pattern: `^(${ROUTER_NAMES.join('|')})=.+$`,
});
