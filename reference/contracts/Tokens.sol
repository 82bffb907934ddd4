// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

interface IERC20 {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
    function approve(address spender, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// A token transfer failed, or the token is not a contract.
/// @param token Token that was called
error TransferFailed(address token);

/// @title Moves tokens, including those whose functions return nothing
library Tokens {
    function send(address token, address to, uint256 amount) internal {
        _call(token, abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function sendFrom(address token, address from, address to, uint256 amount) internal {
        _call(token, abi.encodeCall(IERC20.transferFrom, (from, to, amount)));
    }

    function allow(address token, address spender, uint256 amount) internal {
        _call(token, abi.encodeCall(IERC20.approve, (spender, amount)));
    }

    function balanceOf(address token, address account) internal view returns (uint256) {
        return IERC20(token).balanceOf(account);
    }

    /// Reverts unless the call succeeded and returned true, or the token is a contract and returned nothing.
    function _call(address token, bytes memory input) private {
        bool done;
        assembly ("memory-safe") {
            mstore(0, 0)
            done := call(gas(), token, 0, add(input, 32), mload(input), 0, 32)
            switch returndatasize()
            case 0 { done := and(done, gt(extcodesize(token), 0)) }
            default { done := and(done, and(gt(returndatasize(), 31), eq(mload(0), 1))) }
        }
        if (!done) revert TransferFailed(token);
    }
}
