import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { rules } from './4.4-chain-info.ts';

testProbes(rules, { 'chain-info/key-required': keyRequired('chainInfo', 'unknown silent') });
