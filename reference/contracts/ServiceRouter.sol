// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {GraphRouter} from "./GraphRouter.sol";
import {IPoolManager} from "./Singleton.sol";
import {TokenProxy} from "./TokenProxy.sol";
import {IWrappedNative} from "./Tokens.sol";
import {IVault} from "./Vault.sol";

/// @title Router that takes tokens through a proxy, which users approve instead
contract ServiceRouter is GraphRouter {
    /// Proxy with the users' allowances.
    TokenProxy public immutable tokenProxy;

    constructor(
        IWrappedNative wrappedNative_,
        IVault vault_,
        IPoolManager poolManager_,
        TokenProxy tokenProxy_
    ) GraphRouter(wrappedNative_, vault_, poolManager_) {
        tokenProxy = tokenProxy_;
    }

    /// @inheritdoc GraphRouter
    function _pull(address token, address payer, address to, uint256 amount) internal override {
        tokenProxy.pull(token, payer, to, amount);
    }
}
