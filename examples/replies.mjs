import { judgeReplies } from 'swapcheck';

const { SWAPCHECK_BASE_URL: root = 'http://127.0.0.1:8080', SWAPCHECK_API_KEY: apiKey = 'demo' } =
  process.env;
const url = `${root}/api/v1.0/tokens?${new URLSearchParams({ chainId: '31337', apiKey })}`;
const response = await fetch(url);
const { status, headers } = response;
const body = await response.text();
const report = await judgeReplies([{ url, status, headers: Object.fromEntries(headers), body }]);
console.log(report.verdict, report.reason);
// One reply cannot prove that a service conforms, so the best verdict is `no-failure`.
process.exitCode = report.verdict === 'no-failure' ? 0 : 1;
