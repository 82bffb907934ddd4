import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import RuleFilter from './rule-filter.vue';
import './style.css';

// biome-ignore lint/style/noDefaultExport: VitePress reads the theme from the default export
export default {
  extends: DefaultTheme,
  Layout() {
    const isRules = useData().page.value.relativePath === 'rules.md';
    return h(DefaultTheme.Layout, null, { 'doc-before': () => isRules && h(RuleFilter) });
  },
};
