// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// @title Holds users' allowances, so that these outlive a router
/// @notice Serves the routers it was built with and no one else, for ever: there is no owner.
/// @dev A router that is to come can be named by the address it will have. Each router must pull
/// from none but its own caller.
contract TokenProxy {
    // In the code, not in storage: a trade would pay 2,100 gas to look there.
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

    /// @notice Whether an address is a router that this proxy serves: one of four at most.
    /// @param router The address to look for
    function serves(address router) public view returns (bool) {
        return router != address(0)
            && (router == _first || router == _second || router == _third || router == _fourth);
    }

    /// @notice Moves tokens of a router's caller to where its trade needs them.
    /// @param token The token to move
    /// @param from The caller of the router, who approved this proxy
    /// @param to Who receives the tokens
    /// @param amount How much, in base units
    function pull(address token, address from, address to, uint256 amount) external {
        if (!serves(msg.sender)) revert NotARouter(msg.sender);
        Tokens.sendFrom(token, from, to, amount);
    }
}
