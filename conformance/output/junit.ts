import { type Markup, markup, markupLines, trusted } from './markup.ts';
import { printable, printableLines } from './printable.ts';

/** One case of a JUnit report. */
export type JunitCase = {
  readonly className: string;
  readonly name: string;
  readonly timeS?: number | undefined;
  /** Unset if the case passed. */
  readonly outcome?: {
    readonly kind: 'failure' | 'error' | 'skipped';
    readonly message: string;
    readonly type?: string;
    /** Details, in several lines. */
    readonly text?: string;
  };
  /** Description of the case, in several lines. */
  readonly about?: string;
};

export type JunitSuite = {
  readonly name: string;
  /** Start of the run, in ISO 8601. */
  readonly startedAt: string;
  readonly cases: readonly JunitCase[];
};

const MAX_CHARACTERS = 100_000;

/**
 * Returns JUnit XML that is valid against the schema of the Jenkins plugin, which other tools also
 * follow.
 *
 * @see https://github.com/jenkinsci/xunit-plugin, `junit-10.xsd`
 */
export function writeJunit(
  name: string,
  suites: readonly JunitSuite[],
  timeS = timeOf(suites.flatMap(({ cases }) => cases)),
): string {
  const cases = suites.flatMap((suite) => suite.cases);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}"${countAttributes(cases)} time="${timeS.toFixed(3)}">
${suites.map(suiteElement)}</testsuites>
`.text;
}

function suiteElement({ name, startedAt, cases }: JunitSuite): Markup {
  const skipped = countOf(cases, 'skipped');
  return markup`<testsuite name="${name}"${countAttributes(cases)} skipped="${skipped}" time="${timeOf(cases).toFixed(3)}" timestamp="${startedAt.replace(/\.\d+Z$/, '')}">
${cases.map(caseElement)}</testsuite>
`;
}

function countAttributes(cases: readonly JunitCase[]): Markup {
  return markup` tests="${cases.length}" failures="${countOf(cases, 'failure')}" errors="${countOf(cases, 'error')}"`;
}

function countOf(cases: readonly JunitCase[], kind: string): number {
  return cases.filter(({ outcome }) => outcome?.kind === kind).length;
}

function timeOf(cases: readonly JunitCase[]): number {
  return cases.reduce((sum, { timeS = 0 }) => sum + timeS, 0);
}

function caseElement({ className, name, timeS = 0, outcome, about }: JunitCase): Markup {
  return markup`<testcase classname="${className}" name="${name}" time="${timeS.toFixed(3)}">${outcome && outcomeElement(outcome)}${about === undefined ? undefined : markup`<system-out>${lines(about)}</system-out>`}</testcase>
`;
}

function outcomeElement({
  kind,
  message,
  type,
  text = '',
}: NonNullable<JunitCase['outcome']>): Markup {
  const element = trusted(kind);
  return markup`<${element} message="${printable(message, 500)}"${type === undefined ? undefined : markup` type="${type}"`}>${lines(text)}</${element}>`;
}

function lines(text: string): Markup {
  return markupLines(printableLines(text, MAX_CHARACTERS));
}
