// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {GraphRouter} from "./GraphRouter.sol";
import {IPoolManager} from "./Singleton.sol";
import {IWrappedNative, Tokens} from "./Tokens.sol";
import {IVault} from "./Vault.sol";

/// @title Router that users approve directly
contract DefaultRouter is GraphRouter {
    constructor(IWrappedNative wrappedNative_, IVault vault_, IPoolManager poolManager_)
        GraphRouter(wrappedNative_, vault_, poolManager_)
    {}

    /// @inheritdoc GraphRouter
    function _pull(address token, address payer, address to, uint256 amount) internal override {
        Tokens.sendFrom(token, payer, to, amount);
    }
}
