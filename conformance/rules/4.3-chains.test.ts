import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { rules } from './4.3-chains.ts';

testProbes(rules, { 'chains/key-required': keyRequired('chains', 'silent') });
