// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// A slot of an account's storage, or its native balance.
struct Part {
    address account;
    bool isBalance;
    uint256 slot;
}

/// @title Reads balances and storage of many accounts in one `eth_call`
/// @notice Never deployed: in an `eth_call`, its code replaces the code of every account whose
/// storage is read, and of the called address.
contract StateReader {
    /// Represents the native token among tokens.
    address private constant NATIVE = address(0);
    /// Gas limit for reading one balance. It far exceeds what a token needs, but a broken token may
    /// use it all.
    uint256 private constant BALANCE_GAS = 2_000_000;

    /// @notice Returns the balances of all holders in the first token, then in the second, and so
    /// on.
    /// @dev The maximum uint256 represents a balance that cannot be read. At most one word of a
    /// token's reply is copied.
    function balances(address[] calldata tokens, address[] calldata holders)
        external
        view
        returns (uint256[] memory held)
    {
        held = new uint256[](tokens.length * holders.length);
        for (uint256 i; i < held.length; ++i) {
            address token = tokens[i / holders.length];
            address holder = holders[i % holders.length];
            held[i] = token == NATIVE ? holder.balance : _balance(token, holder);
        }
    }

    function _balance(address token, address holder) private view returns (uint256 held) {
        bytes memory data = abi.encodeWithSignature("balanceOf(address)", holder);
        assembly ("memory-safe") {
            let done := staticcall(BALANCE_GAS, token, add(data, 32), mload(data), 0, 32)
            held := mload(0)
            if iszero(and(done, gt(returndatasize(), 31))) { held := not(0) }
        }
    }

    /// @notice Returns the value of each part.
    function read(Part[] calldata parts) external view returns (uint256[] memory values) {
        values = new uint256[](parts.length);
        for (uint256 i; i < parts.length; ++i) {
            Part calldata part = parts[i];
            values[i] = part.isBalance ? part.account.balance : StateReader(part.account).load(part.slot);
        }
    }

    /// @notice Returns a slot of this account's storage.
    function load(uint256 slot) external view returns (uint256 value) {
        assembly {
            value := sload(slot)
        }
    }
}
