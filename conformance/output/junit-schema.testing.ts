import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** An attribute followed by `!` is required. */
type ElementRule = { readonly attributes: string; readonly children: string };

/** @see https://github.com/jenkinsci/xunit-plugin, `junit-10.xsd`, which common tools follow */
const ELEMENTS: Readonly<Record<string, ElementRule>> = {
  testsuites: { attributes: 'name time tests failures errors', children: 'testsuite' },
  testsuite: {
    attributes:
      'name! tests! failures! errors! group time skipped timestamp hostname id package file log url',
    children: 'testsuite properties testcase system-out system-err',
  },
  testcase: {
    attributes: 'name! time classname group',
    children: 'skipped error failure system-out system-err',
  },
  failure: { attributes: 'type message', children: '#text' },
  error: { attributes: 'type message', children: '#text' },
  skipped: { attributes: 'type message', children: '#text' },
  'system-out': { attributes: '', children: '#text' },
  'system-err': { attributes: '', children: '#text' },
};
const SECONDS = /^(\d{1,3}(,\d{3})*|\d*)(\.\d*)?$/;

/** Returns the violations of the JUnit schema in a text. */
export function junitFaults(xml: string): readonly string[] {
  const validity = XMLValidator.validate(xml);
  if (validity !== true) return [validity.err.msg];
  const options = { preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '' };
  const root = new XMLParser(options).parse(xml) as readonly Element[];
  return root.flatMap((element) => faultsOf(element, '?xml testsuites'));
}

type Element = { readonly ':@'?: Readonly<Record<string, string>> } & Readonly<
  Record<string, readonly Element[]>
>;

function faultsOf({ ':@': attributes = {}, ...rest }: Element, allowed: string): string[] {
  return Object.entries(rest).flatMap(([name, children]) => {
    if (!allowed.split(' ').includes(name)) return [`<${name}> has no place here`];
    const rule = ELEMENTS[name];
    if (rule === undefined) return [];
    const known = rule.attributes.split(' ');
    const names = known.map((each) => each.replace('!', ''));
    const missing = known.filter(
      (each) => each.endsWith('!') && !(each.slice(0, -1) in attributes),
    );
    const unknown = Object.keys(attributes).filter((each) => !names.includes(each));
    const time = name === 'testcase' ? '0' : (attributes['time'] ?? '0');
    return [
      ...missing.map((each) => `<${name}> lacks ${each.slice(0, -1)}`),
      ...unknown.map((each) => `<${name}> has an attribute ${each}`),
      ...(SECONDS.test(time) ? [] : [`<${name}> took ${time}`]),
      ...children.flatMap((child) => faultsOf(child, rule.children)),
    ];
  });
}
