// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Hop, Share, Swap} from "./Program.sol";

/// @title Amounts that an exact-output plan still needs from its swaps
/// @notice The amounts are in transient storage, since a swap may run in the callback of another
/// swap. Each list has room for 256 words. `ProgramLibrary` limits every index to the plan's
/// tokens and swaps, so that a trade never reads values of an earlier trade.
library Demand {
    uint256 private constant HOPS = 0x100;
    uint256 private constant SHARES = 0x200;
    uint256 private constant TOKENS = 0x300;
    uint256 private constant AMOUNTS = 0x400;

    /// Resets the demand to `buyAmount` of the last token.
    function start(address[] calldata tokens, Swap[] calldata swaps, uint256 buyAmount) internal {
        uint256 last = tokens.length - 1;
        _set(AMOUNTS, 0);
        _set(AMOUNTS + last, buyAmount);
        for (uint256 i = 1; i < last; ++i) {
            _set(TOKENS + i, uint160(tokens[i]));
            _set(AMOUNTS + i, 0);
        }
        for (uint256 i; i < swaps.length; ++i) {
            Swap calldata swap = swaps[i];
            _set(HOPS + i, Hop.unwrap(swap.hop));
            _set(SHARES + i, Share.unwrap(swap.share));
            if (swap.hop.isPaidByRouter()) {
                // Only the Vault and the manager need the tokens that the sender pays and receives.
                _set(TOKENS, uint160(tokens[0]));
                _set(TOKENS + last, uint160(tokens[last]));
            }
        }
    }

    function hop(uint256 index) internal view returns (Hop) {
        return Hop.wrap(_get(HOPS + index));
    }

    function share(uint256 index) internal view returns (Share) {
        return Share.wrap(_get(SHARES + index));
    }

    function token(uint256 index) internal view returns (address) {
        return address(uint160(_get(TOKENS + index)));
    }

    function amount(uint256 index) internal view returns (uint256) {
        return _get(AMOUNTS + index);
    }

    /// Subtracts a share of the demand for a token, and returns the amount.
    function take(uint256 index, Share part) internal returns (uint256 taken) {
        uint256 asked = amount(index);
        taken = part.ofWhole(asked);
        _set(AMOUNTS + index, asked - taken);
    }

    /// Adds to the demand for a token.
    function add(uint256 index, uint256 more) internal {
        _set(AMOUNTS + index, amount(index) + more);
    }

    function _get(uint256 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    function _set(uint256 slot, uint256 value) private {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }
}
