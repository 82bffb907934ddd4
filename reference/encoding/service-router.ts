import type { Encoder } from './encoder.ts';
import { encodeGraphCalldata } from './graph-calldata.ts';
import { graphGasLimit } from './graph-gas.ts';

/** Encodes any acyclic plan for `ServiceRouter`, which takes tokens through its token proxy. */
export const encodeServiceRouter: Encoder = (plan, options) => {
  const calldata = encodeGraphCalldata(plan, options);
  return { calldata, gasLimit: graphGasLimit(plan, calldata, { ...options, throughProxy: true }) };
};
