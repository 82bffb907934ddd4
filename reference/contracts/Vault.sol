// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

enum SwapKind {
    GIVEN_IN,
    GIVEN_OUT
}

struct SingleSwap {
    bytes32 poolId;
    SwapKind kind;
    address assetIn;
    address assetOut;
    uint256 amount;
    bytes userData;
}

struct BatchSwapStep {
    bytes32 poolId;
    uint256 assetInIndex;
    uint256 assetOutIndex;
    uint256 amount;
    bytes userData;
}

struct FundManagement {
    address sender;
    bool fromInternalBalance;
    address payable recipient;
    bool toInternalBalance;
}

/// @title Vault of Balancer V2
interface IVault {
    function swap(SingleSwap calldata single, FundManagement calldata funds, uint256 limit, uint256 deadline)
        external
        payable
        returns (uint256 amountCalculated);
    function queryBatchSwap(
        SwapKind kind,
        BatchSwapStep[] calldata swaps,
        address[] calldata assets,
        FundManagement calldata funds
    ) external returns (int256[] memory assetDeltas);
}

/// @title Pool of the Vault
interface IVaultPool {
    function getPoolId() external view returns (bytes32);
}

/// @title Prices and trades pools of the Vault, paid from the router's balance
/// @dev The router, not its caller, determines the Vault. The Vault takes tokens through an allowance,
/// which the router gives for one swap, and which the swap uses up.
library VaultSwaps {
    using Tokens for address;

    error WrongInput(address pool, uint256 paid, uint256 quoted);

    /// Sells exactly `amountIn`.
    function sell(IVault vault, address pool, address tokenIn, address tokenOut, uint256 amountIn, address to)
        internal
    {
        tokenIn.allow(address(vault), amountIn);
        _swap(vault, SingleSwap(_idOf(pool), SwapKind.GIVEN_IN, tokenIn, tokenOut, amountIn, ""), to, 0);
    }

    /// Buys exactly `amountOut` for the result of `inputFor`, which the router must hold.
    function buy(
        IVault vault,
        address pool,
        address tokenIn,
        address tokenOut,
        uint256 amountOut,
        uint256 quoted,
        address to
    ) internal {
        tokenIn.allow(address(vault), quoted);
        uint256 paid = _swap(
            vault, SingleSwap(_idOf(pool), SwapKind.GIVEN_OUT, tokenIn, tokenOut, amountOut, ""), to, quoted
        );
        if (paid != quoted) revert WrongInput(pool, paid, quoted);
    }

    /// Returns the input for `amountOut`.
    function inputFor(IVault vault, address pool, address tokenIn, address tokenOut, uint256 amountOut)
        internal
        returns (uint256)
    {
        BatchSwapStep[] memory steps = new BatchSwapStep[](1);
        steps[0] = BatchSwapStep(_idOf(pool), 0, 1, amountOut, "");
        address[] memory assets = new address[](2);
        assets[0] = tokenIn;
        assets[1] = tokenOut;
        return uint256(vault.queryBatchSwap(SwapKind.GIVEN_OUT, steps, assets, _funds(address(this)))[0]);
    }

    function _swap(IVault vault, SingleSwap memory single, address to, uint256 limit)
        private
        returns (uint256)
    {
        return vault.swap(single, _funds(to), limit, block.timestamp);
    }

    function _funds(address to) private view returns (FundManagement memory) {
        return FundManagement(address(this), false, payable(to), false);
    }

    function _idOf(address pool) private view returns (bytes32) {
        return IVaultPool(pool).getPoolId();
    }
}
