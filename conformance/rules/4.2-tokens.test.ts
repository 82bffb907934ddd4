import { keyRequired } from '../rule-kit/probe-kinds.testing.ts';
import { testProbes } from '../rule-kit/probes.testing.ts';
import { rules } from './4.2-tokens.ts';

testProbes(rules, { 'tokens/key-required': keyRequired('tokens', 'unknown silent') });
