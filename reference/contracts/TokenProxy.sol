// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// @title Holds users' allowances, so that the allowances outlive a router
/// @notice Forever serves only the routers given to its constructor, since there is no owner.
/// @dev The constructor also accepts the future address of a router that is not deployed yet. Each
/// router must pull only from its own caller.
contract TokenProxy {
    // Immutable, since a storage read would cost each trade 2,100 gas.
    address private immutable _first;
    address private immutable _second;
    address private immutable _third;
    address private immutable _fourth;

    error NotARouter(address caller);
    error TooManyRouters(uint256 count);

    constructor(address[] memory routers) {
        uint256 count = routers.length;
        if (count > 4) revert TooManyRouters(count);
        _first = count > 0 ? routers[0] : address(0);
        _second = count > 1 ? routers[1] : address(0);
        _third = count > 2 ? routers[2] : address(0);
        _fourth = count > 3 ? routers[3] : address(0);
    }

    /// @notice Returns whether this proxy serves the router.
    /// @param router Address of the router
    function serves(address router) public view returns (bool) {
        return router != address(0)
            && (router == _first || router == _second || router == _third || router == _fourth);
    }

    /// @notice Moves tokens of a router's caller.
    /// @param token Token to move
    /// @param from Caller of the router, who approved this proxy
    /// @param to Recipient of the tokens
    /// @param amount Amount in base units
    function pull(address token, address from, address to, uint256 amount) external {
        if (!serves(msg.sender)) revert NotARouter(msg.sender);
        Tokens.sendFrom(token, from, to, amount);
    }
}
