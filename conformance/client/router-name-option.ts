import { InvalidArgumentError, Option } from 'commander';
import { ROUTER_NAMES } from '../contract/names.ts';
import { named, oneOrMore } from '../output/option-values.ts';
import type { RouterNames } from './router-names.ts';

/** Returns the option `--router-name`, which is repeatable. */
export function routerNameOption(): Option {
  const option = new Option(
    '--router-name <ours=theirs>',
    "map the specification's name of a router to the service's own name, repeatable, even for the same router",
  );
  return named('routerNames', option.argParser(collectRouterName));
}

function collectRouterName(text: string, earlier: RouterNames = {}): RouterNames {
  const [ours = '', ...rest] = text.split('=');
  const name = ROUTER_NAMES.find((each) => each === ours);
  const theirs = rest.join('=');
  if (name === undefined || theirs === '') {
    throw new InvalidArgumentError(
      `Expected OURS=THEIRS, such as service-router=NAME; OURS is one of ${ROUTER_NAMES.join(', ')}.`,
    );
  }
  return { ...earlier, [name]: [...[earlier[name] ?? []].flat(), theirs] };
}

collectRouterName.schema = oneOrMore({
  type: 'string',
  pattern: `^(${ROUTER_NAMES.join('|')})=.+$`,
});
