// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Tokens} from "./Tokens.sol";

/// @title Holds users' allowances, so that these outlive a router
/// @notice Serves the routers it was built with and no one else, for ever: there is no owner.
/// @dev A router that is to come can be named by the address it will have. Each router must pull
/// from none but its own caller.
contract TokenProxy {
    /// Whether an address is a router that this proxy serves.
    mapping(address router => bool) public serves;

    error NotARouter(address caller);

    constructor(address[] memory routers) {
        for (uint256 i; i < routers.length; ++i) {
            serves[routers[i]] = true;
        }
    }

    /// @notice Moves tokens of a router's caller to where its trade needs them.
    /// @param token The token to move
    /// @param from The caller of the router, who approved this proxy
    /// @param to Who receives the tokens
    /// @param amount How much, in base units
    function pull(address token, address from, address to, uint256 amount) external {
        if (!serves[msg.sender]) revert NotARouter(msg.sender);
        Tokens.sendFrom(token, from, to, amount);
    }
}
