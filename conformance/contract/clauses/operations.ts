import { observe, type Statements, should, untestable } from './statement.ts';

/** Section 4: the operations and their parameters. */
export const OPERATION_CLAUSES: Statements = {
  '4 status': 'Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error).',
  '4 error body': 'Every endpoint can answer 200, 400 (body: Error) or 500 (body: Error).',
  '4 get': 'Every endpoint: method GET, all inputs in the query string, no request body.',
  '4 other methods': observe(
    'Every endpoint: method GET, all inputs in the query string, no request body.',
  ),
  '4.1 chainId': 'chainId | integer | yes | Identifier of the blockchain',
  '4.1 sellToken':
    'sellToken | string | yes | Token address. For the native token use either the all-zero 20-byte hex address (`0x` followed by 40 zeros) or `0x` followed by 40 `e` characters',
  '4.1 buyToken': 'buyToken | string | yes | Same address rules as `sellToken`',
  '4.1 native token':
    'For the native token use either the all-zero 20-byte hex address (`0x` followed by 40 zeros) or `0x` followed by 40 `e` characters',
  '4.1 sellAmount':
    'sellAmount | string | see rule | Positive integer in base units; exact-input swap',
  '4.1 buyAmount':
    'buyAmount | string | see rule | Positive integer in base units; exact-output swap',
  '4.1 useRfq': 'useRfq | boolean | no | false | Whether to use market-maker RFQ liquidity',
  '4.1 router':
    'router | string, one of `service-router`, `universal-router`, `default-router` | no | `default-router` | Router contract unique name',
  '4.1 includeCalldata':
    'includeCalldata | boolean | no | false | Whether to include calldata in the response',
  '4.1 userAddress': "userAddress | string | yes if `includeCalldata=true` | User's wallet address",
  '4.1 recipientAddress':
    'recipientAddress | string | no | Address that receives the buy token; when unset, the buy token goes to the transaction sender',
  '4.1 slippageTolerance':
    'slippageTolerance | number | yes if `includeCalldata=true` | 0 to 1 inclusive, in steps of 0.0001; 0.01 means 1%',
  '4.1 apiKey': should("apiKey | string | yes | The caller's API key"),
  '4.1 rule 1':
    'Exactly one of `sellAmount` and `buyAmount` must be given, never both and never neither.',
  '4.1 rule 2': 'When `includeCalldata=true`, `userAddress` and `slippageTolerance` must be given.',
  '4.1 rule 3':
    'When `includeCalldata` is false or omitted, the response has no `routerAddress`, `calldata` or `gasLimit`.',
  '4.1 rule 4':
    'When `includeCalldata=true`, the response has `routerAddress`, `calldata` and `gasLimit`.',
  '4.1 rule 5':
    'When the sell token is native, `sell.wrapFromNative` may appear; when the buy token is native, `buy.unwrapToNative` may appear.',
  '4.1 rule 6': 'Invalid parameters give 400 with an Error body.',
  '4.1 response': 'Response 200: SwapResponse (section 2.1).',
  '4.2 curated': untestable(
    'Returns a curated list of example tokens for a chain. It is not the full list of tradable tokens.',
    'Which tokens are listed is the choice of the service.',
  ),
  '4.2 chainId': 'chainId | integer | yes',
  '4.2 apiKey': should('apiKey | string | yes'),
  '4.2 response': 'Response 200: JSON array of TokenInfo.',
  '4.3 supported': 'Returns the supported chains.',
  '4.3 apiKey': should('apiKey | string | yes'),
  '4.3 response': 'Response 200: JSON array of Chain.',
  '4.4 details':
    'Returns details of one chain: supported routers, liquidity sources, key token addresses.',
  '4.4 chainId': 'chainId | integer | yes',
  '4.4 apiKey': should('apiKey | string | yes'),
  '4.4 response': 'Response 200: ChainInfo.',
};
