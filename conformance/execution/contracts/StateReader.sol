// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// What is wanted of an account.
struct Wanted {
    address account;
    uint256[] slots;
}

/// @title Balances, code sizes and storage of many accounts in one `eth_call`
/// @notice Is never deployed: its code stands in for that of every account whose storage is
/// wanted, and of the address that is called.
contract StateReader {
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
