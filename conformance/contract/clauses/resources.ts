import { observe, type Statements } from './statement.ts';

/** Sections 2.6 to 2.10: what the lookups return, and errors. */
export const LOOKUP_CLAUSES: Statements = {
  '2.6 address': 'address | string | yes | Token contract address',
  '2.6 name': 'name | string | yes | Token name',
  '2.6 symbol': 'symbol | string | yes | Token symbol',
  '2.6 decimals': 'decimals | integer | yes | 0 to 18',
  '2.6 metadata': 'metadata | object | yes | Holds `logoURI`',
  '2.6 logoURI': "metadata.logoURI | string | yes | URL of the token's logo image",
  '2.7 chainId': 'chainId | integer | yes | Unique identifier of the blockchain network',
  '2.7 name': 'name | string | yes | Human-readable network name',
  '2.8 chainId': 'chainId | integer | yes | Network identifier',
  '2.8 name': 'name | string | yes | Network name',
  '2.8 usdTokenAddress':
    'usdTokenAddress | string | yes | Address of the primary USD-pegged token on the chain',
  '2.8 wrappedNativeTokenAddress':
    'wrappedNativeTokenAddress | string | yes | Address of the wrapped native token',
  '2.8 routers':
    'routers | array of RouterInfo | yes | Available router contracts and their configuration',
  '2.9 name':
    'name | string, one of `service-router`, `universal-router`, `default-router` | yes | Router contract unique name',
  '2.9 liquiditySources':
    'liquiditySources | array of string | yes | Liquidity sources supported by this router',
  '2.9 deployedAddress': 'deployedAddress | string | yes | Deployed address of the router contract',
  '2.9 tokenProxyAddress':
    'tokenProxyAddress | string | optional | Token proxy contract address, if applicable',
  '2.9 hasEncoder':
    'hasEncoder | boolean | yes | Whether an encoder for calldata generation is available for this router',
  '2.9 chain identifiers': observe('The full list of chain identifiers: not shown.'),
  '2.10 error': 'error | string | yes | Error type',
  '2.10 message': 'message | string | yes | Human-readable message',
  '2.10 details': 'details | object (free-form keys) | optional | Additional error details',
};
