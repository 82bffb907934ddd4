// SPDX-License-Identifier: MIT
pragma solidity ^0.8.34;

import {Hop, HopLibrary, Share, Swap} from "./Program.sol";

/// @title What is still asked of the swaps of an exact-output plan
/// @notice One array of words, so that it goes through a pool's callback by plain copying:
/// payer, receiver, sell limit, swaps left, swaps in all; the swaps, two words each; the tokens;
/// and what is asked of each token. Any index that is out of range ends beyond the array.
library Demand {
    uint256 private constant PAYER = 0;
    uint256 private constant RECEIVER = 1;
    uint256 private constant LIMIT = 2;
    uint256 private constant LEFT = 3;
    uint256 private constant COUNT = 4;
    uint256 private constant SWAPS = 5;

    /// A demand of `buyAmount` of the last token.
    function create(
        address payer_,
        address receiver,
        uint256 limit,
        uint256 buyAmount,
        address[] calldata tokens,
        Swap[] calldata swaps
    ) internal pure returns (uint256[] memory demand) {
        uint256 count = swaps.length;
        uint256 tokensAt = SWAPS + 2 * count;
        demand = new uint256[](tokensAt + 2 * tokens.length);
        demand[PAYER] = uint160(payer_);
        demand[RECEIVER] = uint160(receiver);
        demand[LIMIT] = limit;
        demand[LEFT] = count;
        demand[COUNT] = count;
        assembly ("memory-safe") {
            let words := add(demand, 32)
            calldatacopy(add(words, mul(SWAPS, 32)), swaps.offset, mul(count, 64))
            calldatacopy(add(words, mul(tokensAt, 32)), tokens.offset, mul(tokens.length, 32))
        }
        demand[demand.length - 1] = buyAmount;
    }

    /// The demand in callback data made by `encode`.
    function decode(bytes calldata data) internal pure returns (uint256[] memory demand) {
        demand = new uint256[](data.length / 32);
        assembly ("memory-safe") {
            calldatacopy(add(demand, 32), data.offset, data.length)
        }
    }

    /// The words of the demand, copied.
    function encode(uint256[] memory demand) internal pure returns (bytes memory data) {
        data = new bytes(demand.length * 32);
        assembly ("memory-safe") {
            mcopy(add(data, 32), add(demand, 32), mload(data))
        }
    }

    /// Whether only the sell token is asked for.
    function isAtSellToken(uint256[] memory demand) internal pure returns (bool) {
        return demand[LEFT] == 0;
    }

    /// Who pays, how much of the sell token is asked, and how much may be.
    function sale(uint256[] memory demand) internal pure returns (address, uint256, uint256) {
        return (payer(demand), demand[_amountAt(demand, 0)], demand[LIMIT]);
    }

    function payer(uint256[] memory demand) internal pure returns (address) {
        return address(uint160(demand[PAYER]));
    }

    /// Moves on to the swap before.
    function step(uint256[] memory demand) internal pure {
        --demand[LEFT];
    }

    /// The swap that `step` came to.
    function current(uint256[] memory demand) internal pure returns (Swap memory) {
        return _swap(demand, demand[LEFT]);
    }

    function token(uint256[] memory demand, uint256 index) internal pure returns (address) {
        return address(uint160(demand[SWAPS + 2 * demand[COUNT] + index]));
    }

    /// Takes the share of what is asked of a token.
    function take(uint256[] memory demand, uint256 index, Share share) internal pure returns (uint256 amount) {
        uint256 slot = _amountAt(demand, index);
        amount = share.ofWhole(demand[slot]);
        demand[slot] -= amount;
    }

    /// Asks for more of a token.
    function add(uint256[] memory demand, uint256 index, uint256 amount) internal pure {
        demand[_amountAt(demand, index)] += amount;
    }

    /// Who receives what comes out of a swap.
    function target(uint256[] memory demand, Hop hop) internal view returns (address) {
        uint256 to = hop.target();
        if (to == HopLibrary.RECEIVER) return address(uint160(demand[RECEIVER]));
        return to == HopLibrary.ROUTER ? address(this) : _swap(demand, to).hop.pool();
    }

    function _swap(uint256[] memory demand, uint256 index) private pure returns (Swap memory) {
        uint256 slot = SWAPS + 2 * index;
        return Swap(Hop.wrap(demand[slot]), Share.wrap(demand[slot + 1]));
    }

    function _amountAt(uint256[] memory demand, uint256 index) private pure returns (uint256) {
        uint256 swapsEnd = SWAPS + 2 * demand[COUNT];
        return swapsEnd + (demand.length - swapsEnd) / 2 + index;
    }
}
