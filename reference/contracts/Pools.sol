// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// @title Uniswap V2 pair
interface IConstantProductPool {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 timestamp);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @title Uniswap V3 pool
interface IConcentratedPool {
    function swap(address to, bool zeroForOne, int256 amount, uint160 sqrtPriceLimitX96, bytes calldata data)
        external
        returns (int256 amount0, int256 amount1);
}

/// @title Prices and trades constant-product pairs
library ConstantProduct {
    uint256 private constant ONE_IN_PIPS = 1e6;

    /// Returns the pair's output for its balance above the reserve, rounded down in favor of the pair.
    function outputForExcess(address pair, address tokenIn, bool zeroForOne, uint256 feePips)
        internal
        view
        returns (uint256)
    {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, zeroForOne);
        uint256 afterFee = (Tokens.balanceOf(tokenIn, pair) - reserveIn) * (ONE_IN_PIPS - feePips);
        return afterFee * reserveOut / (reserveIn * ONE_IN_PIPS + afterFee);
    }

    /// Returns the input for `amountOut`, rounded up in favor of the pair. If the division leaves
    /// no remainder, the result is one base unit above the minimum, as in `UniswapV2Library`, whose
    /// formulas the quotes use.
    function inputFor(address pair, uint256 amountOut, bool zeroForOne, uint256 feePips)
        internal
        view
        returns (uint256)
    {
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, zeroForOne);
        return reserveIn * amountOut * ONE_IN_PIPS / ((reserveOut - amountOut) * (ONE_IN_PIPS - feePips)) + 1;
    }

    function give(address pair, uint256 amountOut, bool zeroForOne, address to) internal {
        IConstantProductPool(pair).swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, to, "");
    }

    function _reserves(address pair, bool zeroForOne) private view returns (uint256, uint256) {
        (uint256 reserve0, uint256 reserve1,) = IConstantProductPool(pair).getReserves();
        return zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
    }
}
