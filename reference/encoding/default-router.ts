import type { Encoder } from './encoder.ts';
import { encodeGraphCalldata } from './graph-calldata.ts';
import { graphGasLimit } from './graph-gas.ts';

/** Encodes any acyclic plan for `DefaultRouter`, which the user approves directly. */
export const encodeDefaultRouter: Encoder = (plan, options) => {
  const calldata = encodeGraphCalldata(plan, options);
  return { calldata, gasLimit: graphGasLimit(plan, calldata, { ...options, throughProxy: false }) };
};
