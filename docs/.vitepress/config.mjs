import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { withMermaid } from 'vitepress-plugin-mermaid';

const DOCS = new URL('../', import.meta.url);

function titleOf(page) {
  const [, title = page] = /^# (.+)$/m.exec(readFileSync(new URL(page, DOCS), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

function linksTo(pages) {
  return pages.map((page) => ({ text: titleOf(page), link: `/${page.replace(/\.md$/, '')}` }));
}

function pagesIn(folder) {
  return readdirSync(new URL(folder, DOCS))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .sort()
    .map((file) => `${folder}${file}`);
}

/** One page per task. */
const TASKS = ['ci.md', 'execution.md', 'load.md', 'comparing.md'];
const FOR_MAINTAINERS = [
  'architecture.md',
  'benchmarks.md',
  'mutants.md',
  'mutation-testing.md',
  'releasing.md',
].filter((page) => existsSync(new URL(page, DOCS)));

/** All other pages for users. */
function guidePages() {
  const placed = ['getting-started.md', 'recipes.md', ...TASKS, ...FOR_MAINTAINERS];
  return pagesIn('').filter((page) => !placed.includes(page));
}

/** The pages of rules, grouped by the first part of their ids. */
function ruleGroups() {
  return readdirSync(new URL('rules/', DOCS)).map((group) => ({
    text: group,
    collapsed: true,
    items: linksTo(pagesIn(`rules/${group}/`)),
  }));
}

/** Links the ids in the list of rules to the pages of the rules. */
function linkRules(md) {
  const renderCode = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, at, options, env, self) => {
    const html = renderCode(tokens, at, options, env, self);
    const page = `rules/${tokens[at].content}`;
    return env.relativePath === 'rules.md' && isFile(`${page}.md`, 'rules.md')
      ? `<a href="./${page}.html">${html}</a>`
      : html;
  };
}

function isFile(link, source) {
  return existsSync(new URL(link.split('#')[0], new URL(source, DOCS)));
}

// biome-ignore lint/style/noDefaultExport: VitePress reads its configuration from the default export
export default withMermaid({
  title: 'swapcheck',
  description: 'Tests whether a swap aggregation service conforms to its interface specification.',
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  transformPageData(page) {
    if (page.relativePath === 'rules.md') page.frontmatter.pageClass = 'wide';
  },
  // Links to files that are not pages work in the repository; the files must exist.
  ignoreDeadLinks: [(link, source) => isFile(link, source) || isFile(`${link}.json`, source)],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: linkRules,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Commands', link: '/commands/test' },
      { text: 'Rules', link: '/rules' },
    ],
    sidebar: [
      { text: 'Start', items: linksTo(['getting-started.md', 'recipes.md']) },
      { text: 'Tasks', items: linksTo(TASKS) },
      { text: 'Guide', items: linksTo(guidePages()) },
      { text: 'Commands', collapsed: true, items: linksTo(pagesIn('commands/')) },
      { text: 'Rules by resource', collapsed: true, items: ruleGroups() },
      { text: 'For maintainers', collapsed: true, items: linksTo(FOR_MAINTAINERS) },
    ],
  },
});
