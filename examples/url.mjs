import { runConformance } from 'swapcheck';

const { SWAPCHECK_BASE_URL: url = 'http://127.0.0.1:8080', SWAPCHECK_API_KEY: apiKey = 'demo' } =
  process.env;
const report = await runConformance({ service: { url }, apiKey, only: ['2.7', '2.8'] }, (event) => {
  if (event.type === 'rule-finished') console.log(event.result.outcome, event.result.id);
});
console.log(report.verdict, report.reason);
process.exitCode = report.verdict === 'conforming' ? 0 : 1;
