// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// What is wanted of an account.
struct Wanted {
    address account;
    uint256[] slots;
}

/// @title Balances, code sizes and storage of many accounts in one `eth_call`
/// @notice Is never deployed: in an `eth_call` its code replaces that of every account whose
/// storage is read, and of the address that is called.
contract StateReader {
    /// Stands for native among tokens.
    address private constant NATIVE = address(0);
    /// Far more than a token needs to report a balance; a broken one may use all it gets.
    uint256 private constant BALANCE_GAS = 2_000_000;

    /// @notice Returns the balances of all holders in the first token, then those in the second, and so on.
    /// @dev The largest number stands for a balance that cannot be read. At most one word of a
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

    /// @notice Returns for each account its balance, the size of its code and its slots, one after another.
    /// @dev The size is that of this code where it stands in.
    function read(Wanted[] calldata wanted) external view returns (uint256[] memory words) {
        uint256 count;
        for (uint256 i; i < wanted.length; ++i) count += 2 + wanted[i].slots.length;
        words = new uint256[](count);
        uint256 next;
        for (uint256 i; i < wanted.length; ++i) {
            address account = wanted[i].account;
            uint256[] calldata slots = wanted[i].slots;
            words[next++] = account.balance;
            words[next++] = account.code.length;
            if (slots.length == 0) continue;
            uint256[] memory values = StateReader(account).load(slots);
            for (uint256 j; j < values.length; ++j) words[next++] = values[j];
        }
    }

    /// @notice Returns slots of this account's storage.
    function load(uint256[] calldata slots) external view returns (uint256[] memory values) {
        values = new uint256[](slots.length);
        for (uint256 i; i < slots.length; ++i) {
            uint256 slot = slots[i];
            uint256 value;
            assembly {
                value := sload(slot)
            }
            values[i] = value;
        }
    }
}
