// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// @title An account with code, such as a Safe
/// @notice Never deployed: in a simulation, it is the code of an account that takes part in a
/// trade, or of the contract to which such an account delegates (EIP-7702).
contract Wallet {
    uint256 private received;

    event Received(address indexed sender, uint256 value);

    /// @dev Like a Safe, reads storage and emits an event; 2,300 gas is not enough for that.
    receive() external payable {
        emit Received(msg.sender, received + msg.value);
    }

    /// @notice Calls a contract as this account. If the call reverts, reverts with the same reason.
    function execute(address to, uint256 value, bytes calldata data) external {
        (bool done, bytes memory returned) = to.call{value: value}(data);
        if (done) return;
        assembly {
            revert(add(returned, 32), mload(returned))
        }
    }
}
