import type { MixEntry } from '../model/profile.ts';

/**
 * Returns the name by which figures of a mix entry are kept.
 *
 * @example
 * kindName({ request: 'swap', weight: 1, trade: 'exact-output', calldata: true }) // 'swap exact-output calldata'
 */
export function kindName(entry: MixEntry): string {
  const { request, trade, native, calldata, rfq, router } = entry;
  const traits = [
    trade === 'exact-output' ? 'exact-output' : '',
    native === undefined || native === 'neither' ? '' : `native-${native}`,
    calldata ? 'calldata' : '',
    rfq ? 'rfq' : '',
    router ?? '',
  ];
  return [request, ...traits].filter((part) => part !== '').join(' ');
}
