import {
  type AbiParameter,
  type ContractFunctionArgs,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
} from 'viem';
import { ACTIONS, COMMANDS, type CommandAbi, ROUTER_ABI } from '../encoding/router-abi.ts';
import { ORDER_FIELDS } from '../planner/pools/maker-order.ts';

type DecodedCall = {
  readonly signature: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly steps: readonly string[];
};

/** Functions that name an address and format an amount of a token. */
export type Formatters = {
  readonly nameOf: (address: string) => string;
  readonly amountOf: (units: bigint, token: string) => string;
};

/**
 * Decodes calldata for one of our routers or the Universal Router. Returns undefined for calldata
 * of any other router.
 */
export function decodeCalldata(calldata: string, formatters: Formatters): DecodedCall | undefined {
  try {
    const { functionName, args } = decodeFunctionData({ abi: ROUTER_ABI, data: calldata as Hex });
    if (functionName === 'execute') return describeExecution(...args, formatters);
    const [order, tokens, swaps, quotes = []] = args;
    return describeProgram(functionName, [order, tokens, swaps], quotes, formatters);
  } catch {
    // The calldata is for another router.
    return undefined;
  }
}

type Program = ContractFunctionArgs<typeof ROUTER_ABI, 'nonpayable', 'sellExactly'>;

const ROUTER = 0xfe;
const RECEIVER = 0xff;

/** @see ../contracts/Program.sol for the fields of the two words */
function describeProgram(
  name: string,
  [order, tokens, swaps]: Program,
  quotes: readonly Hex[],
  { nameOf, amountOf }: Formatters,
): DecodedCall {
  const sells = name.startsWith('sell');
  const [sold = '', bought = ''] = [tokens[0], tokens.at(-1)];
  const token = (index: bigint) => nameOf(tokens[Number(index & 0xffn)] ?? '?');
  const steps = swaps.map(({ hop, share }) => {
    const target = Number((hop >> 176n) & 0xffn);
    const pool = `0x${(hop & ((1n << 160n) - 1n)).toString(16).padStart(40, '0')}`;
    const [part, whole] = [share >> 128n, share & ((1n << 128n) - 1n)];
    const taken = whole === 0n ? 'all' : `${Number((part * 10_000n) / whole) / 100}%`;
    const rest = token(hop >> (sells ? 160n : 168n));
    const of = sells
      ? `${taken} of the ${rest} that is left`
      : `for ${taken} of the ${rest} that is still needed`;
    const paid =
      target === RECEIVER
        ? 'paid out'
        : target === ROUTER
          ? 'stays in the router'
          : `paid into the pool of swap ${target + 1}`;
    return `${describePool(hop)} ${nameOf(pool)}: ${token(hop >> 160n)} to ${token(hop >> 168n)}, ${of}, ${paid}`;
  });
  return {
    signature: `${name}(order, tokens, swaps${quotes.length > 0 ? ', quotes' : ''})`,
    fields: [
      [sells ? 'sells' : 'sells at most', amountOf(order.sellAmount, sold)],
      [sells ? 'buys at least' : 'buys', amountOf(order.buyAmount, bought)],
      ['recipient', /^0x0{40}$/.test(order.recipient) ? 'the sender' : order.recipient],
      ['until', formatTime(order.deadline)],
      ['paid as', order.unwrap ? 'the native token' : nameOf(bought)],
    ],
    steps: [...steps, ...quotes.map((quote, at) => describeQuote(quote, at + 1, amountOf))],
  };
}

const QUOTE = [
  ...ORDER_FIELDS,
  { type: 'bytes32' },
  { type: 'bytes32' },
  { type: 'uint8' },
] as const;

function describeQuote(quote: Hex, number: number, amountOf: Formatters['amountOf']): string {
  const fields = decodeAbiParameters(QUOTE, quote);
  const [maker, , makerToken, takerToken, makerAmount, takerAmount, expiry] = fields;
  const buys = amountOf(takerAmount, takerToken);
  return `Quote ${number}: ${maker} buys up to ${buys} for ${amountOf(makerAmount, makerToken)}, until ${formatTime(expiry)}`;
}

function describePool(hop: bigint): string {
  if (hop & (1n << 187n)) return 'Vault pool';
  if (hop & (1n << 188n)) return 'V4 pool';
  if (!(hop & (1n << 184n))) return 'Constant product';
  const quote = (hop >> 192n) & 0xffn;
  return quote === 0n ? 'Concentrated pool' : `Maker order (quote ${quote})`;
}

function formatTime(seconds: bigint): string {
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', ' UTC').replace('T', ' ');
}

function describeExecution(
  commands: Hex,
  inputs: readonly Hex[],
  deadline: bigint,
  formatters: Formatters,
): DecodedCall {
  return {
    signature: 'execute(commands, inputs, deadline)',
    fields: [['until', formatTime(deadline)]],
    steps: bytesOf(commands).flatMap((code, at) => {
      const input = inputs[at] ?? '0x';
      const lock = COMMANDS.V4_SWAP;
      if (code !== lock.code) return describeCommand(COMMANDS, code, input, formatters);
      const [actions, parameters] = decodeAbiParameters(lock.inputs, input);
      return bytesOf(actions).map(
        (action, index) =>
          `V4_SWAP ${describeCommand(ACTIONS, action, parameters[index] ?? '0x', formatters)}`,
      );
    }),
  };
}

function bytesOf(codes: Hex): string[] {
  return (codes.slice(2).match(/../g) ?? []).map((byte) => `0x${byte}`);
}

function describeCommand(
  commands: Readonly<Record<string, CommandAbi>>,
  code: string,
  input: Hex,
  formatters: Formatters,
): string {
  const [known] = Object.entries(commands).filter(([, command]) => command.code === code);
  if (known === undefined) return `command ${code} ${input}`;
  const [name, { inputs: types }] = known;
  const described = decodeAbiParameters(types, input).flatMap((value, at) =>
    describeField(types[at] as AbiParameter, value, formatters),
  );
  return `${name}: ${described.join(', ')}`;
}

function describeField(parameter: AbiParameter, value: unknown, formatters: Formatters): string[] {
  const { name, type } = parameter;
  if (type === 'tuple' && 'components' in parameter) {
    return parameter.components.flatMap((part) =>
      describeField(part, (value as Record<string, unknown>)[part.name ?? ''], formatters),
    );
  }
  return [`${name} ${describeInput(name, type, value, formatters)}`];
}

function describeInput(
  field: string | undefined,
  type: string,
  value: unknown,
  { nameOf }: Formatters,
): string {
  if (type === 'tuple[]') return (value as readonly LockedHop[]).map(describeHop(nameOf)).join(' ');
  if (type === 'address[]') return (value as readonly string[]).map(nameOf).join(' to ');
  if (type === 'bytes' && field === 'path') return describePath(value as string, nameOf);
  if (type === 'address') return ACCOUNTS[value as string] ?? nameOf(value as string);
  if (value === 1n << 255n) return 'everything that the router holds';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

type LockedHop = { readonly currency: string; readonly fee: number };

function describeHop(nameOf: Formatters['nameOf']) {
  return ({ currency, fee }: LockedHop) => `(${fee / 10_000}%) ${nameOf(currency)}`;
}

/** Maps the Universal Router's aliases to the accounts that they denote. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  '0x0000000000000000000000000000000000000001': 'the sender',
  '0x0000000000000000000000000000000000000002': 'the router',
};

function describePath(path: string, nameOf: Formatters['nameOf']): string {
  const described = [nameOf(`0x${path.slice(2, 42)}`)];
  for (let at = 42; at < path.length; at += 46) {
    const fee = Number.parseInt(path.slice(at, at + 6), 16) / 10_000;
    described.push(`(${fee}%) ${nameOf(`0x${path.slice(at + 6, at + 46)}`)}`);
  }
  return described.join(' ');
}
