import { bodyMutant } from './body-mutant.ts';
import { absent, appears, asNull, asText, becomes, fieldMutants } from './fields.ts';
import type { Mutant } from './mutant.ts';
import { everySecond } from './now-and-then.ts';

const shapes: readonly Mutant[] = [
  ...fieldMutants({
    section: '2.9',
    slug: 'router-info',
    operation: 'chainInfo',
    path: ['routers', '*'],
    rows: [
      ['name', absent, becomes('off-the-enumeration', 'a fourth name', (name) => `${name}-v2`)],
      [
        'liquiditySources',
        absent,
        becomes('joined', 'one text', (sources) => String(sources)),
        becomes('as-objects', 'an array of objects', (sources) =>
          (sources as string[]).map((name) => ({ name })),
        ),
      ],
      ['deployedAddress', absent, asNull],
      ['tokenProxyAddress', asNull, appears('as-boolean', 'false', false)],
      ['hasEncoder', absent, asText, becomes('as-number', '0 or 1', Number)],
    ],
  }),
];

const values: readonly Mutant[] = [
  bodyMutant(
    'chainInfo',
    'router-info/listed-twice',
    '2.9 name',
    'router-info/name-unique',
    'a router is listed once more at the end',
    ({ routers: list }) => {
      const [first] = list;
      if (first) list.push(first);
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/deployed-address-cut',
    '2.9 deployedAddress',
    'router-info/deployed-address-hex',
    '`deployedAddress` of default-router is shortened for display',
    ({ routers: list }) => {
      const [first] = list;
      if (first) first.deployedAddress = `${first.deployedAddress.slice(0, 8)}...`;
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/deployed-nowhere',
    '2.9 deployedAddress',
    'router-info/deployed-somewhere',
    '`deployedAddress` of the last router is zero',
    ({ routers: list }) => {
      const last = list.at(-1);
      if (last) last.deployedAddress = `0x${'0'.repeat(40)}`;
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/token-proxy-empty',
    '2.9 tokenProxyAddress',
    'router-info/token-proxy-address-hex',
    '`tokenProxyAddress` is an empty text where there is none',
    ({ routers: list }) => {
      for (const router of list) router.tokenProxyAddress ??= '';
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/source-twice',
    '2.9 liquiditySources',
    'router-info/sources-unique',
    'a source is listed once more at the end',
    ({ routers: list }) => {
      for (const { liquiditySources } of list) liquiditySources.push(liquiditySources[0] ?? '');
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/source-unlisted',
    '2.9 liquiditySources',
    'route/name-among-sources',
    'a source is used and not listed',
    ({ routers: list }) => {
      for (const router of list) {
        router.liquiditySources = router.liquiditySources.filter((name) => name !== 'UniswapV3');
      }
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/encoder-denied',
    '2.9 hasEncoder',
    'router-info/encoder-as-used',
    '`hasEncoder` is false everywhere, and calldata comes all the same',
    ({ routers: list }) => {
      for (const router of list) router.hasEncoder = false;
    },
  ),
  bodyMutant(
    'chainInfo',
    'router-info/default-router-unlisted',
    '2.8 routers',
    'swap-response/router-available',
    'default-router answers plans and is not listed',
    (info) => {
      info.routers = info.routers.filter(({ name }) => name !== 'default-router');
    },
  ),
];

const repetition: readonly Mutant[] = [
  {
    id: 'router-info/address-changes',
    clause: '2.8 routers',
    caughtBy: 'router-info/repeats',
    title: 'every second reply tells another address of a router',
    middleware: everySecond('chainInfo', ({ routers: [first], usdTokenAddress }) => {
      if (first) first.deployedAddress = usdTokenAddress;
    }),
  },
];

/** @see Specification 2.9 */
export const routerInfoMutants: readonly Mutant[] = [...shapes, ...values, ...repetition];
