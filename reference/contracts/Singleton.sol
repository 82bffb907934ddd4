// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Hop} from "./Program.sol";

/// Key of a pool: two currencies in ascending order; zero is the native token.
struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    /// Exact input if negative, exact output if positive.
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

/// @title PoolManager of Uniswap V4, which holds the tokens of all its pools
interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);
    function sync(address currency) external;
    function settle() external payable returns (uint256 paid);
    function take(address currency, address to, uint256 amount) external;
}

/// @title Trades pools of the manager that have no hooks
/// @dev The router, not its caller, determines the manager. When the lock closes, the manager
/// reverts if anything owed is unpaid.
library Singletons {
    uint160 private constant LOWEST_SQRT_PRICE = 4295128740;
    uint160 private constant HIGHEST_SQRT_PRICE = 1461446703485210103287273052203988822378723970341;

    /// Returns the input and the output of a swap. If liquidity ends, both are below the requested amounts.
    function trade(IPoolManager manager, Hop hop, address currencyIn, address currencyOut, int256 amount)
        internal
        returns (uint256 owed, uint256 bought)
    {
        bool zeroForOne = currencyIn < currencyOut;
        (address currency0, address currency1) =
            zeroForOne ? (currencyIn, currencyOut) : (currencyOut, currencyIn);
        PoolKey memory key =
            PoolKey(currency0, currency1, uint24(hop.feePips()), hop.tickSpacing(), address(0));
        uint160 limit = zeroForOne ? LOWEST_SQRT_PRICE : HIGHEST_SQRT_PRICE;
        int256 delta = manager.swap(key, SwapParams(zeroForOne, amount, limit), "");
        (int256 delta0, int256 delta1) = (delta >> 128, int128(delta));
        (int256 ofIn, int256 ofOut) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        return (uint256(-ofIn), uint256(ofOut));
    }
}
