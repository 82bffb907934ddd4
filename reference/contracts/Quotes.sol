// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

/// @title Data for the pools of a trade, such as a signed order of a market maker
/// @notice The data is in transient storage, like `Demand`, since a swap may run in the callback of another swap.
library Quotes {
    /// Base slot, above the slots of `Demand`. Each quote has room for its length and 255 words.
    uint256 private constant FIRST = 0x10000;
    uint256 private constant ROOM = 0x100;

    error TooManyQuotes(uint256 count);
    error QuoteTooLong(uint256 index);

    /// Stores the quotes, numbered from 1. They last until the transaction ends or other quotes
    /// replace them.
    function keep(bytes[] calldata quotes) internal {
        if (quotes.length > 0xff) revert TooManyQuotes(quotes.length);
        for (uint256 i; i < quotes.length; ++i) {
            bytes calldata quote = quotes[i];
            if (quote.length > (ROOM - 1) * 32) revert QuoteTooLong(i);
            uint256 slot = FIRST + (i + 1) * ROOM;
            assembly ("memory-safe") {
                tstore(slot, quote.length)
                for { let at := 0 } lt(at, quote.length) { at := add(at, 32) } {
                    slot := add(slot, 1)
                    tstore(slot, calldataload(add(quote.offset, at)))
                }
            }
        }
    }

    /// Returns the quote with this number, from 1.
    function get(uint256 number) internal view returns (bytes memory quote) {
        uint256 slot = FIRST + number * ROOM;
        uint256 length;
        assembly ("memory-safe") {
            length := tload(slot)
        }
        quote = new bytes(length);
        assembly ("memory-safe") {
            for { let at := 0 } lt(at, length) { at := add(at, 32) } {
                slot := add(slot, 1)
                mstore(add(add(quote, 32), at), tload(slot))
            }
        }
    }
}
